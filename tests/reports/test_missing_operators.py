from __future__ import annotations

import pytest

from accelerator_reports.outcomes import Outcome
from accelerator_reports.report import TestEntry
from accelerator_reports.report_views import (
    MissingOperator,
    missing_operator,
    missing_operators,
    waiting_tests_text,
)

# As PyTorch 2.13 writes them for a backend that has neither.
CONVOLUTION = (
    "convolution_overrideable not implemented. You are likely triggering this with tensor backend "
    "other than CPU/CUDA/MKLDNN, if this is intended, please use TORCH_LIBRARY_IMPL to override"
)
BACKWARD = CONVOLUTION.replace(
    "convolution_overrideable not implemented.", "convolution_backward_overrideable:"
)
ATTENTION = (
    "_scaled_dot_product_fused_attention_overrideable not implemented. This is an operator for "
    "privateuse1 backends, please use TORCH_LIBRARY_IMPL to override this function"
)
ATTENTION_BACKWARD = (
    "_scaled_dot_product_fused_attention_overrideable_backward not implemented: This is an operator"
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Could not run 'aten::add.Tensor' with arguments", "aten::add.Tensor"),
        ("The operator 'aten::x' is not currently implemented for the MPS device", "aten::x"),
        ("\"addmm_impl_cpu_\" not implemented for 'Half'", "addmm_impl_cpu_"),
        (CONVOLUTION, "aten::convolution_overrideable"),
        (BACKWARD, "aten::convolution_backward_overrideable"),
        (ATTENTION, "aten::_scaled_dot_product_fused_attention_overrideable"),
        (ATTENTION_BACKWARD, "aten::_scaled_dot_product_fused_attention_overrideable_backward"),
        ("this model cannot do that", None),
        ("generate is not implemented: override it", None),
    ],
)
def test_the_missing_operator_is_named(text: str, name: str | None) -> None:
    assert missing_operator(text) == name


def entry(outcome: Outcome, reason: str | None) -> TestEntry:
    return TestEntry(suite="operators", name="x", outcome=outcome, reason=reason)


def test_tests_are_counted_by_the_operator_that_they_wait_for_most_first() -> None:
    tests = [
        entry("unsupported-operator", "Could not run 'aten::b' with arguments"),
        entry("unsupported-operator", f"aten::convolution_overrideable is missing. {CONVOLUTION}"),
        entry("unsupported-operator", "aten::convolution_overrideable is missing. NotImpl…"),
        entry("unsupported-operator", "Could not run 'aten::a' with arguments"),
        entry("unsupported-operator", "Required aspect fp64 is not supported on the device"),
        entry("unsupported-operator", None),
        entry("passed", None),
        entry("failed", "Could not run 'aten::a' with arguments"),
    ]
    assert missing_operators(tests) == (
        MissingOperator("aten::convolution_overrideable", 2),
        MissingOperator("aten::a", 1),
        MissingOperator("aten::b", 1),
    )
    assert missing_operators([]) == ()


def test_an_operator_is_told_with_its_tests() -> None:
    assert waiting_tests_text(MissingOperator("aten::a", 85)) == "85 tests wait for aten::a"
    assert waiting_tests_text(MissingOperator("aten::a", 1)) == "1 test waits for aten::a"
