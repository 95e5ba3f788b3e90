"""From the name that PyTorch gives a test for a device to a name without it."""

from __future__ import annotations

from accelerator_portal.reports.test_ids import MAX_NAME, Identified, fitted, identified_generic


def identity(container: str, method: str, device: str) -> Identified:
    """Return the name and the parameters of a test that was made for a device.

    `container` is `test_torch.TestTorch`. What stands behind the device is a data type; another
    word, of a plugin's own naming, is a case.
    """
    if found := identified_generic(container, method, device):
        return found
    base, there, rest = method.rpartition(f"_{device}_")
    if there and base and rest:
        return Identified(fitted(f"{container}::{base}", MAX_NAME), {"case": rest}, device)
    return Identified(fitted(f"{container}::{method}", MAX_NAME), {}, device)
