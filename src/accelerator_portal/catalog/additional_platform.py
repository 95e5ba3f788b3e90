"""`additional_platform` in `accelerator.yaml`: the entry of a platform on pytorch.org."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from accelerator_portal.catalog.sources import Sourced

AdditionalPlatformId = Annotated[
    str, Field(pattern=r"^[a-z][a-z0-9]*([_-][a-z0-9]+)*$", max_length=80)
]
"""An id as pytorch.org writes it, which may have an underscore."""


class AdditionalPlatformEntry(Sourced):
    """The entry of the platform on pytorch.org's Additional Platforms page."""

    id: AdditionalPlatformId
    """The id of the entry: the name of its file in `_additional_platforms/`, without `.json`."""
