"""Integration checks with a torch that is made up: what it lacks, and which device is used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from accelerator_validation.case import Case, SkippedError
from accelerator_validation.suite_interface import Context
from accelerator_validation.suites import device_checks, integration, process_group_checks
from accelerator_validation.suites import integration as loading_checks
from accelerator_validation.suites.integration_helpers import missing_torch_name, require_api
from tests.validation.runs import matrix

Check = Callable[[object], object]


def module(name: str, **attributes: object) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(attributes)
    return made


OLD = module(
    "torch",
    __version__="2.6.0",
    Stream=type("Stream", (), {}),
    accelerator=module("torch.accelerator", synchronize=print),
)


def check_of(program: str, room: str = "accelerator_validation.suites.made_up") -> Check:
    """A function `check(torch)` as a module of the suites, or of another place, would have it."""
    names: dict[str, Any] = {"__name__": room}
    exec(f"def check(torch):\n    {program}", names)  # noqa: S102 - the texts below
    found: Check = names["check"]
    return found


def raised(check: Check, torch: object = OLD) -> AttributeError:
    with pytest.raises(AttributeError) as found:
        check(torch)
    return found.value


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        (("accelerator.memory_allocated",), "accelerator.memory_allocated"),
        (("accelerator.synchronize", "Stream.__enter__"), "Stream.__enter__"),
        (("nothing.at.all",), "nothing.at.all"),
    ],
)
def test_a_check_is_skipped_with_the_first_name_that_torch_lacks(
    names: tuple[str, ...], missing: str
) -> None:
    with pytest.raises(SkippedError) as found:
        require_api(OLD, *names)
    assert str(found.value) == f"Not in torch 2.6.0: torch.{missing}."


def test_a_check_runs_where_torch_has_all_that_it_needs() -> None:
    require_api(OLD)
    require_api(OLD, "accelerator.synchronize")


def test_what_a_check_asks_torch_for_in_vain_is_named() -> None:
    error = raised(check_of("torch.accelerator.memory_allocated()"))
    assert missing_torch_name(error) == "torch.accelerator.memory_allocated"


def test_a_module_that_answers_for_itself_is_no_excuse() -> None:
    def answer(name: str) -> object:
        raise AttributeError(f"module 'torch' has no attribute '{name}'")

    answer.__code__ = answer.__code__.replace(co_name="__getattr__")
    error = raised(check_of("torch.new"), module("torch", __getattr__=answer))
    assert missing_torch_name(error) == "torch.new"


@pytest.mark.parametrize(
    ("program", "room"),
    [
        ("torch.accelerator.new()", "torch_foo.device"),  # a plugin asked
        ("torch.accelerator.new()", "torch._dynamo"),  # torch itself asked
        ("torch.Stream.__enter__", "accelerator_validation.suites.made_up"),  # of a class
        ("None.grad", "accelerator_validation.suites.made_up"),
    ],
)
def test_other_errors_stay_what_they_are(program: str, room: str) -> None:
    assert missing_torch_name(raised(check_of(program, room))) is None


def test_a_plugin_s_module_that_lacks_something_is_not_torch() -> None:
    torch = module("torch", foo=module("torch_foo", __version__="1"))
    assert missing_torch_name(raised(check_of("torch.foo.memory_allocated()"), torch)) is None


def test_the_suite_skips_a_check_and_lets_other_errors_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checks = {
        "new": lambda _: check_of("torch.accelerator.memory_allocated()")(OLD),
        "broken": lambda _: check_of("None.grad")(OLD),
    }
    monkeypatch.setattr(integration, "CHECKS", checks)
    monkeypatch.setitem(sys.modules, "torch", OLD)
    context = Context("foo", matrix(checks))
    with pytest.raises(SkippedError, match=r"2\.6\.0: torch\.accelerator\.memory_allocated\.$"):
        integration.run(Case("integration", "new"), context)
    with pytest.raises(AttributeError, match="grad"):
        integration.run(Case("integration", "broken"), context)


def test_the_memory_of_the_device_under_test_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that of the current device, which is the first one."""
    used = {"made:0": 0, "made:1": 0}

    def ones(_: int, *, device: str) -> object:
        used[device] += 4 << 20
        return object()

    accelerator = module(
        "torch.accelerator",
        memory_allocated=lambda device="made:0": used[device],
        empty_cache=lambda: used.update({"made:1": 0}),
    )
    made = module("torch", __version__="2.13.0", ones=ones, accelerator=accelerator)
    monkeypatch.setitem(sys.modules, "torch", made)
    device_checks.memory(Context("made:1", matrix([])))


@pytest.mark.parametrize("check", ["distributed", "fsdp", "process_group"])
def test_a_torch_without_process_groups_is_skipped(
    monkeypatch: pytest.MonkeyPatch, check: str
) -> None:
    distributed = module("torch.distributed", is_available=lambda: False)
    monkeypatch.setitem(sys.modules, "torch", module("torch", distributed=distributed))
    with pytest.raises(SkippedError, match=r"doesn't include torch\.distributed"):
        getattr(process_group_checks, check)(Context("cpu", matrix([])))


def test_events_and_random_numbers_are_those_of_the_device_under_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Torch takes those of the current device, which is the first one."""
    current, drawn, recorded = [0], {"made:0": 0, "made:1": 0}, list[int]()

    def rand(_: int, *, device: str) -> object:
        drawn[device] += 1
        number = drawn[device]
        return SimpleNamespace(cpu=lambda: number)

    cards = SimpleNamespace(
        set_device=lambda index: current.__setitem__(0, index),
        get_rng_state=lambda: drawn[f"made:{current[0]}"],
        set_rng_state=lambda state: drawn.__setitem__(f"made:{current[0]}", state),
    )
    event = SimpleNamespace(
        record=lambda: recorded.append(current[0]), synchronize=lambda: None, query=lambda: True
    )
    made = module(
        "torch",
        device=lambda name: SimpleNamespace(index=int(name.partition(":")[2])),
        get_device_module=lambda _: cards,
        rand=rand,
        equal=lambda one, other: one == other,
        Event=lambda **_: event,
        ones=lambda _, *, device: SimpleNamespace(mul_=lambda _: device),
    )
    monkeypatch.setitem(sys.modules, "torch", made)
    for check in (device_checks.rng_state, device_checks.events):
        current[0] = 0
        check(Context("made:1", matrix([])))
    assert recorded == [1]


def test_a_daemon_that_import_torch_leaves_behind_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = "import subprocess\nsubprocess.Popen(['sleep', '20'])\n"
    (tmp_path / "torch.py").write_text(program, "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(loading_checks, "_LIMIT_S", 10)
    loading_checks.plain_import(Context("cpu", matrix([])))
