"""A second opinion on the operator suite: a plain loop over OpInfo, without code of the harness.

Samples are made on the device, or copied there where they cannot be made. Each operator is computed
on the device and on the CPU, in a process of its own that may die, and compared as PyTorch's own
`test_compare_cpu` compares them.

    python -m tests.validation_torch.oracle --device cpu --out oracle.json add nn.functional.gelu
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Literal
from unittest import mock

import torch
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import DecorateInfo, OpInfo, SampleInput
from torch.utils._pytree import tree_leaves

from tests.validation_torch.oracle_samples import DTYPE, kind_of, moved, samples_on, tensors

Verdict = Literal["right", "wrong", "raised", "crashed", "hung", "not comparable"]
Mode = Literal["forward", "backward"]

# What `test_compare_cpu` allows; an OpInfo may ask it for more.
TOLERANCE = 1e-3

_PYTORCH_TEST = "TestCommon", "test_compare_cpu"


@dataclass(frozen=True)
class Question:
    """One operator in one mode, and how it is asked; `samples` None: all that OpInfo has."""

    name: str
    mode: Mode
    device: str
    samples: int | None
    copied: bool = False


def questions(names: Sequence[str], device: str, samples: int | None) -> Iterator[Question]:
    """Yield what can be asked of the operators of these names; of all, where there are none."""
    for info in sorted(op_db, key=lambda info: info.full_name):
        if (names and info.full_name not in names) or DTYPE not in info.dtypes:
            continue
        yield Question(info.full_name, "forward", device, samples)
        if info.supports_autograd and DTYPE in info.backward_dtypes:
            yield Question(info.full_name, "backward", device, samples)


def ask(question: Question, timeout: float) -> tuple[Verdict, str]:
    """Answer a question in a process of its own; where making the samples kills it, copy them."""
    here, there = get_context("fork").Pipe()
    process = get_context("fork").Process(target=_answer, args=(question, there))
    process.start()
    there.close()
    process.join(timeout)
    if hung := process.is_alive():
        process.kill()
        process.join()
    told: list[Any] = []
    try:
        while here.poll():
            told.append(here.recv())
    except EOFError:
        pass
    if hung:
        return "hung", f"It did not end within {timeout:g} s."
    if told and isinstance(told[-1], tuple):
        return told[-1]
    if not told and not question.copied:
        copied = Question(question.name, question.mode, question.device, question.samples, True)  # noqa: FBT003 - its last field
        return ask(copied, timeout)
    code = process.exitcode or 0
    return "crashed", signal.Signals(-code).name if code < 0 else f"exit status {code}"


def _answer(question: Question, connection: Connection) -> None:
    """Tell when the samples are made, then the verdict."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    torch.set_num_threads(1)
    info = next(info for info in op_db if info.full_name == question.name)
    backward = question.mode == "backward"
    samples = samples_on(
        question.device, info, requires_grad=backward, most=question.samples, copied=question.copied
    )
    connection.send("samples made")
    connection.send(_judge(info, question, samples))


def _judge(info: OpInfo, question: Question, samples: Sequence[SampleInput]) -> tuple[Verdict, str]:
    """Return the verdict on all samples: the first thing that is not right, or how many are."""
    compared = 0
    for number, sample in enumerate(samples):
        try:
            expected = _reference(info, sample, question)
            found = _compute(info, sample, question.mode)
        except _ReferenceError:
            continue
        except Exception as error:  # noqa: BLE001 - a backend may raise anything
            return "raised", f"sample {number}: {type(error).__name__}: {error}"[:300]
        if expected is None:
            continue
        try:
            _check(found, expected, info, _place(sample, question))
        except AssertionError as error:
            return "wrong", f"sample {number}: {error}"[:300]
        compared += 1
    if 2 * compared < len(samples) or not samples:
        return "not comparable", f"{compared} of {len(samples)} samples"
    return "right", f"{compared} of {len(samples)} samples"


class _ReferenceError(Exception):
    """The CPU cannot compute a sample."""


