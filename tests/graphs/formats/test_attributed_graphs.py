"""GraphML and node-link JSON: graphs with attributes, as networkx has them."""

import json
import warnings
from pathlib import Path

import networkx as nx
import pytest

from entvec.errors import CannotWrite, TaxonomyFileError
from entvec.graphs import Taxonomy, from_text, left_out, read, to_text, write

DOGS = Taxonomy.from_edges([("poodle", "dog", 0.25), ("dog", "animal")], labels={"dog": "Dog"})


def graph() -> nx.DiGraph:
    made = nx.DiGraph(name="zoo")
    made.add_node("dog", colour="brown", legs=4, label="Dog")
    made.add_edge("dog", "animal", since=1758, sure=True, probability=0.5)
    return made


def test_networkx_reads_our_json() -> None:
    found = nx.node_link_graph(json.loads(to_text(DOGS, "json")), edges="edges")
    assert isinstance(found, nx.DiGraph)
    assert dict(found.edges) == {("poodle", "dog"): {"probability": 0.25}, ("dog", "animal"): {}}
    assert found.nodes["dog"] == {"label": "Dog"}


@pytest.mark.parametrize("edges", ["edges", "links"])
def test_we_read_the_json_of_networkx_and_keep_its_attributes(tmp_path: Path, edges: str) -> None:
    path = tmp_path / "zoo.json"
    path.write_text(json.dumps(nx.node_link_data(graph(), edges=edges)))
    found = read(path)
    assert found.edge(0) == ("dog", "animal", 0.5)
    assert found.label("dog") == "Dog"
    again = nx.node_link_graph(json.loads(to_text(found, "json")), edges="edges")
    assert nx.utils.graphs_equal(again, graph())
    assert left_out(found, "tsv") == {"other statements": 5}
    assert left_out(found, "graphml") == {}


def test_we_read_the_graphml_of_networkx_and_keep_its_attributes(tmp_path: Path) -> None:
    nx.write_graphml(graph(), tmp_path / "zoo.graphml")
    found = read(tmp_path / "zoo.graphml")
    assert found.edge(0) == ("dog", "animal", 0.5)
    write(found, tmp_path / "again.graphml")
    assert nx.utils.graphs_equal(nx.read_graphml(tmp_path / "again.graphml"), nx.read_graphml(tmp_path / "zoo.graphml"))


def test_edges_that_are_there_twice_are_remembered(tmp_path: Path) -> None:
    path = tmp_path / "twice.graphml"
    text = to_text(DOGS, "graphml")
    edge = '<edge source="dog" target="animal" />'
    assert edge in text
    path.write_text(text.replace(edge, edge * 2))
    assert read(path).duplicates == (("dog", "animal"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", 'expected an object with lists of "nodes" and "edges"'),
        ('{"nodes": []}', 'lists of "nodes" and "edges"'),
        ('{"nodes": [],\n"edges": [}', "line 2: expected JSON"),
        ('{"directed": false, "nodes": [], "edges": []}', "expected a graph with directions"),
        ('{"nodes": [{"name": "a"}], "edges": []}', 'name of a term as "id"'),
        ('{"nodes": [], "edges": [{"source": "a"}]}', 'name of a term as "target"'),
        ('{"nodes": [], "edges": [{"source": "a", "target": "b", "probability": 2}]}', "probability is 2"),
        ('{"nodes": [], "edges": [{"source": "a", "target": "b", "probability": "x"}]}', "probability is 'x'"),
        ('{"nodes": [{"id": "a", "synonym": 3}], "edges": []}', "synonym of a node is 3"),
        ('{"nodes": [], "edges": [], "graph": {"negations": [["a"]]}}', "negations are"),
    ],
)
def test_json_that_is_no_taxonomy_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(TaxonomyFileError, match=message):
        read(path)


BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed"><node id="&b;"/></graph></graphml>
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "line 2: expected no entities of its own"),
        (BOMB.replace('<!ENTITY a "lol">', '<!ENTITY a SYSTEM "file:///etc/passwd">'), "line 2: expected no entities"),
        ("<graphml>\n<graph>", "line 2: expected XML, found what is not"),
        ("<graphml/>", "expected GraphML, found XML that is not"),
        ('<?xml version="1.0" encoding="klingon"?><graphml/>', "expected XML"),
        (to_text(DOGS, "graphml").replace('"directed"', '"undirected"'), "expected edges with directions"),
        (to_text(DOGS, "graphml").replace("0.25", "often"), "expected GraphML"),
        (to_text(DOGS, "graphml").replace("0.25", "25"), "probability is 25"),
    ],
)
def test_graphml_that_is_no_taxonomy_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.graphml"
    path.write_text(text)
    with pytest.raises(TaxonomyFileError, match=message):
        read(path)


@pytest.mark.parametrize("letter", ["\x00", "\x1b", "\r", "\ufffe"])
def test_letters_that_xml_has_no_place_for_are_refused(letter: str) -> None:
    with pytest.raises(CannotWrite, match=f"U\\+{ord(letter):04X}, for which XML has no place"):
        to_text(Taxonomy.from_edges([(f"a{letter}", "b")]), "graphml")


@pytest.mark.parametrize("name", ["json", "graphml"])
def test_a_text_that_looks_like_a_list_stays_a_text(tmp_path: Path, name: str) -> None:
    odd = DOGS.replaced(about={"dog": {"definition": ("[see cat",), "synonym": ('["a"]', "[")}})
    write(odd, tmp_path / "odd", format=name)
    assert read(tmp_path / "odd").equals(odd)


@pytest.mark.parametrize("value", [{1, 2}, [{1, 2}]])
@pytest.mark.parametrize("name", ["json", "graphml"])
def test_attributes_that_a_file_cannot_hold_are_refused(name: str, value: object) -> None:
    made = graph()
    made.nodes["dog"]["odd"] = value
    with pytest.raises(CannotWrite, match="an attribute is not for"):
        to_text(Taxonomy.from_networkx(made), name)


def test_plain_texts_of_other_programs_are_read(tmp_path: Path) -> None:
    made = nx.DiGraph()
    made.add_node("dog", synonym="hound", definition="[see cat")
    nx.write_graphml(made, tmp_path / "plain.graphml")
    assert read(tmp_path / "plain.graphml").about["dog"] == {"synonym": ("hound",), "definition": ("[see cat",)}


def test_keys_without_a_type_are_one_warning_of_ours() -> None:
    keys = "".join(f'<key id="d{i}" for="node" attr.name="x{i}"/>' for i in range(3))
    head = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = from_text(
            f'{head}{keys}<graph edgedefault="directed"><node id="a"><data key="d1">5</data></node></graph></graphml>',
            "graphml",
        )
    assert found.to_graph().nodes == {"a": {"x1": "5"}}
    assert [str(each.message) for each in told] == ["text: 3 keys have no attr.type: taken for text"]
