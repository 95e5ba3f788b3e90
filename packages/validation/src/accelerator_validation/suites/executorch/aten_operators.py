"""Runs the suite `executorch-aten`: single operators on a backend, on inputs from three sources.

Most operators use the samples of PyTorch's OpInfo, as the suite `operators` does. For operators of
ExecuTorch's core set without suitable samples, this module draws random inputs. On request, inputs
of FACTO, ExecuTorch's own input generator, are used if it is installed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import torch
from torch import nn
from torch.nn import functional
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils._pytree import TreeSpec, tree_flatten, tree_unflatten

from accelerator_validation.case import BrokenTestError, Case, Result
from accelerator_validation.executorch.backend import PORTABLE
from accelerator_validation.matrix import Matrix, plain_recipes
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.executorch.lowering import Sample
from accelerator_validation.suites.executorch.model_test import run_model_test
from accelerator_validation.suites.operators import opinfo_by_name

OPINFO, DRAWN, FACTO = "opinfo", "drawn", "facto"

_MAX_SAMPLES = 20

# Operators with weights, which are constants of a model.
_WEIGHTED_OPERATOR = re.compile(
    r"nn\.functional\.(conv.*|linear|bilinear|.*_norm|prelu)|native_(batch|layer)_norm"
)

# FACTO yields small calls first. The first of this many calls that fits the data type is used.
_MOST_FACTO_CALLS = 200

_LARGEST_SIZE = 64
_DYNAMIC_PARAMETERS = {"dynamic": "true"}


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield the tests of each operator, for each input source and recipe.

    By default, these tests run with the recipe `portable` and the plain recipes (`plain_recipes`):
    the operators in `matrix.tests` on OpInfo samples, and all operators that have drawn inputs.
    Tests on FACTO's inputs need `--only inputs=facto`. All other tests run on request. Tests on
    OpInfo samples have the data types that the CPU supports.
    """
    plain_names = frozenset(matrix.axes["recipe"]) & (plain_recipes(matrix) | {PORTABLE.name})
    recipes = frozenset(matrix.axes["recipe"])
    name_by_dtype = {getattr(torch, name): name for name in matrix.axes["dtype"]}
    for name, info in sorted(opinfo_by_name().items()):
        dtypes = frozenset(name_by_dtype[d] for d in info.dtypes if d in name_by_dtype)
        usual = name in matrix.tests
        axis_values = {"inputs": frozenset({OPINFO}), "dtype": dtypes}
        if dtypes:
            yield Offer(name, {**axis_values, "recipe": plain_names}, usual=usual)
            yield Offer(name, {**axis_values, "recipe": recipes - plain_names}, usual=False)
            yield Offer(name, {**axis_values, "recipe": recipes}, _DYNAMIC_PARAMETERS, usual=False)
    for name in drawn_names():
        yield Offer(name, {"inputs": frozenset({DRAWN}), "recipe": plain_names})
        yield Offer(
            name, {"inputs": frozenset({DRAWN}), "recipe": recipes - plain_names}, usual=False
        )
    for name in facto_names():
        only = {"inputs": frozenset({FACTO})}
        yield Offer(name, only)
        yield Offer(name, only, _DYNAMIC_PARAMETERS, usual=False)


def run(case: Case, context: Context) -> Result:
    """Run one operator on inputs from the source that the test names."""
    dtype: torch.dtype = getattr(torch, case["dtype"])
    dynamic = dict(case.parameters).get("dynamic") == "true"

    def make_sample() -> Sample:
        if case["inputs"] == FACTO:
            sample = facto_sample(case.name, dtype, case.seed)
        elif case["inputs"] == DRAWN:
            sample = drawn_sample(case.name, dtype, case.seed)
        else:
            sample = _opinfo_sample(opinfo_by_name()[case.name], dtype)
        return with_dynamic_sizes(sample) if dynamic else sample

    return run_model_test(case, context, make_sample)


def _opinfo_sample(info: OpInfo, dtype: torch.dtype) -> Sample:
    """Return the first sample without empty tensors, preferably one whose first input has axes.

    Only the operator's first 20 samples are considered. Raises BrokenTestError if each of them has
    empty tensors or no tensors.
    """
    samples = info.sample_inputs("cpu", dtype, requires_grad=False)
    call_samples = (
        _operator_sample(info, sample, dtype) for sample in islice(samples, _MAX_SAMPLES)
    )
    nonempty_samples = [
        call_sample
        for call_sample in call_samples
        if call_sample.inputs and all(value.numel() for value in call_sample.inputs)
    ]
    if not nonempty_samples:
        raise BrokenTestError("The operator has no sample inputs of this data type with numbers.")
    return next(
        (call_sample for call_sample in nonempty_samples if call_sample.inputs[0].dim()),
        nonempty_samples[0],
    )


