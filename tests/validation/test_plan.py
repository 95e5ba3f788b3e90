from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_reports.files.problem import ProblemsError
from accelerator_validation.case import Case, case_from_key
from accelerator_validation.matrix import parse_matrix, read_matrix, suite_names
from accelerator_validation.plan import Offer, apply_known_issues, expand
from tests.portal.results.made_up import known_failure

MATRIX = """\
kind: operator
module: tests.validation.fake_suite
description: Made up.
axes:
  dtype: [float32, float16, int64]
  mode: [forward, backward]
default:
  dtype: [float32, int64]
exclude:
  - {dtype: int64, mode: backward}
  - {name: rare, mode: backward}
"""


def ids(only: dict[str, list[str]], *offers: Offer) -> list[str]:
    matrix = parse_matrix("made-up.yaml", MATRIX)
    return [case.id for case in expand("made-up", matrix, offers, only)]


def test_a_plan_is_the_product_less_what_is_excluded() -> None:
    assert ids({}, Offer("add"), Offer("rare")) == [
        "made-up/add?dtype=float32&mode=forward",
        "made-up/add?dtype=float32&mode=backward",
        "made-up/add?dtype=int64&mode=forward",
        "made-up/rare?dtype=float32&mode=forward",
        "made-up/rare?dtype=int64&mode=forward",
    ]


def test_what_is_asked_for_narrows_and_widens() -> None:
    asked = {"dtype": ["float16"], "mode": ["forward"]}
    assert ids(asked, Offer("add")) == ["made-up/add?dtype=float16&mode=forward"]


def test_a_test_takes_only_what_it_can() -> None:
    only = {"dtype": frozenset({"int64"})}
    assert ids({}, Offer("gcd", only)) == ["made-up/gcd?dtype=int64&mode=forward"]


def test_a_test_may_have_parameters_of_its_own_and_be_run_on_request_alone() -> None:
    offer = Offer("cat", {"dtype": frozenset({"int64"})}, {"subtest": "2"}, usual=False)
    matrix = parse_matrix("made-up.yaml", MATRIX)
    assert not list(expand("made-up", matrix, [offer], {}))
    found = expand("made-up", matrix, [offer], {}, everything=True)
    assert [case.id for case in found] == ["made-up/cat?dtype=int64&mode=forward&subtest=2"]


def test_a_parameter_of_its_own_is_chosen_as_one_of_an_axis() -> None:
    matrix = parse_matrix("made-up.yaml", MATRIX.partition("axes:")[0])
    offers = [Offer("add", parameters={"dtype": dtype}) for dtype in ("int8", "float32")]
    found = expand("made-up", matrix, [*offers, Offer("item")], {"dtype": ["int8"]})
    assert [case.id for case in found] == ["made-up/add?dtype=int8", "made-up/item"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[float32, int64]", "[bfloat16]", "default: dtype cannot be bfloat16"),
        ("kind: operator", "kind: other", '"other" is not known'),
        ("exclude:", "excludes:", 'unknown key "excludes"; did you mean "exclude"?'),
    ],
)
def test_a_mistake_in_a_matrix_is_named(old: str, new: str, words: str) -> None:
    with pytest.raises(ProblemsError, match=r"made-up\.yaml:") as raised:
        parse_matrix("made-up.yaml", MATRIX.replace(old, new))
    assert words in str(raised.value)


def test_every_matrix_of_this_project_can_be_read() -> None:
    assert suite_names()
    for name in suite_names():
        assert read_matrix(name).description


@given(st.text(min_size=1), st.dictionaries(st.sampled_from(["dtype", "mode"]), st.text()))
def test_a_case_is_found_again_by_its_id(name: str, parameters: dict[str, str]) -> None:
    case = Case("made-up", name, tuple(sorted(parameters.items())))
    assert case_from_key(case.id) == case
    assert case_from_key(case.id).seed == case.seed


def test_a_seed_is_the_cases_own_and_stays() -> None:
    assert Case("operators", "add", (("dtype", "float32"),)).seed == 67697240
    assert Case("operators", "add", (("dtype", "float16"),)).seed != 67697240


def test_an_expired_known_issue_counts_no_more() -> None:
    issue = known_failure(test=None, glob="made-up/*", action="skip")
    case = Case("made-up", "add")
    assert apply_known_issues([case], [issue], dt.date(2026, 4, 30)).cases_to_run == ()
    assert apply_known_issues([case], [issue], dt.date(2026, 5, 1)).cases_to_run == (case,)
