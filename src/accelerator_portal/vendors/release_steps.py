"""A command's steps, written so that a row of `compatibility.yaml` is all that a release needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_PIN = re.compile(r"={2,3}\s*([^,;\s+]+)")


def steps_of_rows(
    steps: Iterable[Mapping[str, Any]], package: str, *, has_plugin: bool
) -> list[dict[str, Any]]:
    """Return pip steps whose versions of torch and `package` come from the rows.

    `has_plugin` says that rows name the package's version. A requirement without any version is
    pinned, too: without it, the command for an older release would install the newest.
    """
    names = {"torch": "torch"}
    if has_plugin and canonicalize_name(package) != "torch":
        names[canonicalize_name(package)] = "plugin"
    return [_step(step, names) for step in steps]


def _step(step: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    pip = step["pip"]
    if pip.get("pre"):
        return dict(step)  # the newest nightly build is what such a command asks for
    packages = [_requirement(text, names) for text in pip["packages"]]
    return {**step, "pip": {**pip, "packages": packages}}


def _requirement(text: str, names: Mapping[str, str]) -> str:
    requirement = Requirement(text)
    placeholder = names.get(canonicalize_name(requirement.name))
    if placeholder is None:
        return text
    if not requirement.specifier and not requirement.url:
        extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
        marker = f"; {requirement.marker}" if requirement.marker else ""
        return f"{requirement.name}{extras}=={{{placeholder}}}{marker}"
    if len(requirement.specifier) == 1 and "*" not in text:
        return _PIN.sub(f"=={{{placeholder}}}", text, count=1)
    return text
