from __future__ import annotations

from accelerator_portal.checks.names import skeleton


def test_a_skeleton_forgets_what_a_hasty_eye_forgets() -> None:
    assert skeleton("R0Cm") == skeleton("rocm") == skeleton("ROC-rn") == skeleton("Röcm")
    assert skeleton("cuda") != skeleton("cpu")
