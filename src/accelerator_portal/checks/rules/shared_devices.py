"""A device string that two platforms share is explained on both: `device.note` says with whom.

ROCm's device is `cuda`, and two makers call theirs `tpu`: who reads `torch.device("tpu")` in a
program does not know which is meant.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from accelerator_portal.catalog import Catalog, Platform, Problem

LEVEL = "warning"  # whoever comes second must not be able to keep the first one out


def check(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Yield platforms whose device another one has, too, without a note."""
    owners: dict[str, list[Platform]] = {}
    for platform in catalog.platforms:
        owners.setdefault(platform.accelerator.device.value.casefold(), []).append(platform)
    for device, sharing in owners.items():
        for platform in sharing if len(sharing) > 1 else ():
            if not platform.accelerator.device.note:
                others = ", ".join(p.accelerator.name for p in sharing if p is not platform)
                what = f'the device "{device}" is also that of {others}'
                remedy = "say so in device.note, and how to tell them apart"
                yield platform.problem("accelerator.yaml", ("device", "value"), what, remedy)
