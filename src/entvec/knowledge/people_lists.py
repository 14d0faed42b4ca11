"""Who is a group of people, what insults them, and which terms offend: tables of WordNet's identifiers.

Each identifier stands beside a term for its concept, and a remark where the term alone does not say enough.
"""

from __future__ import annotations

PEOPLE = {
    # by nationality, region and citizenship
    "09620078-n": "inhabitant: Asian, European, American and those below",
    "09620794-n": "native: Russian, Filipino",
    "09621232-n": "native: born in a country",
    "09625401-n": "national: citizen, compatriot",
    "09634494-n": "African: lies beside inhabitant",
    "08166552-n": "nation: the British, the Swiss",
    "06904171-n": "natural language: Polish and Turkish are those who speak it, too",
    # by religion
    "09628382-n": "religious person: Christian, Muslim, Hindu",
    "09625789-n": "nonreligious person: atheist",
    "09679170-n": "gentile: not of one's own religion",
    "09681351-n": "Jew",
    "08479095-n": "Jewry",
    "10598349-n": "Sikh: lies below disciple",
    "09685922-n": "Rastafarian: lies below disciple",
    "10037588-n": "Druze: lies below disciple",
    # by ethnicity and descent
    "10065547-n": "ethnic: a member of an ethnic group",
    "09636106-n": "person of color",
    "09636339-n": "Black",
    "09638875-n": "White: Arab and Semite lie below",
    "09644820-n": "Native American",
    "09676884-n": "Slav",
    "10323999-n": "mixed-blood: of mixed descent",
    "10311823-n": "mestizo",
    "07967382-n": "ethnic group: Kurd, Maori",
    "07967982-n": "race",
    "08372411-n": "tribe",
    "08489392-n": "Zulu: the community",
    # by gender and orientation
    "09619168-n": "female person: woman, girl",
    "09624168-n": "male person: man, boy",
    "10182913-n": "homosexual",
    "09857007-n": "bisexual",
    "10173895-n": "heterosexual",
    "10396462-n": "pansexual",
    "10725893-n": "transsexual: after an operation",
    "10725734-n": "transsexual",
    "10726031-n": "transvestite",
    # by migration
    "10314952-n": "migrant: immigrant, settler",
    "10103485-n": "foreigner",
    "10071332-n": "exile, by choice: refugee",
    "10071139-n": "exile, by force",
    "10739881-n": "untouchable",
}
"""Groups of people by nationality, religion, ethnicity, gender, orientation and migration; all concepts below count."""

PEOPLE_WORDS = {
    "met more often as adjectives, or in other senses": (
        "male female men black white Gypsy Roma exile expatriate agnostic believer Afghan queer tribe Sunni Shia Shiah "
        "Mormon Islamist Norman Fleming Cheyenne Seneca Powhatan Gurkha Highlander Chaldean Pennsylvanian "
        "Mississippian Brahman Brahmin sheik fag faggot fagot dyke gook kaffir"
    ),
    "adjectives of peoples and religions without a noun in WordNet 3.0": (
        "Islamic Jewish Anglo-Jewish Judaic Hebraic Hasidic Hassidic Chasidic Afro-Asian Amerindic Andalusian Andean "
        "Argentine Australasian Bosnian Botswanan Caucasoid Ceylonese Corsican East_African Eurasiatic Frankish Gallic "
        "Genovese Ghanaian Greek_Orthodox Jain Kyrgyzstani Latin-American Luxembourgian Manchurian Melanesian "
        "Middle_Eastern Moldovan Moravian New_Caledonian North_African North_Vietnamese Rhodesian Roumanian Ruandan "
        "Russian_Orthodox Saudi-Arabian Slovakian Soviet Tajikistani Tasmanian Teutonic Tyrolese Uzbekistani Viennese "
        "transgender transgendered"
    ),
    "not in WordNet 3.0": (
        "Alawite asylum_seeker Chicana cisgender Dalit Hazara Latina Latinx LGBT LGBTQ nonbinary Rohingya Romani "
        "Salafi trans_man trans_woman transman transwoman Wahhabi Yazidi Yezidi"
    ),
}
"""People whose senses do not tell it, in any spelling."""

NO_PEOPLE_WORDS = {
    "names and everyday words that are slurs in one sense": "colored Guinea Jerry Mickey mongrel Paddy taco Tom",
    "adjectives": "berserk federal gallant northern oceanic prior same southwestern stiff straight",
    "others": "broad ex knockout macaroni Philippines sooner tart",
}
"""Words that hardly anybody means as people, although WordNet counts, or lists first, a sense in which they are."""

INSULTS = {
    "09631129-n": "unwelcome person",
    "09831962-n": "bad person",
    "10599354-n": "simpleton",
    "09614047-n": "coward",
    "10771636-n": "weakling",
    "09627462-n": "primitive",
    "09606527-n": "anomaly",
    "09629246-n": "sensualist",
    "09630641-n": "unfortunate",
    "10197967-n": "idler",
    "09632274-n": "unskilled person",
    "09756961-n": "abomination",
    "09978889-n": "cripple",
    "10613505-n": "small person",
    "10609325-n": "slave",
    "10609686-n": "slave: to something",
    "10502046-n": "quitter",
    "10284965-n": "malcontent",
    "10569179-n": "second-rater",
    "10709256-n": "third-rater",
    "09931267-n": "clumsy person",
    "10036266-n": "drug user",
    "10299700-n": "masturbator",
    "10584853-n": "sex object",
    "10139347-n": "gossip",
    "08402147-n": "scum",
    "09911226-n": "charwoman: a sense of woman",
    "10279669-n": "madam: of a brothel",
}
"""What is no answer for a group of people, with all concepts below that are no such group themselves."""

