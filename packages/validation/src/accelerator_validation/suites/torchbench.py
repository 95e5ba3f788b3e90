"""Runs the suite `torchbench`: the models of TorchBench, from a checkout that the command names.

A test runs the model's own step, `invoke`, and then checks whether its numbers are right. For the
check, the module and inputs that the model exposes are run on the device and on the reference,
because TorchBench's own accuracy check compares a device with itself.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from torch import nn

from accelerator_validation.case import (
    BrokenTestError,
    Case,
    Result,
    SkippedError,
    UncheckedError,
    short_message,
)
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.model_comparison import Example, run_model

CHECKOUT = "checkout"
_OWN_BATCH = frozenset({"tts_angular"})
"""Models whose training step divides the batch into groups of a fixed size."""
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
    batch = 0 if case.name in _OWN_BATCH else context.matrix.settings["batch"]
    checkout = context.matrix.given[CHECKOUT]
    with _restored_settings(), _random_weights(), _skipped_if_unsupported(checkout):
        context.stage = "load"
        with context.on_reference(), _skipped_if_absent(checkout):
            model_class = _model_class(case.name, checkout)
            cpu_model = _make_model(model_class, test, "cpu", batch)
        on_cpu = torch.device(context.device).type == "cpu"
        device_model = (
            cpu_model if on_cpu else _make_model(model_class, test, context.device, batch)
        )
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
    except AttributeError as error:
        raise BrokenTestError(
            f"TorchBench's {name} cannot be loaded: {_short_error(error)}"
        ) from None


@contextmanager
def _skipped_if_absent(checkout: str) -> Iterator[None]:
    """Skip a test if a package or file that its model needs is not on this machine.

    TorchBench's `install.py` gets them; some need a network or a token.
    """
    try:
        yield
    except Exception as error:
        causes: list[BaseException] = [error]
        while cause := causes[-1].__cause__ or causes[-1].__context__:
            causes.append(cause)
        if not any(isinstance(cause, ImportError | OSError) for cause in causes):
            raise
        text = _short_error(error).replace(checkout, "CHECKOUT")
        raise SkippedError(f"The model needs what TorchBench's install.py gets: {text}") from None


def _make_model(model_class: Any, test: str, device: str, batch: int) -> Any:
    options = {"test": test, "device": device, "extra_args": []}
    try:
        return model_class(**options, batch_size=batch or None)
    except NotImplementedError:
        if not batch:
            raise
        return model_class(**options, batch_size=None)  # its batch cannot be changed


@contextmanager
def _skipped_if_unsupported(checkout: str) -> Iterator[None]:
    """Skip a test that TorchBench's own code refuses; an operator of the device may refuse, too."""
    try:
        yield
    except NotImplementedError as error:
        *_, (frame, _) = traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith(checkout):
            raise
        raise SkippedError(f"TorchBench doesn't support this test: {_short_error(error)}") from None


def _example(module: nn.Module, inputs: Any) -> Example:
    if isinstance(inputs, dict):
        return Example(module.eval(), inputs)
    args = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    return Example(module.eval(), args=args)


class _NoWeights(dict[str, Any]):
    """Stands for the weights of a file that is not downloaded."""


@contextmanager
def _random_weights() -> Iterator[None]:
    """Let the libraries torchvision and timm make models with random weights in a `with` block.

    TorchBench asks them for trained weights, which are hundreds of megabytes.
    """
    load_state_dict = nn.Module.load_state_dict

    def load(module: nn.Module, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(state_dict, _NoWeights):
            return load_state_dict(module, state_dict, *args, **kwargs)
        return None

    def without_weights(create: Any) -> Any:
        return lambda *args, **kwargs: create(*args, **{**kwargs, "pretrained": False})

    patches: list[tuple[Any, str, Any]] = [(nn.Module, "load_state_dict", load)]
    with suppress(ImportError, RuntimeError):
        weights = importlib.import_module("torchvision.models").WeightsEnum
        patches.append((weights, "get_state_dict", lambda *_, **__: _NoWeights()))
    with suppress(ImportError, RuntimeError):
        timm = importlib.import_module("timm")
        patches.append((timm, "create_model", without_weights(timm.create_model)))
    with ExitStack() as stack:
        for owner, name, replacement in patches:
            stack.enter_context(patch.object(owner, name, replacement))
        yield


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
