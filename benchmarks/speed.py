"""Compare the suite `speed` with tools that share no code with it: `python -m benchmarks.speed`.

Needs torch and NumPy, and for bandwidth a C compiler. On the CPU, with all processors: the product
of two matrices by the suite and by NumPy (with its own BLAS), copy and triad by the suite and by
loops in C that count bytes as STREAM does. Both are measured alternately, so that other load on the
machine affects both alike. The result is the ratio of the medians.
"""

from __future__ import annotations

import ctypes
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

TURNS = 15
WITHIN = 2.5
"""The largest factor between the two: the work is the same, the libraries are not.

On an AMD EPYC with AVX-512, torch 2.13.0 with MKL reached 0.57 of what NumPy's OpenBLAS did.
"""

_SIZE = 2048
_MIB = 256

_STREAM = """
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

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Agreement:
    """One computation by the suite and by another tool: the median speed of each in `unit`."""

    name: str
    unit: str
    suite: float
    other: float

    @property
    def ratio(self) -> float:
        """The suite's speed divided by the other's."""
        return self.suite / self.other

    @property
    def agrees(self) -> bool:
        """Whether the ratio is within the factor WITHIN."""
        return 1 / WITHIN <= self.ratio <= WITHIN


def main() -> int:
    """Print each ratio; return 1 if one is not within the factor WITHIN."""
    found = [product()]
    if shutil.which("cc"):
        found += [bandwidth("copy"), bandwidth("triad")]
    for one in found:
        pair = f"suite {one.suite:.4g} {one.unit}, other {one.other:.4g} {one.unit}"
        print(f"{one.name:20} {pair}, ratio {one.ratio:.2f}")
    return int(not all(one.agrees for one in found))


def product(turns: int = TURNS) -> Agreement:
    """Compare the product of two matrices with NumPy's."""
    import numpy as np

    draws = np.random.default_rng(5)
    left, right = (draws.standard_normal((_SIZE, _SIZE), np.float32) for _ in range(2))
    act, amount = _of_suite("matmul", (_SIZE,) * 3)
    suite, other = _by_turns({"suite": act, "other": lambda: left @ right}, turns)
    counted = 2 * _SIZE**3 / 1e12
    return Agreement(f"matmul {_SIZE}, float32", "TFLOP/s", amount / suite, counted / other)


def bandwidth(name: str, turns: int = TURNS) -> Agreement:
    """Compare `copy` or `triad` with a loop in C, on arrays of the same number of bytes."""
    import numpy as np

    arrays = [np.ones(_MIB << 17) for _ in range(3)]  # of float64, as in STREAM
    with tempfile.TemporaryDirectory() as folder:
        function = getattr(_compiled(Path(folder)), name)
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
    length = ctypes.c_ssize_t(len(arrays[0]))
    act, amount = _of_suite(name, (_MIB,))
    suite, other = _by_turns({"suite": act, "other": lambda: function(*pointers, length)}, turns)
    counted = {"copy": 2, "triad": 3}[name] * (_MIB << 20) / 1e9
    return Agreement(f"{name} {_MIB} MiB", "GB/s", amount / suite, counted / other)


def _of_suite(name: str, shape: tuple[int, ...]) -> tuple[Work, float]:
    """Return the suite's function, and the work that it does in a call, in the suite's unit."""
    import torch

    from accelerator_validation.suites.speed.benchmark import Setting
    from accelerator_validation.suites.speed.suite import BENCHMARKS

    trial, setting = BENCHMARKS[name], Setting("cpu", torch.float32, shape)
    return trial.build(setting).act, trial.work(setting) / trial.unit.scale


def _by_turns(works: Mapping[str, Work], turns: int) -> list[float]:
    """Call the functions alternately, and return the median seconds of each.

    Each function is called `turns` times, and once more before that, which is not counted.
    """
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(turns + 1):
        for name, work in works.items():
            began = time.perf_counter()
            work()
            if turn:
                seconds[name].append(time.perf_counter() - began)
    return [statistics.median(values) for values in seconds.values()]


def _compiled(folder: Path) -> ctypes.CDLL:
    source, library = folder / "stream.c", folder / "stream.so"
    source.write_text(_STREAM, "ascii")
    words = ["cc", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC"]
    subprocess.run([*words, str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


if __name__ == "__main__":
    sys.exit(main())
