"""Builds and tests image models of the library timm, with random weights and no downloads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from accelerator_validation.case import BrokenTestError, Case, Result
from accelerator_validation.matrix import Matrix
from accelerator_validation.plan import Offer
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites.model_comparison import Example, run_model

_CLASSES = 10
_SMALL_SIZE = 64


def offers(matrix: Matrix) -> Iterator[Offer]:
    """Yield a test for each model that the matrix names."""
    return (Offer(name) for name in matrix.tests)


def run(case: Case, context: Context) -> Result:
    """Run a model on the device and on the CPU, and compare the results; see `run_model`."""
    settings = context.matrix.settings
    full = bool(settings.get("full"))
    return run_model(case, context, lambda: example(case.name, full=full, batch=settings["batch"]))


def example(name: str, *, full: bool = False, batch: int = 4) -> Example:
    """Return the timm model `name` and `batch` images, by default small ones and few classes.

    If `full` is true, the model has its own number of classes and image size. Raises
    BrokenTestError if timm cannot be imported.
    """
    try:
        import timm
    except (ImportError, RuntimeError) as error:  # torchvision's build may not fit torch's
        raise BrokenTestError(f"timm cannot be imported here: {error}") from None
    class_options = {} if full else {"num_classes": _CLASSES}
    model: Any = timm.create_model(name, pretrained=False, **class_options)
    size = model.pretrained_cfg["input_size"][-1]
    if not full and not model.pretrained_cfg.get("fixed_input_size"):
        size = min(size, _SMALL_SIZE)
    return Example(model, {"x": torch.randn(batch, 3, size, size)})
