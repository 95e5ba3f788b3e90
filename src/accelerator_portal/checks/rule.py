"""What a rule is: a module with a docstring for people and a generator of problems."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from inspect import cleandoc
from types import ModuleType

from accelerator_portal.catalog import Catalog, Problem
from accelerator_portal.catalog.problem import Severity

RuleCheck = Callable[[Catalog, dt.date], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; `id` is the module's name with hyphens, `text` its docstring.

    A module whose problems only need to be known has `LEVEL = "warning"`, one that can say what
    would be right letter by letter `FIXES = True`, one that compares folders `COMPARES = True`.
    """

    id: str
    text: str
    level: Severity
    fixes: bool
    compares: bool
    check: RuleCheck

    @property
    def summary(self) -> str:
        """The first sentence of the text: what the rule asks for."""
        return self.text.partition("\n")[0]

    @property
    def why(self) -> str:
        """The rest of it, in one paragraph."""
        return " ".join(self.text.partition("\n")[2].split())

    def problems(self, catalog: Catalog, today: dt.date) -> Iterator[Problem]:
        """Yield what the rule finds on the day `today`, with its id and level."""
        for problem in self.check(catalog, today):
            yield replace(problem, rule=self.id, level=self.level)


def rule_of(module: ModuleType) -> Rule:
    """Return the rule that a module is."""
    name = module.__name__.rpartition(".")[2]
    level: Severity = getattr(module, "LEVEL", "error")
    fixes: bool = getattr(module, "FIXES", False)
    text = cleandoc(module.__doc__ or "")
    compares: bool = getattr(module, "COMPARES", False)
    return Rule(name.replace("_", "-"), text, level, fixes, compares, module.check)
