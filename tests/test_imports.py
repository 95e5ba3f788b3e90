"""Who may import whom, as docs and design say it: one direction, no exception."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.folders import REPOSITORY

SOURCES = REPOSITORY / "src"
PORTAL = SOURCES / "accelerator_portal"
HARNESS, AUTOMATION = "accelerator_validation", "accelerator_automation"

# A room may import those above it. The harness and the automation are packages of their own.
ORDER = (
    "catalog",
    "http",
    "install",
    "reports",
    "packages",
    "releases",
    "results",
    "checks",
    "vendors",
    "site",
    AUTOMATION,
    HARNESS,
    "cli",
)
ALLOWED = {room: set(ORDER[: place + 1]) for place, room in enumerate(ORDER)}
ALLOWED[HARNESS] = {"catalog", "reports", HARNESS}

# What a test suite needs, and the portal does not.
HEAVY = {"executorch", "timm", "torch", "torchao", "torchvision", "transformers"}

MODULES = sorted(SOURCES.rglob("*.py"))
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


def room(module: str) -> str | None:
    package, *inside = module.split(".")
    if package in {HARNESS, AUTOMATION}:
        return package
    return inside[0] if package == PORTAL.name and inside else None


def named(path: Path) -> str:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def test_every_room_has_its_place_in_the_order() -> None:
    rooms = {path.parent.name for path in PORTAL.glob("*/__init__.py")}
    assert {*rooms, HARNESS, AUTOMATION} == set(ORDER)
    assert {path.name for path in SOURCES.iterdir()} == {PORTAL.name, HARNESS, AUTOMATION}


@pytest.mark.parametrize("path", MODULES, ids=named)
def test_imports_run_one_way(path: Path) -> None:
    here = room(named(path))
    rooms = {found for module in imported(path) if (found := room(module))}
    assert rooms <= (ALLOWED[here] if here else set())
    outside = {module.partition(".")[0] for module in imported(path)}
    assert not outside & {"mkdocs", "material", "hooks", "tests", "benchmarks"}
    assert here == HARNESS or not outside & HEAVY


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
from accelerator_portal.cli.main import COMMANDS
for command in COMMANDS.values():
    import_module(command.place.partition(":")[0])
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
        rooms = {room(module) for module in imported(path)}
        assert "cli" not in rooms, path.name


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
