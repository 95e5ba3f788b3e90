"""Versions in vendor folders and `data/releases.yaml` agree with the package index.

Plugin versions exist, are not yanked and match their PyTorch release; install options match the
available wheels; packages listed as on PyPI are there. The nightly job reads the index. Problems
are warnings, so that a change in an index can't block another vendor's pull request.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.packages.contradictions import contradictions
from accelerator_portal.packages.torch_contradictions import torch_contradictions

LEVEL = "warning"


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield contradictions, each with both sides and where they are written."""
    yield from contradictions(catalog)
    yield from torch_contradictions(catalog)
