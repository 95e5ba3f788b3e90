"""If platforms share a device string, each explains it in `device.note`.

For example, ROCm uses `cuda`, and two vendors use `tpu`. `torch.device("tpu")` alone doesn't say
which platform a program uses.
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
                what = f'the device "{device}" is also used by {others}'
                remedy = "explain in device.note how to distinguish the platforms"
                yield platform.problem("accelerator.yaml", ("device", "value"), what, remedy)
