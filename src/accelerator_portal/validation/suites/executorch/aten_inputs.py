"""Every operator by itself, lowered with a backend, on inputs of three sources.

The samples of PyTorch's OpInfo come with every torch; so most operators are those of the suite
`operators`. What these leave out of the core set is drawn here. FACTO's inputs, ExecuTorch's own
generator, are used where it is installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

from accelerator_portal.validation.case import Case, Result
from accelerator_portal.validation.classify import BrokenTestError
from accelerator_portal.validation.context import Context
from accelerator_portal.validation.executorch.backend import PORTABLE
from accelerator_portal.validation.matrix import Matrix, plain_recipes
from accelerator_portal.validation.plan import Offer
from accelerator_portal.validation.suites.executorch.calls import call_sample, with_open_sizes
from accelerator_portal.validation.suites.executorch.drawn_calls import drawn_names, drawn_sample
from accelerator_portal.validation.suites.executorch.facto_inputs import facto_names, facto_sample
from accelerator_portal.validation.suites.executorch.lowering import Sample
from accelerator_portal.validation.suites.executorch.model_test import run_model_test

OPINFO, DRAWN, FACTO = "opinfo", "drawn", "facto"

_MOST_TRIED = 20

# What has weights: they are constants of a model.
_WEIGHTED = re.compile(
    r"nn\.functional\.(conv.*|linear|bilinear|.*_norm|prelu)|native_(batch|layer)_norm"
)

_DYNAMIC = {"dynamic": "true"}


@cache
def _by_name() -> dict[str, OpInfo]:
    return {info.full_name: info for info in op_db}


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield operators with the types that the CPU has; usual are those that the matrix names.

    Usual are float32 and what leaves numbers as they are; quantized recipes, narrow types and open
    sizes come on request.
    """
    plain = frozenset(matrix.axes["recipe"]) & (plain_recipes(matrix) | {PORTABLE.name})
    every = frozenset(matrix.axes["recipe"])
    types = {getattr(torch, name): name for name in matrix.axes["dtype"]}
    for name, info in sorted(_by_name().items()):
        dtypes = frozenset(types[d] for d in info.dtypes if d in types)
        usual = name in matrix.tests
        own = {"inputs": frozenset({OPINFO}), "dtype": dtypes}
        if dtypes:
            yield Offer(name, {**own, "recipe": plain}, usual=usual)
            yield Offer(name, {**own, "recipe": every - plain}, usual=False)
            yield Offer(name, {**own, "recipe": every}, _DYNAMIC, usual=False)
    for name in drawn_names():
        yield Offer(name, {"inputs": frozenset({DRAWN}), "recipe": plain})
        yield Offer(name, {"inputs": frozenset({DRAWN}), "recipe": every - plain}, usual=False)
    for name in facto_names():
        only = {"inputs": frozenset({FACTO})}
        yield Offer(name, only)
        yield Offer(name, only, _DYNAMIC, usual=False)


def run(case: Case, context: Context) -> Result:
    """Run one operator on its first inputs."""
    dtype: torch.dtype = getattr(torch, case["dtype"])
    dynamic = dict(case.parameters).get("dynamic") == "true"

    def make() -> Sample:
        if case["inputs"] == FACTO:
            sample = facto_sample(case.name, dtype, case.seed)
        elif case["inputs"] == DRAWN:
            sample = drawn_sample(case.name, dtype, case.seed)
        else:
            sample = _opinfo_sample(_by_name()[case.name], dtype)
        return with_open_sizes(sample) if dynamic else sample

    return run_model_test(case, context, make)


def _opinfo_sample(info: OpInfo, dtype: torch.dtype) -> Sample:
    """Make the first sample whose tensors hold numbers, if there is one whose input has axes.

    Raises BrokenTestError where none holds numbers.
    """
    samples = info.sample_inputs("cpu", dtype, requires_grad=False)
    made = (_call(info, sample, dtype) for sample in islice(samples, _MOST_TRIED))
    filled = [one for one in made if one.inputs and all(value.numel() for value in one.inputs)]
    if not filled:
        raise BrokenTestError("The operator has no sample inputs of this data type with numbers.")
    return next((one for one in filled if one.inputs[0].dim()), filled[0])


def _call(info: OpInfo, sample: SampleInput, dtype: torch.dtype) -> Sample:
    return call_sample(
        info.op,
        (sample.input, *sample.args),
        dict(sample.kwargs),
        narrow=dtype is not torch.float32,
        inputs=1 if _WEIGHTED.fullmatch(info.full_name) else None,
    )
