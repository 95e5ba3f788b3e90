"""Arguments beside the tensors are changed one by one, also those that a sample leaves out."""

from __future__ import annotations

import torch
from torch.testing._internal.opinfo.core import SampleInput

from accelerator_validation.suites.operators import opinfo_by_name
from accelerator_validation.suites.other_arguments import other_arguments


def changes(name: str, sample: SampleInput) -> list[tuple[tuple[object, ...], dict[str, object]]]:
    found = other_arguments(opinfo_by_name()[name], sample)
    return [(changed.args, changed.kwargs) for *_, changed in found]


def test_a_default_is_changed() -> None:
    sample = SampleInput(torch.ones(2))
    assert ((), {"negative_slope": 0.005}) in changes("nn.functional.leaky_relu", sample)


def test_a_number_of_several_and_an_optional_argument_are_changed() -> None:
    sample = SampleInput(torch.ones(1, 1, 4, 4), args=([2, 2],))
    found = changes("nn.functional.avg_pool2d", sample)
    assert (([2, 3],), {}) in found
    assert (([2, 2],), {"count_include_pad": False}) in found
    assert (([2, 2],), {"divisor_override": 2}) in found


def test_words_of_the_documentation_are_tried() -> None:
    sample = SampleInput(torch.ones(2), args=(torch.ones(2),), kwargs={"reduction": "mean"})
    found = changes("nn.functional.mse_loss", sample)
    assert {"none", "sum"} <= {keywords.get("reduction") for _, keywords in found}


def test_what_leaves_the_numbers_alone_is_kept() -> None:
    sample = SampleInput(torch.ones(2))
    assert not any("inplace" in keywords for _, keywords in changes("nn.functional.relu6", sample))
