"""Determines which import statement a platform needs in addition to `import torch`."""

from __future__ import annotations

from dataclasses import dataclass

from accelerator_portal.catalog import Platform
from accelerator_portal.catalog.message import message


@dataclass(frozen=True, slots=True)
class ExtraImport:
    """The import statement that a platform needs in addition to `import torch`.

    `words` is the text before the statement: `none since torch_npu 2.5.1; before that: `. If
    `statement` is empty, the page shows only `words`, for example `none`.
    """

    platform: Platform
    words: str
    statement: str = ""


def extra_import(platform: Platform) -> ExtraImport:
    """Return the import statement that programs need for a platform's plugin, if any.

    If PyTorch includes the backend or loads the plugin automatically, `statement` is empty and
    `words` is `none`. If this is unknown, `statement` is empty and `words` is `not stated`. If
    PyTorch loads the plugin only since a certain version, `words` states the version, and
    `statement` is for earlier versions.
    """
    package = platform.accelerator.package
    statement = f"import {package.module}"
    if platform.in_tree or (package.autoload and package.autoload_since is None):
        return ExtraImport(platform, message("none"))
    if package.autoload is None:
        return ExtraImport(platform, message("not stated"))
    if not package.autoload:
        return ExtraImport(platform, "", statement)
    since = message(
        "none since {package} {version}; before that: ",
        package=package.name,
        version=package.autoload_since,
    )
    return ExtraImport(platform, since, statement)
