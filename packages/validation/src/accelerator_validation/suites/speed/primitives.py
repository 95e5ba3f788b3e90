"""Builds speed tests of single operations: bandwidth, matrix products, attention, convolution."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch.nn import functional

from accelerator_validation.suites.speed.benchmark import (
    BANDWIDTH,
    COMPUTING,
    BenchmarkShape,
    Setting,
    SpeedBenchmark,
    Workload,
)

_MIB = 1 << 20
_TILE = _MIB // 4  # numbers of float32
_SCALAR = 3.0
_CORNER = 8  # rows and columns of a product that are compared
_STEP = 65_537  # distance of compared numbers in a vector; a prime, so that it hits all tiles


def _number_count(shape: BenchmarkShape) -> int:
    """Return the number of float32 values in `shape[0]` MiB."""
    return shape[0] * _TILE


def _vector(setting: Setting) -> torch.Tensor:
    """Return `shape[0]` MiB of float32 values on the device.

    One MiB of random values is repeated, because this is faster than drawing all values.
    """
    return setting.random(_TILE).repeat(setting.shape[0])


def _copy_workload(setting: Setting) -> Workload:
    source = _vector(setting)
    target = torch.zeros_like(source)
    reference = source[::_STEP].cpu().double()
    return Workload(lambda: target.copy_(source), lambda out: (out[::_STEP], reference))


def _triad_workload(setting: Setting) -> Workload:
    """Return the triad of the benchmark STREAM as one call: `torch.add` with `alpha` and `out`."""
    first_vector, second_vector = _vector(setting), _vector(setting)
    target = torch.zeros_like(first_vector)
    reference = (
        first_vector[::_STEP].cpu().double() + _SCALAR * second_vector[::_STEP].cpu().double()
    )
    return Workload(
        lambda: torch.add(first_vector, second_vector, alpha=_SCALAR, out=target),
        lambda out: (out[::_STEP], reference),
    )


def _matmul_workload(setting: Setting) -> Workload:
    rows, columns, inner = setting.shape
    left, right = setting.random(rows, inner), setting.random(inner, columns)
    corner = left[:_CORNER].cpu().double(), right[:, :_CORNER].cpu().double()
    reference = corner[0] @ corner[1]
    return Workload(lambda: left @ right, lambda out: (out[:_CORNER, :_CORNER], reference))


def _attention_workload(setting: Setting) -> Workload:
    queries, keys, values = (setting.random(*setting.shape) for _ in range(3))
    first_head = [tensor[:1, :1].cpu().double() for tensor in (queries, keys, values)]
    weights = torch.softmax(
        first_head[0][:, :, :1] @ first_head[1].mT / setting.shape[-1] ** 0.5, dim=-1
    )
    return Workload(
        lambda: functional.scaled_dot_product_attention(queries, keys, values),
        lambda out: (out[:1, :1, :1], weights @ first_head[2]),
    )


def _convolution_workload(setting: Setting) -> Workload:
    batch, in_channels, out_channels, side, kernel = setting.shape
    images = setting.random(batch, in_channels, side, side)
    weight = setting.random(out_channels, in_channels, kernel, kernel)
    patch = images[:1, :, :kernel, :kernel].cpu().double()
    reference = (patch * weight[:_CORNER].cpu().double()).sum((1, 2, 3))
    middle = kernel // 2  # where the whole kernel is on the image
    return Workload(
        lambda: functional.conv2d(images, weight, padding=middle),
        lambda out: (out[0, :_CORNER, middle, middle], reference),
    )


def _attention_operations(shape: BenchmarkShape) -> float:
    batch, heads, tokens, width = shape
    return 4.0 * batch * heads * tokens * tokens * width


def _attention_memory(shape: BenchmarkShape) -> float:
    """Return how many tensor elements attention keeps in memory at once.

    Attention scores are included, because devices without a fused kernel keep them in memory.
    """
    batch, heads, tokens, width = shape
    return batch * heads * (4.0 * tokens * width + 2.0 * tokens * tokens)


def _convolution_operations(shape: BenchmarkShape) -> float:
    batch, in_channels, out_channels, side, kernel = shape
    return 2.0 * batch * in_channels * out_channels * side * side * kernel * kernel


def _convolution_memory(shape: BenchmarkShape) -> float:
    batch, in_channels, out_channels, side, kernel = shape
    return batch * side * side * (out_channels + in_channels * (1.0 + kernel * kernel))


_ARRAYS: tuple[BenchmarkShape, ...] = ((256,), (1024,))
_SQUARES: tuple[BenchmarkShape, ...] = tuple((n, n, n) for n in (1024, 4096, 8192))

_COPY_BENCHMARK = SpeedBenchmark(
    "copy",
    BANDWIDTH,
    _copy_workload,
    lambda shape: 2.0 * shape[0] * _MIB,
    lambda shape: 2.0 * _number_count(shape),
    {"": _ARRAYS},
    label=lambda shape: f"{shape[0]}MiB",
    dtypes=("float32",),
    pilot=(16,),
)

PRIMITIVES: tuple[SpeedBenchmark, ...] = (
    _COPY_BENCHMARK,
    replace(
        _COPY_BENCHMARK,
        name="triad",
        build=_triad_workload,
        amount=lambda shape: 3.0 * shape[0] * _MIB,
        memory=lambda shape: 3.0 * _number_count(shape),
    ),
    SpeedBenchmark(
        "matmul",
        COMPUTING,
        _matmul_workload,
        lambda shape: 2.0 * shape[0] * shape[1] * shape[2],
        lambda shape: float(shape[0] * shape[2] + shape[2] * shape[1] + shape[0] * shape[1]),
        {"": _SQUARES},
        pilot=(128, 128, 128),
    ),
    SpeedBenchmark(
        "attention",
        COMPUTING,
        _attention_workload,
        _attention_operations,
        _attention_memory,
        {"": ((1, 16, 1024, 64), (8, 16, 4096, 64))},
        pilot=(1, 1, 256, 64),
    ),
    SpeedBenchmark(
        "convolution",
        COMPUTING,
        _convolution_workload,
        _convolution_operations,
        _convolution_memory,
        {"": ((8, 64, 64, 56, 3), (64, 256, 256, 28, 3))},
        pilot=(1, 16, 16, 28, 3),
    ),
)
