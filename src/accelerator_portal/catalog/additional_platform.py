"""`additional_platform` in `accelerator.yaml`: the entry of a platform on pytorch.org."""

from __future__ import annotations

from accelerator_portal.catalog.fields import AdditionalPlatformId
from accelerator_portal.catalog.sources import Sourced


class AdditionalPlatformEntry(Sourced):
    """The entry of the platform on pytorch.org's Additional Platforms page."""

    id: AdditionalPlatformId
    """The id of the entry: the name of its file in `_additional_platforms/`, without `.json`."""
