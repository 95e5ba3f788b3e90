"""Builds of PyTorch that uv knows by name: `--torch-backend=cu126` instead of an index.

uv then takes PyTorch's own packages from that build's index and all others from PyPI, which an
index alone does not do.
"""

from __future__ import annotations

from accelerator_portal.catalog.releases_file import INDEX

# As `uv pip install --help` of uv 0.13.8 lists them, those that PyTorch published since 2.4. A test
# asks uv itself.
BACKENDS = frozenset(
    {
        *("cpu", "xpu"),
        *("cu118", "cu121", "cu124", "cu126", "cu128", "cu129", "cu130", "cu132"),
        *("rocm6.0", "rocm6.1", "rocm6.2", "rocm6.2.4", "rocm6.3", "rocm6.4"),
        *("rocm7.0", "rocm7.1", "rocm7.2"),
    }
)


def backend_of(index: str | None) -> str | None:
    """Return uv's name for the build that an index of PyTorch's holds; None where it has none.

    Nightly builds have indexes of their own, which uv does not know.
    """
    name = (index or "").removeprefix(f"{INDEX}/")
    return name if name in BACKENDS else None