def _operator_sample(info: OpInfo, sample: SampleInput, dtype: torch.dtype) -> Sample:
    return operator_call_sample(
        info.op,
        (sample.input, *sample.args),
        dict(sample.kwargs),
        narrow=dtype is not torch.float32,
        inputs=1 if _WEIGHTED_OPERATOR.fullmatch(info.full_name) else None,
    )


RandomCall = tuple[Callable[..., Any], tuple[Any, ...]]
"""An operator and its arguments. Floating-point tensors get the data type of the test later."""


def _random_integers(*shape: int) -> torch.Tensor:
    return torch.randint(-100, 100, shape, dtype=torch.int32)


def _batch_norm_call() -> RandomCall:
    mean, variance = torch.randn(3), torch.rand(3) + 0.5
    return functional.batch_norm, (torch.randn(2, 3, 4, 4), mean, variance)


def _embedding_bag_call() -> RandomCall:
    indices = torch.tensor([[0, 2, 4], [1, 3, 1]])
    return functional.embedding_bag, (indices, torch.randn(5, 4))


_RANDOM_CALLS: Mapping[str, Callable[[], RandomCall]] = {
    "batch_norm-evaluation": _batch_norm_call,
    "bitwise_not-int32": lambda: (torch.bitwise_not, (_random_integers(3, 5),)),
    "bitwise_xor-int32": lambda: (
        torch.bitwise_xor,
        (_random_integers(3, 5), _random_integers(3, 5)),
    ),
    "embedding_bag-two-bags": _embedding_bag_call,
    "fold-2x2": lambda: (functional.fold, (torch.randn(1, 12, 4), (4, 4), (2, 2), 1, 0, 2)),
    "reflection_pad2d": lambda: (
        functional.pad,
        (torch.randn(1, 2, 4, 5), (1, 2, 1, 1), "reflect"),
    ),
    "reflection_pad3d": lambda: (
        functional.pad,
        (torch.randn(1, 2, 3, 4, 5), (1, 1, 1, 1, 1, 1), "reflect"),
    ),
    "replication_pad3d": lambda: (
        functional.pad,
        (torch.randn(1, 2, 3, 4, 5), (1, 1, 1, 1, 1, 1), "replicate"),
    ),
    "upsample_nearest2d-size": lambda: (
        torch.ops.aten.upsample_nearest2d.default,
        (torch.randn(1, 2, 4, 4), [8, 8]),
    ),
}


def drawn_names() -> list[str]:
    """Return the names of the tests whose inputs this module draws, such as `reflection_pad2d`."""
    return sorted(_RANDOM_CALLS)


def drawn_sample(name: str, dtype: torch.dtype, seed: int) -> Sample:
    """Return the sample of a test in `drawn_names`, with random numbers from the seed."""
    torch.manual_seed(seed)
    operator, args = _RANDOM_CALLS[name]()
    typed_args = tuple(
        arg.to(dtype) if isinstance(arg, torch.Tensor) and arg.is_floating_point() else arg
        for arg in args
    )
    return operator_call_sample(operator, typed_args, {}, narrow=dtype is not torch.float32)


# Draws inputs with FACTO, ExecuTorch's generator of operator inputs, if it is installed.
#
# FACTO is not on PyPI (the package `facto` there is another program): install it from its
# repository, github.com/meta-pytorch/FACTO. It describes overloads of ATen operators.


def facto_names() -> list[str]:
    """Return the names of the overloads that FACTO describes, such as `add.Tensor`.

    The result is empty if FACTO is not installed.
    """
    try:
        from facto.specdb.db import SpecDictDB
    except ModuleNotFoundError:  # also with the unrelated package `facto` on PyPI
        return []
    return sorted(name for name in SpecDictDB if _overload(name) is not None)


def facto_sample(name: str, dtype: torch.dtype, seed: int) -> Sample:
    """Return a sample with the inputs of the first suitable call that FACTO generates.

    `name` is the name of an overload. A call is suitable if it has tensors, none of them is empty,
    and its floating-point tensors have the type `dtype`. Raises BrokenTestError if none of the
    first 200 calls is suitable.
    """
    random.seed(seed)
    torch.manual_seed(seed)
    operator = _overload(name)
    for args, kwargs in islice(_facto_calls(name), _MOST_FACTO_CALLS):
        sample = operator_call_sample(operator, args, kwargs, narrow=dtype is not torch.float32)
        float_dtypes = [v.dtype for v in sample.inputs if v.is_floating_point()]
        if sample.inputs and all(v.numel() for v in sample.inputs) and {*float_dtypes} <= {dtype}:
            return sample
    raise BrokenTestError(f"FACTO draws no inputs of {dtype} that are not empty.")


