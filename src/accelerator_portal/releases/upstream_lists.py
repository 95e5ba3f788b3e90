"""Which of PyTorch's lists a text is, and how the portal agrees with it."""

from __future__ import annotations

from accelerator_portal.catalog import Catalog
from accelerator_portal.releases.agreement import UpstreamComparison
from accelerator_portal.releases.build_matrix import compare_matrix, is_matrix, read_matrix
from accelerator_portal.releases.support_matrix import (
    compare_support,
    has_support_matrix,
    read_support_matrix,
)
from accelerator_portal.releases.upstream_comparison import compare
from accelerator_portal.releases.upstream_sources import read_upstream


def compare_upstream(catalog: Catalog, text: str) -> UpstreamComparison:
    """Return how the portal and a list of PyTorch's agree. Raises UpstreamSourceError.

    The list is published_versions.json or previous-versions.md of pytorch.org, RELEASE.md of
    pytorch/pytorch, or what generate_binary_build_matrix.py of pytorch/test-infra prints.
    """
    if is_matrix(text):
        return compare_matrix(catalog.releases, read_matrix(text))
    if has_support_matrix(text):
        return compare_support(catalog.releases, read_support_matrix(text))
    return compare(catalog, read_upstream(text))
