"""Runs the suite `executorch-operators`: ExecuTorch's own operator tests, with this harness.

`executorch.backends.test.suite.operators` describes each test as a function that passes models and
inputs to a runner. Here, a substitute for the runner stores models and inputs, and each model
becomes a subtest that this harness runs. So the tests have the same names and parameters as in
reports of ExecuTorch's suite.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from types import ModuleType, SimpleNamespace
from typing import Any

import torch

from accelerator_validation.case import BrokenTestError, Case, Result, SkippedError
from accelerator_validation.executorch.backend import PORTABLE
from accelerator_validation.executorch.registry import find_flows
from accelerator_validation.matrix import Matrix, plain_recipes
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.executorch.lowering import Sample
from accelerator_validation.suites.executorch.model_test import run_model_test

PACKAGE = "executorch.backends.test.suite.operators"

# Tests that run with every default recipe of the matrix: operators that quantizers support, and
# those that often stand between them.
_FOR_EACH_RECIPE = frozenset(
    f"test_{name}"
    for name in (
        "add_dtype",
        "avgpool2d_dtype",
        "cat_dtype",
        "conv1d_dtype",
        "conv2d_dtype",
        "convtranspose2d_dtype",
        "hardtanh_dtype",
        "linear_feature_sizes",
        "linear_unbatched",
        "maxpool2d_dtype",
        "mean_dtype",
        "multiply_dtype",
        "relu_dtype",
        "sigmoid_dtype",
    )
)


@dataclass(frozen=True)
class UpstreamTest:
    """A test function of ExecuTorch. `choices` has the possible values of each parameter."""

    function: Callable[..., object]
    choices: Mapping[str, tuple[Any, ...]]
    left_out: str | None = None
    """The reason why ExecuTorch skips the test, or None if it does not."""

    def variants(self) -> Iterator[dict[str, Any]]:
        """Yield each combination of parameter values, as keyword arguments for `function`."""
        for values in product(*self.choices.values()):
            yield dict(zip(self.choices, values, strict=True))


class RecordingRunner:
    """A substitute for ExecuTorch's test runner that stores models and inputs in `samples`.

    `quantize` tells a test function whether the recipe quantizes.
    """

    def __init__(self, *, quantize: bool) -> None:
        self.samples: list[Sample] = []
        self._flow = SimpleNamespace(quantize=quantize)  # all that a test reads of a flow

    def lower_and_run_model(
        self,
        model: Any,
        inputs: Any,
        generate_random_test_inputs: bool = True,  # noqa: FBT001, FBT002 - as ExecuTorch calls it
        dynamic_shapes: Any = None,
    ) -> None:
        """Store a model and its inputs in `samples`, without running it."""
        del generate_random_test_inputs
        self.samples.append(Sample(model, tuple(inputs), dynamic_shapes))


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield every subtest of ExecuTorch's operator tests, with each recipe.

    By default, only the first subtest of each test in `matrix.tests` runs, with the recipe
    `portable` and the plain recipes (`plain_recipes`). If the test is in `_FOR_EACH_RECIPE`, its
    first subtest runs with every default recipe of the matrix.
    """
    recipes = frozenset(matrix.axes["recipe"])
    basic_recipes = recipes & (plain_recipes(matrix) | {PORTABLE.name})
    for name, upstream_test in sorted(_upstream_tests().items()):
        for arguments in upstream_test.variants():
            for subtest in range(_subtest_count(upstream_test, arguments)):
                parameters = {key: _parameter_text(value) for key, value in arguments.items()}
                parameters |= {"subtest": str(subtest)} if subtest else {}
                # The parts of a test differ only in sizes, so only the first runs by default.
                usual = name in matrix.tests and not subtest
                yield Offer(name, {"recipe": basic_recipes}, parameters, usual)
                is_default = usual and name in _FOR_EACH_RECIPE
                yield Offer(name, {"recipe": recipes - basic_recipes}, parameters, is_default)


def run(case: Case, context: Context) -> Result:
    """Run one subtest of an operator test of ExecuTorch.

    The parameter `subtest` of the case is the number of the subtest, by default 0.
    """
    upstream_test = _upstream_tests()[case.name]
    if upstream_test.left_out:
        raise SkippedError(f"ExecuTorch excludes this test: {upstream_test.left_out}")
    subtest = int(dict(case.parameters).get("subtest", 0))
    quantize = find_flows(context.backend)[case["recipe"]].recipe.quantizer is not None

    def make_sample() -> Sample:
        for arguments in upstream_test.variants():
            if all(case[key] == _parameter_text(value) for key, value in arguments.items()):
                return _recorded_samples(upstream_test, arguments, quantize=quantize)[subtest]
        raise BrokenTestError("This version of ExecuTorch has no test with these parameters.")

    return run_model_test(case, context, make_sample)


def _recorded_samples(
    upstream_test: UpstreamTest, arguments: Mapping[str, Any], *, quantize: bool
) -> list[Sample]:
    runner = RecordingRunner(quantize=quantize)
    upstream_test.function(runner, **arguments)
    return runner.samples


def _subtest_count(upstream_test: UpstreamTest, arguments: Mapping[str, Any]) -> int:
    """Return the number of subtests of a test, which is the number of models in the test.

    `arguments` are the arguments of the test's function. If the function raises an exception, the
    result is 1. Running the test then reports the exception.
    """
    try:
        return max(1, len(_recorded_samples(upstream_test, arguments, quantize=False)))
    except Exception:  # noqa: BLE001 - a test may raise anything
        return 1


@cache
def _upstream_tests() -> dict[str, UpstreamTest]:
    tests_by_name: dict[str, UpstreamTest] = {}
    package = importlib.import_module(PACKAGE)
    for entry in pkgutil.iter_modules(package.__path__):
        if entry.name.startswith("test_"):
            tests_by_name |= _module_tests(importlib.import_module(f"{PACKAGE}.{entry.name}"))
    return tests_by_name


def _module_tests(module: ModuleType) -> dict[str, UpstreamTest]:
    return {
        name: UpstreamTest(function, _parameter_choices(function), _skip_reason(function))
        for name, function in vars(module).items()
        if name.startswith("test_") and callable(function)
    }


def _skip_reason(function: Any) -> str | None:
    """Return why ExecuTorch skips a test, or None if it does not.

    If a decorator wraps the test function, unittest's skip mark may be on the wrapped function,
    which is found in the closure of `function`.
    """
    closure_values = [c.cell_contents for c in getattr(function, "__closure__", None) or ()]
    for candidate in (function, *closure_values):
        if getattr(candidate, "__unittest_skip__", False):
            return str(candidate.__unittest_skip_why__) or "without a reason"
    return None


def _parameter_choices(function: Any) -> dict[str, tuple[Any, ...]]:
    """Return the possible values of each parameter of a test, from its `parametrize` marks."""
    marks = [mark for mark in getattr(function, "pytestmark", ()) if mark.name == "parametrize"]
    return {mark.args[0]: tuple(mark.args[1]) for mark in marks}


def _parameter_text(value: Any) -> str:
    return str(value).removeprefix("torch.") if isinstance(value, torch.dtype) else str(value)