def _facto_calls(name: str) -> Iterator[tuple[list[Any], dict[str, Any]]]:
    from facto.inputgen.argtuple.gen import ArgumentTupleGenerator
    from facto.specdb.db import SpecDictDB

    for args, kwargs, _ in ArgumentTupleGenerator(SpecDictDB[name]).gen():
        yield args, dict(kwargs)


def _overload(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)


# Turns an operator into a model: the tensors of the call are inputs, other arguments are fixed.
#
# If an operator has weights, only the first tensor is an input: backends expect weights to be
# constants, as they are in models.


class OperatorCall(nn.Module):
    """A model that calls one operator with its inputs, and with arguments stored in the model."""

    def __init__(
        self,
        operator: Callable[..., Any],
        leaves: Sequence[Any],
        tree: TreeSpec,
        inputs: int | None = None,
    ) -> None:
        super().__init__()
        self._operator, self._tree = operator, tree
        self._leaves = [None if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]
        tensor_indices = [n for n, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
        self._input_indexes = tensor_indices[:inputs]
        self._constant_indexes = tensor_indices[inputs:] if inputs is not None else []
        for index in self._constant_indexes:
            self.register_buffer(f"held_{index}", leaves[index].detach())

    def forward(self, *tensors: torch.Tensor) -> Any:
        """Return the result of the operator for these inputs."""
        leaves = list(self._leaves)
        for index, tensor in zip(self._input_indexes, tensors, strict=True):
            leaves[index] = tensor
        for index in self._constant_indexes:
            leaves[index] = getattr(self, f"held_{index}")
        args, kwargs = tree_unflatten(leaves, self._tree)
        result = self._operator(*args, **kwargs)
        # A program cannot be saved with the named tuples that some operators return.
        return tuple(result) if isinstance(result, tuple) else result


def operator_call_sample(
    operator: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    *,
    narrow: bool,
    inputs: int | None = None,
) -> Sample:
    """Return a model that calls `operator(*args, **kwargs)`, with the inputs of the model.

    The first `inputs` tensors among the arguments become inputs of the model, and the others become
    constants. If `inputs` is None, all tensors become inputs. `narrow` is true if the operator
    computes in a narrow type, see `Sample`.
    """
    leaves, tree = tree_flatten((tuple(args), kwargs))
    tensors = tuple(leaf.detach() for leaf in leaves if isinstance(leaf, torch.Tensor))
    return Sample(OperatorCall(operator, leaves, tree, inputs), tensors[:inputs], narrow=narrow)


def with_dynamic_sizes(sample: Sample) -> Sample:
    """Return a copy of the sample in which the first axis of inputs has a dynamic length.

    `n` is the length of the first axis of the first input that has axes. Each input whose first
    axis has this length gets a dynamic first axis. The sample is returned unchanged if no input has
    axes, or if `n` is less than 2.

    In `others` of the copy, the dynamic axes have the length `n + 1`. `others` is None if the
    operator rejects such inputs, or if `n` is 64 or more.
    """
    sizes = [value.shape[0] for value in sample.inputs if value.dim()]
    if not sizes or sizes[0] < 2:  # noqa: PLR2004 - torch.export takes sizes of 0 and 1 as fixed
        return sample
    dynamic_flags = [bool(value.dim()) and value.shape[0] == sizes[0] for value in sample.inputs]
    size = torch.export.Dim.AUTO(max=_LARGEST_SIZE)  # memory is planned for the largest
    shapes = tuple({0: size} if is_dynamic else None for is_dynamic in dynamic_flags)
    longer_inputs = tuple(
        torch.cat([value, value[:1]]) if is_dynamic else value
        for value, is_dynamic in zip(sample.inputs, dynamic_flags, strict=True)
    )
    others = (
        longer_inputs
        if sizes[0] < _LARGEST_SIZE and _accepts_inputs(sample, longer_inputs)
        else None
    )
    return Sample(sample.model, sample.inputs, (shapes,), others, narrow=sample.narrow)


def _accepts_inputs(sample: Sample, inputs: tuple[torch.Tensor, ...]) -> bool:
    try:
        sample.model(*(value.clone() for value in inputs))
    except Exception:  # noqa: BLE001 - an operator may refuse sizes with any error
        return False
    return True
