"""The description of the API, and that the server keeps to it."""

from collections import Counter
from typing import Any

import pytest

from entvec.explore import ENDPOINTS
from entvec.explore.openapi import description

schemathesis = pytest.importorskip("schemathesis", reason="needs schemathesis: pip install 'entvec[test]'")
jsonschema_rs = pytest.importorskip("jsonschema_rs", reason="needs jsonschema_rs, which schemathesis brings")

from hypothesis import HealthCheck, Phase, settings  # noqa: E402
from schemathesis import GenerationMode  # noqa: E402
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance  # noqa: E402


def test_it_is_served_as_it_is_made(caller: Any) -> None:
    answer = caller.get("/api/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.told == description()


def test_every_schema_in_it_is_a_schema() -> None:
    found = description()
    assert found["openapi"].startswith("3.1")
    for name, schema in found["components"]["schemas"].items():
        jsonschema_rs.meta.validate(schema)
        assert schema.get("description"), f"{name} is not described"


def test_every_address_is_described_with_all_that_it_may_answer(caller: Any) -> None:
    paths = description()["paths"]
    assert list(paths) == [row.path for row in ENDPOINTS]
    names = []
    for row in ENDPOINTS:
        assert tuple(map(str.upper, paths[row.path])) == row.methods
        for method, told in paths[row.path].items():
            assert told["summary"]
            names.append(told["operationId"])
            of_body = {"408", "413", "415"} if method == "post" else {"403"}
            if row.request is not None:
                assert {"400", "422", "429", "431", "503"} | of_body == set(told["responses"]) - {"200"}
    assert len(set(names)) == len(names)


def test_its_examples_work(caller: Any) -> None:
    schemas = description()["components"]["schemas"]
    n_tried = 0
    for row in ENDPOINTS:
        if row.request is None:
            continue
        schema = schemas[row.request.__name__]
        fields = {name: field["examples"][0] for name, field in schema["properties"].items() if "examples" in field}
        if set(schema.get("required", ())) <= set(fields):
            n_tried += 1
            assert caller.post(row.path, fields).status == 200, row.path
    assert n_tried >= 9


@pytest.fixture(scope="module")
def api(caller: Any) -> Any:
    return schemathesis.openapi.from_dict(description())


tried: Counter[tuple[str, bool]] = Counter()
api_cases = schemathesis.pytest.from_fixture("api")


@pytest.mark.filterwarnings("ignore::entvec.errors.TaxonomyFileWarning")  # as the server has it
@pytest.mark.slow
@api_cases.parametrize()  # type: ignore[untyped-decorator]
@settings(
    max_examples=14,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
    derandomize=True,
    database=None,
)
def test_the_server_keeps_to_it(case: Any, caller: Any) -> None:
    """Good requests are answered in the form that is described, bad ones are refused, and nothing fails.

    A request may have the right form and still name words that the space has not, so only the status of that is fixed.
    """
    answer = case.call(app=caller.app, base_url="http://localhost:8765")
    too_large = [negative_data_rejection] if answer.status_code == 413 else []  # which is a refusal as well
    case.validate_response(answer, excluded_checks=[positive_data_acceptance, *too_large])
    asked_well = case.meta.generation.mode == GenerationMode.POSITIVE
    tried[f"{case.method} {case.operation.path}", asked_well] += 1
    if asked_well:
        assert answer.status_code == 200 or answer.json()["error"]["kind"] in {"unknown_word", "invalid"}
        assert answer.status_code in {200, 422}


def test_both_good_and_bad_requests_were_tried() -> None:
    if not tried:
        pytest.skip("another process has tried them")
    for row in ENDPOINTS:
        for method in row.methods if row.request is not None else ():
            assert tried[f"{method} {row.path}", True] >= 5, (method, row.path)
            assert tried[f"{method} {row.path}", False] >= 5, (method, row.path)
