"""The pages of the site and its data, a module for each kind. Nothing lists the modules.

A module can define:

- `pages(site)`: yields the pages, each as a `Page`
- `data(site)`: yields the data files, each as a `SiteFile`
- `TRANSLATED`: the paths of the pages that other languages have, in which `*` stands for any name
- `SCHEMAS`: the models of data files, by the name of their JSON Schema
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any


@cache
def page_modules() -> tuple[ModuleType, ...]:
    """Return the modules of this package, sorted by name."""
    return tuple(import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__))


def declared(name: str) -> list[Any]:
    """Return the value of `name` in each module that defines it."""
    return [getattr(module, name) for module in page_modules() if hasattr(module, name)]
