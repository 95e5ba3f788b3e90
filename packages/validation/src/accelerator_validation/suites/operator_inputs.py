"""Runs the suite `operator-inputs`: operators on unusual inputs, such as empty or extreme ones.

Each kind of input is a form; `FORMS` lists the forms. The reference of every device is the CPU in
float64. Its results are rounded to the tested data type before the comparison, so that overflow
happens on both sides. The CPU in the tested data type is not the reference, because other devices
need not repeat its results at the edges of a type.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import torch
from torch.nn import functional

from accelerator_reports.report import Tolerance
from accelerator_validation.case import Case, Result
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.aten import observe_operators
from accelerator_validation.suites.model_comparison import full_float32
from accelerator_validation.suites.result_comparison import Comparison, check_device

View = Callable[[torch.Tensor], torch.Tensor]
Shape = tuple[int, ...]

FORMS = ("drawn", "empty", "zero-dim", "strided", "broadcast", "extreme", "denormal")

_LENGTHS = (1, 2, 3, 5, 8, 17, 33)
_MOST_NUMBERS = 4096
_MOST_AXES = 4


@dataclass(frozen=True)
class Input:
    """An input of an operator: the view that `view` returns for the CPU tensor `base`.

    For example, `view` transposes or slices the tensor.
    """

    base: torch.Tensor
    view: View

    def on(self, device: str, dtype: torch.dtype) -> torch.Tensor:
        """Return the input on a device, in a data type."""
        return self.view(self.base.to(device, dtype))


class InputGenerator:
    """Generates shapes, views and values of one of the `FORMS`, from a seed.

    If `ends` is true, the values of the form `extreme` include the largest and smallest numbers of
    the data type.
    """

    def __init__(self, form: str, dtype: torch.dtype, seed: int, *, ends: bool) -> None:
        self.form, self.dtype, self._ends = form, dtype, ends
        self.pick = random.Random(seed)  # noqa: S311 - tests, no secrets
        self._numbers = torch.Generator().manual_seed(seed)

    def shape(self, *, least: int = 0) -> Shape:
        """Return a random shape with at least `least` axes, or () for the form `zero-dim`.

        For the form `empty`, one axis has the length 0.
        """
        if self.form == "zero-dim":
            return ()
        axes = self.pick.randint(max(least, 1), _MOST_AXES)
        shape = [self.pick.choice(_LENGTHS) for _ in range(axes)]
        while prod(shape) > _MOST_NUMBERS:
            shape[shape.index(max(shape))] = 1
        if self.form == "empty":
            shape[self.pick.randrange(axes)] = 0
        return tuple(shape)

    def input(self, shape: Shape) -> Input:
        """Return an input of this shape with random values. It is a view for the form `strided`."""
        if self.form != "strided" or not shape:
            return Input(self.values(shape), _unchanged_view)
        make_view = self.pick.choice(
            (self._transposed_input, self._sliced_input, self._expanded_input)
        )
        return make_view(shape)

    def values(self, shape: Shape) -> torch.Tensor:
        """Return random values in the data type, with special values if the form requires them."""
        numbers = torch.randn(shape, generator=self._numbers) * 2
        if self.form == "denormal":
            return (numbers.clamp(-3, 3) / 4 * torch.finfo(self.dtype).smallest_normal).to(
                self.dtype
            )
        if self.form == "extreme" and numbers.numel():
            flat_numbers = numbers.view(-1)
            for index in range(0, flat_numbers.numel(), 3):
                flat_numbers[index] = self.pick.choice(self._extreme_values())
        return numbers.to(self.dtype)

    def _extreme_values(self) -> list[float]:
        """Return the special values of the form `extreme`: infinities, NaN and zeros.

        If `ends` is true, the largest and smallest numbers of the data type are included.
        """
        special_values = [float("inf"), float("-inf"), float("nan"), 0.0, -0.0]
        finfo = torch.finfo(self.dtype)
        ends = [finfo.max, finfo.min, finfo.smallest_normal]
        return [*special_values, *ends] if self._ends else special_values

    def _transposed_input(self, shape: Shape) -> Input:
        return Input(self.values(shape[::-1]), lambda t: t.permute(*reversed(range(t.dim()))))

    def _sliced_input(self, shape: Shape) -> Input:
        length = shape[-1]
        wider_shape = (*shape[:-1], 2 * length + 1)
        return Input(self.values(wider_shape), lambda t: t[..., 1 : 1 + 2 * length : 2])

    def _expanded_input(self, shape: Shape) -> Input:
        axis = self.pick.randrange(len(shape))
        narrow_shape = (*shape[:axis], 1, *shape[axis + 1 :])
        return Input(self.values(narrow_shape), lambda t: t.expand(shape))


def broadcastable_shape(draw: InputGenerator, shape: Shape) -> Shape:
    """Return a random shape that can be broadcast to `shape`.

    It has fewer axes, or some of its axes have the length 1.
    """
    lengths = shape[draw.pick.randint(0, len(shape)) :]
    return tuple(1 if draw.pick.random() < 0.4 else length for length in lengths)  # noqa: PLR2004 - some


def _unchanged_view(tensor: torch.Tensor) -> torch.Tensor:
    return tensor


Inputs = Sequence[Input]


@dataclass(frozen=True)
class SampledOperator:
    """An operator, `call`, with a function that generates its inputs and options.

    `forms` are the forms of inputs that the operator supports.

    If `ends` is true, extreme values include the largest and smallest numbers of a type. `ends` is
    false for operators with unpredictable results for such numbers. For example, a sum depends on
    the order of the additions, and a remainder may be nothing but a rounding error.
    """

    call: Callable[..., Any]
    inputs: Callable[[InputGenerator], tuple[Inputs, Mapping[str, Any]]]
    forms: frozenset[str]
    ends: bool = False


def _one_input(draw: InputGenerator) -> tuple[Inputs, Mapping[str, Any]]:
    return [draw.input(draw.shape())], {}


def _two_inputs(draw: InputGenerator) -> tuple[Inputs, Mapping[str, Any]]:
    shape = draw.shape()
    other_shape = broadcastable_shape(draw, shape) if draw.form == "broadcast" else shape
    inputs = [draw.input(shape), draw.input(other_shape)]
    return inputs if draw.pick.random() < 0.5 else inputs[::-1], {}  # noqa: PLR2004 - either first


def _input_with_axis(draw: InputGenerator) -> tuple[Inputs, Mapping[str, Any]]:
    shape = draw.shape()
    axes = [n for n, length in enumerate(shape) if length]
    if not axes and shape:  # all axes are empty, and have no extreme
        shape = (*shape, 3)
        axes = [len(shape) - 1]
    return [draw.input(shape)], {"dim": draw.pick.choice(axes) if shape else 0}


def _matrix_inputs(draw: InputGenerator) -> tuple[Inputs, Mapping[str, Any]]:
    *_, rows, inner = draw.shape(least=2)
    columns = draw.pick.choice((0, 1, 4) if draw.form == "empty" else (1, 4, 9))
    batch = (draw.pick.choice((2, 3)),) if draw.form == "broadcast" else ()
    return [draw.input((*batch, rows, inner)), draw.input((inner, columns))], {}


def _linear_inputs(draw: InputGenerator) -> tuple[Inputs, Mapping[str, Any]]:
    shape = draw.shape(least=2)
    weight_shape = (draw.pick.choice((1, 4, 9)), shape[-1])
    return [draw.input(shape), draw.input(weight_shape), draw.input(weight_shape[:1])], {}


_ALL_FORMS = frozenset(FORMS)
_FORMS_OF_ONE_INPUT = _ALL_FORMS - {"broadcast"}
_FORMS_OF_PRODUCTS = _ALL_FORMS - {"zero-dim"}

_UNARY = (
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "erf"),
    *("erfc", "exp", "exp2", "expm1", "floor", "isfinite", "isinf", "isnan", "log", "log10"),
    *("log1p", "log2", "neg", "reciprocal", "relu", "round", "rsqrt", "sigmoid", "sign", "sin"),
    *("sinh", "sqrt", "square", "tan", "tanh", "trunc"),
)
_ACTIVATIONS = ("elu", "gelu", "hardswish", "leaky_relu", "mish", "silu", "softplus")
_BINARY = (
    *("add", "atan2", "copysign", "div", "eq", "fmax", "fmin", "fmod", "ge", "gt", "le", "lt"),
    *("maximum", "minimum", "mul", "ne", "pow", "remainder", "sub"),
)
_REDUCING = (
    *("all", "amax", "amin", "any", "cumprod", "cumsum", "log_softmax", "logsumexp", "mean"),
    *("nansum", "prod", "softmax", "std", "sum", "var"),
)

_UNPREDICTABLE_OPERATORS = frozenset({"fmod", "hardswish", "remainder"})

OPERATORS: Mapping[str, SampledOperator] = {
    **{
        name: SampledOperator(getattr(torch, name), _one_input, _FORMS_OF_ONE_INPUT, ends=True)
        for name in _UNARY
    },
    **{
        f"nn.functional.{name}": SampledOperator(
            getattr(functional, name),
            _one_input,
            _FORMS_OF_ONE_INPUT,
            ends=name not in _UNPREDICTABLE_OPERATORS,
        )
        for name in _ACTIVATIONS
    },
    **{
        name: SampledOperator(
            getattr(torch, name), _two_inputs, _ALL_FORMS, ends=name not in _UNPREDICTABLE_OPERATORS
        )
        for name in _BINARY
    },
    **{
        name: SampledOperator(getattr(torch, name), _input_with_axis, _FORMS_OF_ONE_INPUT)
        for name in _REDUCING
    },
    "matmul": SampledOperator(torch.matmul, _matrix_inputs, _FORMS_OF_PRODUCTS),
    "nn.functional.linear": SampledOperator(
        functional.linear, _linear_inputs, _FORMS_OF_PRODUCTS - {"broadcast"}
    ),
}


def offers(matrix: Matrix) -> Iterator[Offer]:  # noqa: ARG001 - every suite is asked so
    """Yield the tests of each operator: one for each form of inputs that the operator supports."""
    return (Offer(name, {"inputs": operator.forms}) for name, operator in OPERATORS.items())


@dataclass(frozen=True)
class _OperatorCall:
    """A call of an operator with generated inputs and options."""

    operator: SampledOperator
    inputs: Inputs
    options: Mapping[str, Any]

    def on(self, device: str, dtype: torch.dtype) -> Any:
        """Return the result of the call on a device in a data type."""
        return self.operator.call(*(i.on(device, dtype) for i in self.inputs), **self.options)

    def shapes(self, dtype: torch.dtype) -> str:
        """Return the shapes of the inputs as text: `(3, 1) and (3,)`."""
        return " and ".join(str(tuple(i.on("cpu", dtype).shape)) for i in self.inputs)


@full_float32()
def run(case: Case, context: Context) -> Result:
    """Run an operator on several inputs of one form. Raises MismatchError if a result is wrong."""
    operator, dtype = OPERATORS[case.name], getattr(torch, case["dtype"])
    draw = InputGenerator(case["inputs"], dtype, case.seed, ends=operator.ends)
    comparison = Comparison(_form_tolerance(context.matrix, case, dtype))
    sample_count = context.matrix.settings["samples"]
    calls = [_OperatorCall(operator, *operator.inputs(draw)) for _ in range(sample_count)]
    context.tolerance = comparison.tolerance
    context.inputs = "; ".join(call.shapes(dtype) for call in calls)
    for position, call in enumerate(calls, 1):
        input_text = f"input {position}, {call.shapes(dtype)}"
        context.stage = "eager"
        with context.on_reference():
            context.announce(input_text)
            exact_result = call.on("cpu", torch.float64)
            reference = (
                exact_result.to(dtype) if exact_result.dtype is torch.float64 else exact_result
            )
        context.stage = "run"
        context.announce(input_text)
        result = call.on(context.device, dtype)
        context.stage = "compare"
        what = f"the result of {input_text}"
        check_device(result, torch.device(context.device).type, what)
        comparison.check(result, reference, what)
    context.observation = partial(
        observe_operators, lambda: [call.on(context.device, dtype) for call in calls]
    )
    context.metrics |= {"samples": (sample_count, "1"), **comparison.metrics()}
    return Result("passed", "compare")


def _form_tolerance(matrix: Matrix, case: Case, dtype: torch.dtype) -> Tolerance:
    """Return the suite's tolerance for the test's data type.

    For the form `denormal`, `atol` is the smallest normal number instead, because the suite's own
    `atol` is larger than any denormal number.
    """
    tolerance = matrix.tolerances[case["dtype"]]
    if case["inputs"] != "denormal":
        return tolerance
    return Tolerance(rtol=tolerance.rtol, atol=torch.finfo(dtype).smallest_normal)
