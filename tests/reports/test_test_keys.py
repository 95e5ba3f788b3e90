from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from accelerator_reports.report import TestEntry
from accelerator_reports.test_ids import Identity, UnreadableKeyError, identity_of, parse_key

WORDS = st.text("abyz059", min_size=1, max_size=5)
SUITES = st.builds("{}{}{}".format, WORDS, st.sampled_from("-_."), WORDS) | WORDS
TEXTS = st.text(min_size=1, max_size=30) | st.text("/.?&%=#: aZ", min_size=1, max_size=12)
PARAMETERS = st.dictionaries(SUITES, TEXTS | st.just(""), max_size=4)
IDENTITIES = st.builds(
    Identity, SUITES, TEXTS, PARAMETERS.map(lambda found: tuple(sorted(found.items())))
)


def entry(name: str, **parameters: object) -> TestEntry:
    """A test that is made up."""
    fields = {"suite": "torchbench", "name": name, "parameters": parameters, "outcome": "passed"}
    return TestEntry.model_validate(fields)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("hf_Bert", "torchbench/hf_Bert"),
        ("Maker/Model-0.6B", "torchbench/Maker/Model-0.6B"),
        ("vit_base_patch14.lvd142m", "torchbench/vit_base_patch14.lvd142m"),
        ("what?", "torchbench/what%3F"),
        ("a&b=c%d#e f", "torchbench/a%26b%3Dc%25d%23e%20f"),
        ("test_x.py::T::test_add[f32-(2,3)]", "torchbench/test_x.py::T::test_add[f32-(2,3)]"),
        ("modèle", "torchbench/mod%C3%A8le"),
        ('<b>"x"\n', "torchbench/%3Cb%3E%22x%22%0A"),
    ],
)
def test_a_name_stands_readably_in_the_key(name: str, key: str) -> None:
    identity = identity_of(entry(name))
    assert identity.key == key
    assert parse_key(key) == identity


def test_parameters_stand_in_the_order_of_their_names() -> None:
    key = "torchbench/hf_Bert?compiler=inductor&dtype=float32&mode=inference"
    for parameters in (
        {"compiler": "inductor", "dtype": "float32", "mode": "inference"},
        {"mode": "inference", "dtype": "float32", "compiler": "inductor"},
    ):
        assert identity_of(entry("hf_Bert", **parameters)).key == key


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((8, 8.0, "8"), "8"),
        ((True, "true"), "true"),
        ((False, "false"), "false"),
        ((0.5, "0.5"), "0.5"),
        ((0, 0.0, -0.0), "0"),
        (("(2, 3)",), "(2,%203)"),
        (("a&b=c",), "a%26b%3Dc"),
        (("",), ""),
    ],
)
def test_a_value_is_the_same_whatever_file_it_came_from(
    values: tuple[object, ...], text: str
) -> None:
    assert {identity_of(entry("x", size=value)).key for value in values} == {
        f"torchbench/x?size={text}"
    }


def test_the_group_has_the_settings_of_a_run_and_no_parameters_of_one_test() -> None:
    test = entry("x", shapes="(2,3)", mode="training", dtype="float16", recipe="r", dynamic=True)
    assert identity_of(test).group == "torchbench?dtype=float16&dynamic=true&mode=training"
    assert identity_of(entry("x", shapes="(2,3)")).group == "torchbench"


@given(IDENTITIES)
@example(Identity("s", "/"))
@example(Identity("s", "a?b=c"))
@example(Identity("s", "a", (("p", "x&q=y"),)))
def test_a_key_is_read_back(identity: Identity) -> None:
    assert parse_key(identity.key) == identity
    assert re.fullmatch(r"[!-~]+", identity.key)


@given(IDENTITIES, IDENTITIES)
@example(Identity("s", "a", (("p", "x"),)), Identity("s", "a?p=x"))
@example(Identity("s", "a b"), Identity("s", "a%20b"))
def test_two_tests_have_two_keys(one: Identity, other: Identity) -> None:
    assert (one.key == other.key) == (one == other)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "torchbench",
        "torchbench/",
        "/hf_Bert",
        "torchbench/a b",
        "torchbench/a?",
        "torchbench/a?b",
        "torchbench/a?z=1&b=2",
        "torchbench/a%3f",
        "torchbench/a%",
        "torchbench/%FF",
        "torchbench/modèle",
    ],
)
def test_what_is_no_key_is_refused(key: str) -> None:
    with pytest.raises(UnreadableKeyError) as refused:
        parse_key(key)
    assert str(refused.value) == f'"{key}" is not a valid test key'


@given(st.text(max_size=60) | st.text("s/?&=%2F", max_size=12))
def test_any_text_is_exactly_a_key_or_refused(text: str) -> None:
    try:
        identity = parse_key(text)
    except UnreadableKeyError:
        return
    assert identity.key == text
