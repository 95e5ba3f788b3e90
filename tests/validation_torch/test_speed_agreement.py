"""What the suite `speed` measures on the CPU is what other tools measure, side by side.

With all processors: the product of two matrices by the suite and by NumPy (with its own BLAS), copy
and triad by the suite and by loops in C that count bytes as STREAM does. Both are measured
alternately, so that other load on the machine affects both alike.
"""

from __future__ import annotations

import ctypes
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TURNS = 7
WITHIN = 2.5
"""The largest factor between the two: the work is the same, the libraries are not.

On an AMD EPYC with AVX-512, torch 2.13.0 with MKL reached 0.57 of what NumPy's OpenBLAS did.
"""

SIZE = 2048
MIB = 256

STREAM = """
#include <stddef.h>
void copy(double *a, const double *b, const double *c, ptrdiff_t n) {
  (void)c;
  #pragma omp parallel for
  for (ptrdiff_t i = 0; i < n; i++) a[i] = b[i];
}
void triad(double *a, const double *b, const double *c, ptrdiff_t n) {
  #pragma omp parallel for
  for (ptrdiff_t i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];
}
"""


def test_a_product_is_as_fast_as_numpy_finds_it() -> None:
    import numpy as np

    draws = np.random.default_rng(5)
    left, right = (draws.standard_normal((SIZE, SIZE), np.float32) for _ in range(2))
    suite, other = speeds("matmul", (SIZE,) * 3, lambda: left @ right, 2 * SIZE**3 / 1e12)
    assert 1 / WITHIN <= suite / other <= WITHIN, f"suite {suite:.4g}, NumPy {other:.4g} TFLOP/s"


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize(("name", "passes"), [("copy", 2), ("triad", 3)])
def test_bandwidth_is_what_a_loop_in_c_finds(name: str, passes: int, tmp_path: Path) -> None:
    import numpy as np

    arrays = [np.ones(MIB << 17) for _ in range(3)]  # of float64, as in STREAM
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    loop, length = getattr(compiled(tmp_path), name), ctypes.c_ssize_t(len(arrays[0]))
    counted = passes * (MIB << 20) / 1e9
    suite, other = speeds(name, (MIB,), lambda: loop(*pointers, length), counted)
    assert 1 / WITHIN <= suite / other <= WITHIN, f"suite {suite:.4g}, C {other:.4g} GB/s"


def speeds(
    name: str, shape: tuple[int, ...], beside: Callable[[], object], counted: float
) -> tuple[float, float]:
    """The speed of a benchmark of the suite, and of `beside`, whose work is `counted`.

    Both are called alternately. The first turn is not counted.
    """
    import torch

    from accelerator_validation.suites.speed.benchmark import Setting
    from accelerator_validation.suites.speed.suite import BENCHMARKS

    trial, setting = BENCHMARKS[name], Setting("cpu", torch.float32, shape)
    act = trial.build(setting).act
    turns = [(seconds(act), seconds(beside)) for _ in range(TURNS + 1)][1:]
    ours, others = map(statistics.median, zip(*turns, strict=True))
    return trial.work(setting) / trial.unit.scale / ours, counted / others


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def compiled(folder: Path) -> ctypes.CDLL:
    source, library = folder / "stream.c", folder / "stream.so"
    source.write_text(STREAM, "ascii")
    words = ["cc", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC"]
    subprocess.run([*words, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))
