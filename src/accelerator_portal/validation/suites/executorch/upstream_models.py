"""ExecuTorch's own model tests: names without importing them, the models when one runs.

They need torchvision and torchaudio, which not every environment has; so the names are read in the
source, and a test whose import fails says so when it is run. They are large, and never usual.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from accelerator_portal.validation.classify import BrokenTestError, SkippedError
from accelerator_portal.validation.suites.executorch.lowering import Sample
from accelerator_portal.validation.suites.executorch.operators import Runner

PACKAGE = "executorch.backends.test.suite.models"

_DYNAMIC = ("PARAMETERIZE_DYNAMIC_SHAPES", "[False, True]")
_LEFT_OUT = "unittest.skip"


@dataclass(frozen=True)
class UpstreamModel:
    """A model test of ExecuTorch: its module, and whether its sizes may be left open."""

    name: str
    module: str
    dynamic: bool
    left_out: bool
    """Whether ExecuTorch itself never runs it."""


def upstream_models() -> Iterator[UpstreamModel]:
    """Yield the tests, all of float32, as the names of modules and functions say."""
    spec = importlib.util.find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for file in sorted(Path(folder).glob("test_*.py")):
            for node in ast.parse(file.read_text("utf-8")).body:
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                    marks = " ".join(map(ast.unparse, node.decorator_list))
                    dynamic = any(mark in marks for mark in _DYNAMIC)
                    yield UpstreamModel(node.name, file.stem, dynamic, _LEFT_OUT in marks)


def upstream_sample(name: str, *, dynamic: bool, quantize: bool) -> Sample:
    """Make the model of a test.

    Raises BrokenTestError where it cannot be made here, SkippedError where ExecuTorch skips it.
    """
    theirs = {test.name: test for test in upstream_models()}[name]
    if theirs.left_out:
        raise SkippedError("ExecuTorch excludes this test.")
    try:
        module = importlib.import_module(f"{PACKAGE}.{theirs.module}")
    except (ImportError, RuntimeError) as error:  # torchvision's build may not fit torch's
        raise BrokenTestError(f"{theirs.module} cannot be imported here: {error}") from None
    runner = Runner(quantize=quantize)
    getattr(module, name)(runner, dtype=torch.float32, use_dynamic_shapes=dynamic)
    return runner.samples[0]