def _reference(info: OpInfo, sample: SampleInput, question: Question) -> list[Any] | None:
    """Return what the CPU computes; None where a second time gives something else.

    The second time memory that nobody wrote is filled, and random numbers begin elsewhere, also
    where OpInfo's own wrapper of an operator seeds them. Each has a copy: some write into inputs.
    """
    copies = [moved(sample, question.device, "cpu") for _ in range(2)]

    def elsewhere(seed: int) -> torch.Generator:
        return torch.default_generator.manual_seed(seed + 1)

    try:
        torch.default_generator.manual_seed(1)
        first = _compute(info, copies[0], question.mode)
        with mock.patch.object(torch, "manual_seed", elsewhere):
            torch.use_deterministic_algorithms(mode=True, warn_only=True)
            torch.default_generator.manual_seed(2)
            second = _compute(info, copies[1], question.mode)
    except Exception as error:
        raise _ReferenceError from error
    finally:
        torch.use_deterministic_algorithms(mode=False)
    try:
        _check(second, first, info, "cpu")
    except AssertionError:
        return None
    return first


def _compute(info: OpInfo, sample: SampleInput, mode: Mode) -> list[Any]:
    """Return the results, or the gradients of the inputs for random gradients of the results."""
    found = info(sample.input, *sample.args, **sample.kwargs)
    results: list[Any] = tree_leaves(sample.output_process_fn_grad(found))
    if mode == "forward":
        return results
    inputs = [t for t in tensors([sample.input, sample.args, sample.kwargs]) if t.requires_grad]
    outputs = [t for t in tensors(results) if t.requires_grad]
    generator = torch.Generator().manual_seed(3)
    seeds = [torch.randn(t.shape, dtype=t.dtype, generator=generator).to(t.device) for t in outputs]
    return list(torch.autograd.grad(outputs, inputs, seeds, allow_unused=True)) if outputs else []


def _place(sample: SampleInput, question: Question) -> str:
    """Return the kind of device of the results: the one that the sample names, if it does."""
    kind = torch.device(question.device).type
    named = [kind_of(value) for value in (*sample.args, *sample.kwargs.values())]
    other = "cpu" in named and question.mode == "forward"
    return "cpu" if other else kind


def _check(found: list[Any], expected: list[Any], info: OpInfo, kind: str) -> None:
    """Compare structure, device, type, shape and every number; raises AssertionError."""
    if len(found) != len(expected):
        raise AssertionError(f"{len(found)} results, the CPU has {len(expected)}")
    rtol, atol = _tolerance(info, kind)
    for one, other in zip(found, expected, strict=True):
        if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
            if type(one) is not type(other):
                raise AssertionError(f"a {type(one).__name__}, the CPU has {type(other).__name__}")
            if isinstance(one, int | float | complex):
                torch.testing.assert_close(one, other, rtol=rtol, atol=atol, equal_nan=True)
            continue
        if one.device.type != kind:
            raise AssertionError(f"the result lies on {one.device}")
        torch.testing.assert_close(
            one.detach().cpu(), other.detach(), rtol=rtol, atol=atol, equal_nan=True
        )


def _tolerance(info: OpInfo, kind: str) -> tuple[float, float]:
    rtol = atol = TOLERANCE
    for decoration in info.decorators:
        if not isinstance(decoration, DecorateInfo):
            continue
        if decoration.is_active(*_PYTORCH_TEST, kind, DTYPE, {}):
            for override in decoration.decorators:
                if isinstance(override, toleranceOverride) and DTYPE in override.d:
                    rtol = max(rtol, override.d[DTYPE].rtol)
                    atol = max(atol, override.d[DTYPE].atol)
    return rtol, atol


def main() -> None:
    """Ask about operators and write the verdicts, by name and mode."""
    parser = argparse.ArgumentParser(description="Judge operators of a device by the CPU's.")
    parser.add_argument("--device", required=True)
    parser.add_argument("--import", dest="module", help="a plugin that does not load itself")
    parser.add_argument("--samples", type=int, help="of each operator the first; all by default")
    parser.add_argument("--timeout", type=float, default=60)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("names", nargs="*", help="full names of OpInfo; all by default")
    options = parser.parse_args()
    if options.module:
        importlib.import_module(options.module)
    answers: dict[str, dict[str, tuple[Verdict, str]]] = {}
    for question in questions(options.names, options.device, options.samples):
        answers.setdefault(question.name, {})[question.mode] = ask(question, options.timeout)
    options.out.write_text(json.dumps(answers, indent=1), "utf-8")


if __name__ == "__main__":
    main()
