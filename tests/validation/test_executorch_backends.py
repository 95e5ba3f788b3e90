"""Finding a backend of ExecuTorch: what is wrong with one is said, whatever its package does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from accelerator_validation.executorch.backend import PORTABLE
from accelerator_validation.executorch.registry import (
    _BUILT_IN,
    BACKEND_GROUP,
    find_backend,
    find_flows,
)
from accelerator_validation.launch import BackendReply, query_backend, with_backend_facts
from accelerator_validation.matrix import Matrix, with_recipes
from accelerator_validation.plan import RunError
from accelerator_validation.probe import ProbeResult
from tests.validation.packages import install_entry_point

IMPORTS = "from accelerator_validation.executorch.backend import Backend, Recipe\n"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose packages are installed."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def install(site: Path, name: str, body: str, package: str = "made_up_backend") -> None:
    install_entry_point(site, package, BACKEND_GROUP, f"{name} = {package}:BACKEND", IMPORTS + body)


def refused(name: str) -> str:
    with pytest.raises(RunError) as error:
        find_backend(name)
    return str(error.value)


def test_xnnpack_is_there_with_its_recipes_and_portable() -> None:
    flows = find_flows("xnnpack")
    assert {flow.backend.runtime_name for flow in flows.values()} == {"XnnpackBackend"}
    assert list(flows) == [
        "plain",
        "fp16",
        "static_int8_per_channel",
        "static_int8_per_tensor",
        "dynamic_int8_per_channel",
        "bf16",
        "dynamic_int4_per_channel",
        "to_edge",
        "portable",
    ]
    assert flows["portable"].recipe is PORTABLE


def test_a_package_brings_a_backend(site: Path) -> None:
    install(site, "made_up", 'BACKEND = Backend("made_up", "MadeUp", (Recipe("plain"),))\n')
    assert find_backend("made_up").runtime_name == "MadeUp"


def test_a_package_cannot_bring_a_backend_that_is_here(site: Path) -> None:
    install(site, "xnnpack", 'BACKEND = Backend("xnnpack", "Mine", ())\n')
    assert refused("xnnpack") == (
        '"xnnpack" is a backend of accelerator-portal itself and of made_up_backend; '
        "rename the entry point of made_up_backend"
    )


def test_several_backends_are_tested_together_by_the_names_of_their_flows(site: Path) -> None:
    recipes = 'Recipe("plain"), Recipe("fp16", dtype="float16")'
    install(site, "made_up", f'BACKEND = Backend("made_up", "MadeUp", ({recipes}))\n')
    flows = find_flows("xnnpack,made_up")
    assert {"plain", "fp16", "made_up", "made_up_fp16", "portable"} <= set(flows)
    assert flows["made_up_fp16"].backend.runtime_name == "MadeUp"
    assert (flows["plain"].backend.name, list(flows)[-1]) == ("xnnpack", "portable")
    assert [name for name, flow in flows.items() if flow.recipe.is_plain] == ["plain", "made_up"]


def test_a_backend_is_named_once() -> None:
    with pytest.raises(RunError, match='"xnnpack" is listed twice'):
        find_flows("xnnpack,xnnpack")


@pytest.mark.parametrize("name", sorted(_BUILT_IN))
def test_every_backend_that_is_here_loads_without_its_makers_software(name: str) -> None:
    backend = find_backend(name)
    assert backend.recipes
    assert backend.needs or backend.simulate or name == "xnnpack"


def test_an_unknown_one_is_named_with_what_there_is() -> None:
    assert refused("xnnpak") == (
        'no backend of ExecuTorch is called "xnnpak"; did you mean "xnnpack"?'
    )


NO_BACKEND = (
    f'the entry point "made_up" of {BACKEND_GROUP} is not a Backend but an instance of int; '
    "name an object of accelerator_validation.executorch.backend.Backend"
)
TWICE = 'the backend "made_up": the recipe "{}" exists twice; give each recipe a unique name'
BAD_NAME = (
    'the backend "made_up": "8-Bit" is not a valid recipe name. Use lowercase letters, digits and _'
)
NO_LIMIT = 'the backend "made_up": the recipe "a" quantizes but has no limit. Set sqnr_db'


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        ("3", NO_BACKEND),
        ('Backend("other", "X", ())', 'the backend "made_up" has the name "other". Use one name'),
        ('Backend("made_up", "X", (Recipe("8-Bit"),))', BAD_NAME),
        ('Backend("made_up", "X", (Recipe("a"), Recipe("a")))', TWICE.format("a")),
        ('Backend("made_up", "X", (Recipe("portable"),))', TWICE.format("portable")),
        ('Backend("made_up", "X", (Recipe("a", quantizer=int),))', NO_LIMIT),
    ],
)
def test_what_is_wrong_with_a_backend(site: Path, backend: str, said: str) -> None:
    install(site, "made_up", f"BACKEND = {backend}\n")
    assert refused("made_up") == said


def test_two_packages_cannot_bring_the_same_name(site: Path) -> None:
    body = 'BACKEND = Backend("made_up", "MadeUp", ())\n'
    install(site, "made_up", body, "one_backend")
    install(site, "made_up", body, "two_backends")
    assert refused("made_up") == (
        '"made_up" is a backend of one_backend and two_backends; uninstall one of them'
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "raise OSError('libmade_up.so: cannot open')\n",
            'the backend "made_up" cannot be loaded: OSError: libmade_up.so: cannot open',
        ),
        (
            "import os; os._exit(7)\n",
            (
                'loading the backend "made_up" ended its process with status 7: '
                "The error has no message."
            ),
        ),
        (
            "import sys; sys.exit('no licence')\n",
            'the backend "made_up" cannot be loaded: SystemExit: no licence',
        ),
    ],
)
def test_a_package_that_breaks_is_told(
    site: Path, monkeypatch: pytest.MonkeyPatch, body: str, said: str
) -> None:
    (site / "executorch").mkdir()  # it is asked for first
    (site / "executorch" / "__init__.py").write_text("", "utf-8")
    install(site, "made_up", body)
    monkeypatch.setenv("PYTHONPATH", ":".join(path for path in sys.path if path))
    with pytest.raises(RunError) as error:
        query_backend("made_up")
    assert str(error.value) == said


def test_the_report_says_the_backend_and_the_packages() -> None:
    probed = ProbeResult({"torch": "2.13.0", "packages": {"numpy": "2.3.5"}})
    asked = BackendReply(
        backend={"name": "MadeUp", "version": "3"}, packages={"executorch": "1.5.1"}
    )
    assert with_backend_facts(probed, asked).environment == {
        "torch": "2.13.0",
        "backend": {"name": "MadeUp", "version": "3"},
        "packages": {"numpy": "2.3.5", "executorch": "1.5.1"},
    }
    assert with_backend_facts(probed, None) is probed


def test_recipes_of_a_suite_are_those_of_the_backend() -> None:
    matrix = Matrix(
        kind="model",
        module="made.up",
        description="Made up.",
        axes={"recipe": ("plain", "fp16", "portable"), "dtype": ("float32",)},
        default={"recipe": ("plain", "portable")},
    )
    changed = with_recipes(matrix, ("plain", "8a8w", "portable"))
    assert changed.axes == {"recipe": ("plain", "8a8w", "portable"), "dtype": ("float32",)}
    assert changed.default == {"recipe": ("plain", "8a8w", "portable")}
    assert with_recipes(matrix, ("plain", "fp16")).default == {"recipe": ("plain",)}
    assert with_recipes(matrix, ("fp16",)).default == {"recipe": ("fp16",)}
