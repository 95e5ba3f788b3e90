"""Where tensors of samples belong: as on a device on which PyTorch makes the samples itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

from accelerator_validation.suites.sample_placement import (
    copy_tensor,
    expected_device,
    is_marked,
    on_cpu,
    on_device,
    placed_samples,
    sample_text,
)

# No device of this name has to be there: nothing is computed on it.
ABSENT = "xpu"


def info(name: str) -> OpInfo:
    return next(found for found in op_db if found.full_name == name)


def placed(name: str, number: int = 8) -> list[SampleInput]:
    torch.manual_seed(0)
    return placed_samples(
        info(name).sample_inputs, ABSENT, torch.float32, number, requires_grad=False
    )


def test_indices_that_pytorch_keeps_on_the_cpu_are_not_marked() -> None:
    first = placed("tensor_split")[0]
    assert is_marked(first.input)
    assert not is_marked(first.args[0])
    assert all(
        is_marked(value) for sample in placed("add") for value in (sample.input, *sample.args)
    )


def test_numbers_are_those_that_are_made_for_the_cpu() -> None:
    torch.manual_seed(0)
    made = list(info("addmm").sample_inputs("cpu", torch.float32, requires_grad=False))[:8]
    for one, other in zip(placed("addmm"), made, strict=True):
        assert torch.equal(one.input, other.input)


def test_results_belong_where_the_sample_says() -> None:
    assert {expected_device(sample, ABSENT) for sample in placed("exp")} == {ABSENT}
    by_device = {
        sample.kwargs.get("device"): expected_device(sample, ABSENT)
        for sample in placed("rand_like")
    }
    assert by_device == {None: ABSENT, ABSENT: ABSENT, "cpu": "cpu"}


def test_the_reference_names_no_device() -> None:
    named = [sample for sample in placed("zeros_like") if sample.kwargs.get("device") == ABSENT]
    assert named
    assert {on_cpu(sample, ABSENT).kwargs["device"] for sample in named} == {"cpu"}


def test_a_view_is_copied_as_a_view_with_what_lies_around_it() -> None:
    base = torch.arange(20.0)
    view = base[5:15:2]
    found = copy_tensor(view, "cpu", torch.float64)
    assert torch.equal(found, view.double())
    assert (found.stride(), found.storage_offset()) == (view.stride(), view.storage_offset())
    assert torch.equal(found.as_strided((20,), (1,), 0), base.double())
    assert found.data_ptr() != view.data_ptr()


def test_conjugated_views_keep_their_numbers() -> None:
    view = torch.tensor([1 + 2j, 3 - 4j, 5j]).conj()[::2]
    assert torch.equal(copy_tensor(view, "cpu", torch.complex128), view.to(torch.complex128))


def test_what_is_not_marked_stays_on_the_cpu() -> None:
    sample = on_device(placed("tensor_split")[0], "meta")
    assert sample.input.device.type == "meta"
    assert sample.args[0].device.type == "cpu"


def test_a_sample_is_told_in_a_line() -> None:
    sample = SampleInput(torch.ones(2, 3).t(), args=([torch.ones(1), 2],), kwargs={"dim": 0})
    assert sample_text(sample) == "float32[3, 2] with strides (1, 3), (float32[1], 2), dim=0"


PROGRAM = """
import json, sys, warnings
from itertools import islice
import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_leaves
from accelerator_validation.suites.sample_placement import is_marked, placed_samples

def places(samples, place):
    return [[place(value) for value in tree_leaves((s.input, s.args, s.kwargs))] for s in samples]

def real(value):
    return value.device.type if isinstance(value, torch.Tensor) else repr(value)

def told(value):
    marked = "paper" if is_marked(value) else "cpu"
    return marked if isinstance(value, torch.Tensor) else repr(value)

warnings.simplefilter("ignore")
different, same, kept = [], 0, []
for info in op_db:
    if torch.float32 not in info.dtypes or info.name.startswith("jiterator"):
        continue
    torch.manual_seed(1)
    try:
        made = list(islice(info.sample_inputs("paper", torch.float32, requires_grad=False), 8))
    except RuntimeError:
        continue
    torch.manual_seed(1)
    ours = placed_samples(info.sample_inputs, "paper", torch.float32, 8, requires_grad=False)
    if places(made, real) == places(ours, told):
        same += 1
        kept += [info.full_name] * any("cpu" in place for place in places(made, real))
    else:
        different.append(info.full_name)
json.dump([different, same, kept], sys.stdout)
"""


@pytest.mark.slow
def test_every_tensor_lies_where_a_device_that_makes_its_samples_has_it(site: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": site},
        capture_output=True,
        text=True,
        timeout=500,
        check=True,
    )
    different, same, kept = json.loads(done.stdout)
    # Their functions look for a tensor of torch itself, and the simulated device has a subclass.
    assert set(different) == {"masked.cumprod", "masked.cumsum"}
    assert same > 600
    assert {"index_put", "narrow", "tensor_split"} <= set(kept)
