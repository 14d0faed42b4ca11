"""Words of English that the chunker must know: those that are never a noun, and nouns that say little by themselves."""


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


DETERMINERS = words("""
    a an the this that these those my your his her its our their some any all both each every many several various
    certain numerous few more most much such no another other two three four five six seven eight nine ten twelve
    twenty hundred dozens different divers sundry innumerable countless almost nearly only even mere merely very
    following above-mentioned aforesaid said
    """)
"""What may stand before a noun phrase, and is no part of it."""

PREPOSITIONS = words("""
    of in on at by for from with without within into onto upon over under between among amongst through during
    before after against about across along around behind below beneath beside besides beyond despite down inside
    near off outside since till until toward towards up via per concerning regarding respecting except save unlike
    like than throughout amid opposite round past to as versus
    """)

DENIALS = words("not no never neither nor hardly scarcely unlike cannot without nothing except than")
"""Words before a phrase, or at its beginning, after which a pattern says nothing."""

CONJUNCTIONS = words("and or nor & as well")

STOPS = (
    words("""
    i me you he him she it we us they them who whom whose which what where when why how there here this that these
    those himself herself itself themselves ourselves yourself myself one ones oneself none others either neither
    nor and or but so yet if unless because although though while whereas whether therefore thus hence however
    moreover then now too also again ever never always often sometimes usually generally commonly chiefly especially
    particularly mostly mainly namely including called named termed known not is are was were be been being am has
    have had having do does did done doing will would shall should can could may might must ought need let get got
    make makes made making take takes took taken taking give gives gave given giving come comes came coming go goes
    went gone going say says said see saw seen seem seems seemed become becomes became use used using find finds
    found show shows shown think thought know knew form forms formed contain contains contained consist consists
    include includes included exist exists occur occurs appear appears appeared remain remains remained belong
    belongs possess possesses possessed afford affords afforded yield yields yielded produce produces produced
    occupy occupies lie lies lay lived live lives died born built perhaps probably indeed still just rather quite
    almost nearly about less least enough instead away back out forth together apart etc &c viz ie eg vol fig plate
    chap
    """)
    | PREPOSITIONS
) - {"back", "form", "forms", "plate", "yield", "produce", "need", "save"}
"""Words that end a noun phrase: pronouns, prepositions, conjunctions, auxiliaries, frequent verbs and adverbs."""

NOT_HEADS = words("""
    small large great little big long short high low old new young good bad best better worse same own last first
    second third next present whole general common particular principal chief former latter important considerable
    different similar equal single double main major minor late early full free true false rest half like way ways
    far near thousand million much more most least less white black red green blue yellow english french german
    italian greek roman latin american british european scottish irish spanish ancient modern native foreign public
    private human such above following said necessary barren fourth fifth sixth seventh eighth ninth tenth circular
    rectangular oblique flat sweet bitter
    """)
"""Words that are known as nouns, but are adjectives where they end a phrase."""

KINDS = words("""
    kind sort type form species variety class genus family breed group order tribe example instance member category
    subclass subtype style brand
    """)
"""Heads that pass on what follows their `of`: a kind of fish is a fish."""

VAGUE = words("""
    part portion number lot result matter piece thing way fact case reason means question one kind sort type example
    instance quantity amount series set pair variety group class multitude majority list collection share half
    consequence cause effect sign proof point place time day year side end member deal sum total mass proportion
    degree circumstance particular article respect subject object person individual other people purpose manner mode
    sense word term name title description difference plan use account course opinion idea view remark passage
    statement rest remainder head mile foot inch month week hour century period chapter section volume page
    inhabitant son daughter brother sister wife husband child father mother friend pupil disciple successor
    contemporary follower branch corruption contraction synonym abbreviation plural diminutive appellation epithet
    denomination expression extent range
    """)
"""Nouns that are no hypernym as a pattern finds them: a part of, a number of, the son of."""

LIGHT = words("""
    common ordinary great large small little big fine good important principal chief famous celebrated well-known
    so-called certain other many several various numerous different particular usual typical simple true real proper
    mere best most new old same whole main major minor early late present former latter such own remarkable
    considerable beautiful excellent valuable curious interesting larger smaller greater lesser more less almost
    entire single similar like favourite favorite popular first second third last next additional further leading
    noted distinguished eminent rare rich useful strong
    """)
"""Adjectives that a phrase loses: a famous poet is named as a poet."""

ABBREVIATIONS = words(
    """
    mr mrs ms dr st prof rev hon gen col capt lieut lt sir esq jun sen jr sr messrs mme mlle vol vols chap ch sect p
    pp edit eds viz ie i.e e.g eg cf etc c ca a.d b.c d.c u.s u.k oz lb lbs ft deg approx dept est inc ltd co corp
    vs al op cit ibid jan feb mar apr jul aug sept sep oct nov dec lat lon n s w e ne nw se sw gr fr eng germ ital
    sp
    """
)
"""Words after which a full stop does not end a sentence."""

NUMBERED = words("no nos in art long min sec id cap tab fig figs pl lib ed")
"""Abbreviations before a number; elsewhere they are words that may end a sentence."""
