"""Who may import whom, as docs and design say it: one direction, no exception."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from itertools import accumulate
from pathlib import Path

import pytest

from tests.folders import PACKAGES, REPOSITORY

SOURCES = [folder / "src" for folder in PACKAGES.values()]
PORTAL = REPOSITORY / "src/accelerator_portal"
REPORTS, VALIDATION = "accelerator_reports", "accelerator_validation"

# What a package may import of this repository. A module of the portal may import the portal's
# rooms that stand before its own.
ALLOWED = {
    REPORTS: {REPORTS},
    VALIDATION: {REPORTS, VALIDATION},
    "accelerator_portal": {REPORTS, "accelerator_portal"},
    "accelerator_automation": {REPORTS, "accelerator_portal", "accelerator_automation"},
}
ROOMS = (
    *("catalog", "http", "install", "packages", "releases", "results", "checks", "vendors"),
    *("site", "cli", "commands"),
)
BELOW = dict(zip(ROOMS, accumulate(map(list[str], ([r] for r in ROOMS))), strict=True))

# What a test suite needs, and the portal does not.
HEAVY = {"executorch", "timm", "torch", "torchao", "torchvision", "transformers"}
GENERATOR = {"mkdocs", "material", "hooks", "tests", "benchmarks", "tools"}

MODULES = sorted(path for source in SOURCES for path in source.rglob("*.py"))
PUBLIC = [path for path in MODULES if path.name == "__init__.py"]


def imported(path: Path) -> Iterator[str]:
    """Every module that a file imports, at its top or within a function."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            # A name may be a module of the package that it comes from.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def package(module: str) -> str:
    return module.partition(".")[0]


def room(module: str) -> str | None:
    """The room of a module of the portal; None for the package itself and for other packages."""
    parts = module.split(".")
    return parts[1] if parts[0] == PORTAL.name and len(parts) > 1 else None


def named(path: Path) -> str:
    source = next(source for source in SOURCES if path.is_relative_to(source))
    parts = path.relative_to(source).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def test_every_package_and_room_has_its_place() -> None:
    rooms = {path.parent.name for path in PORTAL.glob("*/__init__.py")}
    modules = {path.stem for path in PORTAL.glob("*.py")} - {"__init__"}
    assert rooms | modules == set(ROOMS)
    assert {path.name for source in SOURCES for path in source.iterdir() if path.is_dir()} == set(
        ALLOWED
    )
    assert {path.parent for path in REPOSITORY.glob("packages/*/pyproject.toml")} < {
        *PACKAGES.values()
    }


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_imports_run_one_way(path: Path) -> None:
    module = named(path)
    packages = {package(name) for name in imported(path)}
    assert packages & ALLOWED.keys() <= ALLOWED[package(module)]
    assert not packages & GENERATOR
    may_need_torch = package(module) == VALIDATION or module == f"{REPORTS}.environment"
    assert may_need_torch or not packages & HEAVY
    if here := room(module):
        assert {found for name in imported(path) if (found := room(name))} <= {*BELOW[here]}


def test_no_module_imports_itself_through_others() -> None:
    """A circle works until somebody imports its other end first."""
    names = {named(path) for path in MODULES}

    def module_of(imported_name: str) -> str | None:
        """A name is a module, or something in the module before its last dot."""
        found = (imported_name, imported_name.rpartition(".")[0])
        return next((name for name in found if name in names), None)

    graph = {
        named(path): {found for name in imported(path) if (found := module_of(name))}
        for path in MODULES
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, with the circle


def test_checking_asks_nobody() -> None:
    """What reads and checks folders needs neither an HTTP client nor what reads index pages."""
    program = "import sys, accelerator_portal.checks; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not set(done.stdout.split()) & {"httpx", "pypi_simple", "requests", "tenacity"}


def test_torch_is_imported_only_when_a_suite_runs() -> None:
    """Whatever the portal's commands import at their start, they do without torch."""
    program = """
import sys
from importlib import import_module
from accelerator_reports.cli.main import installed_commands
for command in installed_commands().values():
    for one in (command, *command.commands.values()):
        import_module(one.place.partition(":")[0])
print(*sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not set(done.stdout.split()) & HEAVY


def test_a_rule_is_imported_by_what_runs_rules_alone() -> None:
    """What others need of a rule stands where both can import it."""
    rules = "accelerator_portal.checks.rules."
    for path in MODULES:
        if path.parent != PORTAL / "checks/rules":
            assert not any(module.startswith(rules) for module in imported(path)), path.name


def test_hooks_know_the_library_but_not_its_command() -> None:
    for path in (REPOSITORY / "hooks").glob("*.py"):
        assert "cli" not in {name.split(".")[1] for name in imported(path) if "." in name}, path


@pytest.mark.parametrize("path", PUBLIC, ids=named)
def test_what_a_room_offers_exists_once_and_in_order(path: Path) -> None:
    module = importlib.import_module(named(path))
    offered = getattr(module, "__all__", [])
    assert list(offered) == sorted(set(offered))
    for name in offered:
        assert getattr(module, name).__doc__, name


@pytest.mark.parametrize("path", PUBLIC, ids=named)
def test_what_a_room_imports_for_others_is_offered(path: Path) -> None:
    """A room whose own module only gathers names from the others gathers no more than it says."""
    module = importlib.import_module(named(path))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in tree.body):
        return
    gathered = {name.rpartition(".")[2] for name in imported(path)}
    assert gathered == set(getattr(module, "__all__", []))
