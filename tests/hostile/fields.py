"""Values that their fields refuse and that are too long for the table `fields.yaml`."""

from __future__ import annotations

from collections.abc import Mapping

from tests.folders import ACCELERATOR, COMPATIBILITY, GUIDE, INSTALL

_CODE = "import torch\n      print(torch.ones(1, 1).mm(torch.ones(1, 1)).item())"
_FORUM, _MADE_UP = "https://example.org/forum", "https://example.org/made-up"
_NO_HOST = "is not the name of a public host"
_VERSION, _RANGE = '"1.10.0", variant: ex2', '">=1.10"'

# The file, what stands there, what stands there then, and what is said.
LONG: Mapping[str, tuple[str, str, str, str]] = {
    "an address": (ACCELERATOR, _FORUM, f"https://example.org/{'x' * 500}", "support[1].url"),
    "a label of a host": (GUIDE, _MADE_UP, f"https://{'a' * 64}.org/", _NO_HOST),
    "a host": (GUIDE, _MADE_UP, f"https://{'a.' * 127}org/", _NO_HOST),
    "the name of a file": (
        INSTALL,
        'docker: {image: "example/torch:{torch}-{variant_version}"}',
        f'download: {{url: "https://example.org/{"x" * 201}"}}',
        "is not plain",
    ),
    "a version": (COMPATIBILITY, _VERSION, f'"{"9" * 5000}", variant: ex2', "rows[1].torch"),
    "a part of a version": (
        COMPATIBILITY,
        _VERSION,
        f'"1.0+{"x" * 200}", variant: ex2',
        "rows[1].torch",
    ),
    "a number in a range": (INSTALL, _RANGE, f'"=={"9" * 5000}"', "options[3].torch"),
    "a range": (INSTALL, _RANGE, f'"{",".join([">=1"] * 9000)}"', "options[3].torch"),
    "a check": (INSTALL, _CODE, f"x = {'-' * 3900}1", "Python cannot parse this code"),
    "a check of brackets": (INSTALL, _CODE, "(" * 3900, "invalid Python"),
}
