"""An environment as plain facts, one by one, so that two can be compared and a difference named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from accelerator_portal.reports.report import Component, Environment

FactDifference = tuple[str, object, object]
"""The name of a fact, what it is here, and what it is there; None where it is not known."""


def environment_facts(environment: Environment) -> Mapping[str, object]:
    """Return what is known of an environment by name, each package by its own."""
    packages = {f"package {name}": v for name, v in environment.packages.items()}
    return {**dict(_facts(environment)), **packages}


def different_facts(
    here: Mapping[str, object], there: Mapping[str, object]
) -> Iterator[FactDifference]:
    """Yield the facts that differ, by name."""
    for name in sorted(here.keys() | there.keys()):
        one, other = here.get(name), there.get(name)
        if one != other:
            yield name, one, other


def _facts(environment: Environment) -> Iterator[tuple[str, object]]:
    for name, value in environment:
        if isinstance(value, Component):
            yield name, " ".join(filter(None, (value.name, value.version, value.commit)))
        elif name != "packages" and value is not None:
            yield name.replace("_", " "), value