INSULTING_GROUPS = {
    # women, by looks, by men, by a bad temper
    "09787293-n": "virago", "09832456-n": "baggage", "09834258-n": "ball-buster", "09844356-n": "battle-ax",
    "09847543-n": "beldam", "09852430-n": "bar girl", "09854708-n": "bimbo", "09827363-n": "babe",
    "09875663-n": "broad", "09900153-n": "cat", "09905530-n": "chachka", "09952393-n": "concubine",
    "09965134-n": "vamp", "09989045-n": "wench", "10024784-n": "dominatrix", "10055410-n": "temptress",
    "10075063-n": "eyeful", "10136283-n": "gold digger", "10155485-n": "hag", "10222170-n": "jezebel",
    "10222259-n": "jilt", "10270383-n": "Lolita", "10280034-n": "maenad", "10302700-n": "matriarch: in cartoons",
    "10323752-n": "mistress", "10368528-n": "nymph", "10368624-n": "nymphet", "10370603-n": "odalisque",
    "10403366-n": "party girl", "10485440-n": "prostitute", "10584729-n": "sex kitten", "10613996-n": "stunner",
    "10636488-n": "spinster", "10682599-n": "sweater girl", "10715030-n": "tomboy", "10730820-n": "trophy wife",
    # men
    "09878702-n": "bull", "09900873-n": "catamite", "10015792-n": "dirty old man", "10023039-n": "dog",
    "10118301-n": "galoot", "10123711-n": "geezer", "10333439-n": "mother's boy", "10419785-n": "Peter Pan",
    "10452752-n": "ponce", "10621140-n": "sod", "10656120-n": "stiff", "10787197-n": "wolf", "10789118-n": "womanizer",
    # believers and others
    "09629065-n": "religionist: a zealot", "09859412-n": "blasphemer", "10166394-n": "heathen",
    "10198602-n": "idolater",
    "09683180-n": "Jihadist", "10551898-n": "Saracen", "10552203-n": "Saracen: for any Arab",
    "10765885-n": "Wandering Jew", "10156425-n": "hajji: for any Iraqi", "09911849-n": "chauvinist",
    "09930628-n": "closet queen", "10684446-n": "switch-hitter", "10114550-n": "fucker",
    "10719395-n": "townee", "10200531-n": "import",
    # racial doctrine
    "09635973-n": "Aryan, in the Nazi sense", "07968550-n": "master race", "09643421-n": "Yellow race",
    "09636890-n": "Negroid race",
}  # fmt: skip
"""Groups of people whose name is an insult or a sneer, with all concepts below."""

OFFENSIVE_MARKS = {"06718862-n": "ethnic slur", "06717170-n": "disparagement", "07124340-n": "obscenity"}
"""The marks (`Knowledge.marks`) of terms that offend in one of their senses."""

OFFENSIVE_CONCEPTS = {
    "00510922-n": "piss-up", "01030488-n": "popery", "02804772-n": "bastard", "02820798-n": "loony bin",
    "05263732-n": "minge", "05521514-n": "cunt", "05538215-n": "arse", "05908727-n": "priestcraft",
    "06241576-n": "Hinayana", "08401819-n": "rabble", "09637512-n": "colored", "09703573-n": "pom",
    "09800056-n": "apparatchik", "09919451-n": "chit", "09930628-n": "closet queen", "10133458-n": "gonif",
    "10147121-n": "gringo", "10176357-n": "hillbilly", "10295597-n": "Marrano", "10437014-n": "placeman",
    "10543544-n": "runt", "10602119-n": "sirrah", "10717196-n": "wanker", "14372286-n": "the shits",
}  # fmt: skip
"""Concepts whose gloss says "derogatory term for" or the like, and whose terms are not all marked."""

OFFENSIVE_WORDS = {
    "not marked in WordNet 3.0, which is of 2006": (
        "Abo cretin fucker homo Jewess limey mongoloid mulatto Negress Negro Negroid octoroon polack quadroon redneck "
        "retard shirtlifter slut squaw squaw_man wanker whore fucked pissed shitty"
    ),
    "marked in a sense that is counted less often than others": (
        "arse bitch bugger bullshit chink cocksucker coon cunt dick dyke fag faggot fagot fuck gook kaffir piss prick "
        "putz queer shit twat whoreson"
    ),
}
"""Terms that offend in all their senses, in any spelling."""

HARMLESS_WORDS = {
    "names": "Bedlam Guinea Jerry Mickey Paddy Peter Tom",
    "everyday words": "colored mongrel nazi taco throwaway",
}
"""Words that offend only in a sense that hardly anybody means, although WordNet lists it first."""
