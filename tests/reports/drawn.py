"""Tests of reports as hypothesis draws them: any value that the format allows."""

from __future__ import annotations

from hypothesis import strategies as st

from accelerator_reports.files.fields import VERDICT_MARK
from accelerator_reports.files.text_file import HIDDEN_CHARACTER
from accelerator_reports.outcomes import OUTCOMES
from tests.reports.examples import TEST

# Any character but half of a pair, which no text in UTF-8 has.
_CHARACTERS = st.characters(exclude_categories=["Cs"])
_VISIBLE = st.text(_CHARACTERS, min_size=1, max_size=200).map(
    lambda text: VERDICT_MARK.sub("?", HIDDEN_CHARACTER.sub("?", text))
)
_NAMES = _VISIBLE.filter(lambda name: name.strip(":")) | st.sampled_from(
    ["TestOpsCUDA::test_add_cuda_float32", "t[a-b]", "a.py::b"]
)
_TEXTS = st.text(_CHARACTERS, min_size=1, max_size=60) | st.just("x\n" * 200)
_FIGURES = st.floats(allow_nan=False, allow_infinity=False)
_SCALARS = st.one_of(_VISIBLE, st.booleans(), st.integers(-(2**60), 2**60), _FIGURES)

TESTS = st.lists(
    st.fixed_dictionaries(
        {"suite": st.just(TEST["suite"]), "name": _NAMES, "outcome": st.sampled_from([*OUTCOMES])},
        optional={
            "reason": _TEXTS,
            "log_tail": _TEXTS,
            "parameters": st.dictionaries(st.sampled_from(["dtype", "case", "x-y"]), _SCALARS),
            "duration_s": st.floats(0, allow_nan=False, allow_infinity=False),
            "metrics": st.fixed_dictionaries(
                {},
                optional={
                    "retries": st.fixed_dictionaries({"value": _FIGURES, "unit": st.just("1")})
                },
            ),
        },
    ),
    max_size=5,
    unique_by=lambda test: test["name"],
)
