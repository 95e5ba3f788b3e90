"""Runs the suite `torchbench`: the models of TorchBench, from a checkout that the command names.

A test runs the model's own step, `invoke`, and then checks whether its numbers are right. For the
check, the module and inputs that the model exposes are run on the device and on the reference,
because TorchBench's own accuracy check compares a device with itself.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import nn

from accelerator_validation.case import Case, Result, short_message
from accelerator_validation.classify import BrokenTestError, SkippedError, UncheckedError
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.model_comparison import Example, run_model

CHECKOUT = "checkout"
_MODELS = Path("torchbenchmark", "models")
_TEST_BY_MODE = {"inference": "eval", "training": "train"}


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield a test for each model in the checkout, named like its folder.

    Without a checkout, yield nothing.
    """
    if checkout := matrix.given.get(CHECKOUT):
        for file in sorted(Path(checkout, _MODELS).glob("*/__init__.py")):
            yield Offer(file.parent.name)


def run(case: Case, context: Context) -> Result:
    """Run a model's own step on the device, then compare the model's results with the reference."""
    test = _TEST_BY_MODE[case["mode"]]
    with _restored_settings():
        context.stage = "load"
        with context.on_reference():
            model_class = _model_class(case.name, context.matrix.given[CHECKOUT])
            cpu_model = _make_model(model_class, test, "cpu")
        on_cpu = torch.device(context.device).type == "cpu"
        device_model = cpu_model if on_cpu else _make_model(model_class, test, context.device)
        context.stage = "run"
        device_model.invoke()
        del device_model
    return _compare_results(case, context, cpu_model)


def _compare_results(case: Case, context: Context, cpu_model: Any) -> Result:
    """Run the module of a TorchBench model on the device and the reference, and compare results.

    `cpu_model` is TorchBench's model on the CPU. Raises UncheckedError if the model does not expose
    its module, or if the reference computation fails.
    """
    try:
        with context.on_reference():
            module, inputs = cpu_model.get_module()
    except Exception as error:  # noqa: BLE001 - a model may raise anything
        raise UncheckedError(
            f"The model ran but doesn't expose its module: {_short_error(error)}"
        ) from None
    try:
        return run_model(case, context, lambda: _example(module, inputs))
    except Exception as error:
        if context.reference:
            raise UncheckedError(
                f"The model ran, but the reference result is missing: {_short_error(error)}"
            ) from None
        raise


def _model_class(name: str, checkout: str) -> Any:
    if checkout not in sys.path:
        sys.path.insert(0, checkout)
    try:
        return importlib.import_module(f"torchbenchmark.models.{name}").Model
    except (ImportError, AttributeError) as error:
        raise BrokenTestError(
            f"TorchBench's {name} cannot be loaded: {_short_error(error)}"
        ) from None


def _make_model(model_class: Any, test: str, device: str) -> Any:
    try:
        return model_class(test=test, device=device, batch_size=None, extra_args=[])
    except NotImplementedError as error:
        if str(error).startswith("Could not run"):  # an operator of the device, not the model
            raise
        raise SkippedError(f"TorchBench doesn't support this test: {_short_error(error)}") from None


def _example(module: nn.Module, inputs: Any) -> Example:
    if isinstance(inputs, dict):
        return Example(module.eval(), inputs)
    args = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    return Example(module.eval(), args=args)


@contextmanager
def _restored_settings() -> Iterator[None]:
    """Restore torch's global settings, which TorchBench changes, at the end of a `with` block."""
    seed_function, dtype = torch.manual_seed, torch.get_default_dtype()
    deterministic = torch.are_deterministic_algorithms_enabled()
    grad_enabled, threads = torch.is_grad_enabled(), torch.get_num_threads()
    try:
        yield
    finally:
        torch.manual_seed = seed_function
        torch.set_default_dtype(dtype)
        torch.use_deterministic_algorithms(deterministic)
        torch.set_grad_enabled(grad_enabled)
        torch.set_num_threads(threads)


def _short_error(error: Exception) -> str:
    return short_message(f"{type(error).__name__}: {error}", 200)
