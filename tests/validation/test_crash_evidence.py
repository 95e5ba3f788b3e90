from __future__ import annotations

import os
from pathlib import Path

from accelerator_validation.suite_interface import crash_excerpt, last_step, read_log

SITE = "/home/somebody/venv/lib/python3.12/site-packages"
CRASH = f"""a warning of the driver
validate: the reference of sample 2: float32[5]
validate: sample 2: float32[5]
Fatal Python error: Segmentation fault

Current thread 0x00007f3e1c5c4740 [python] (most recent call first):
  File "{SITE}/torch/_ops.py", line 818 in __call__
  File "{SITE}/accelerator_validation/suites/operators.py", line 120 in run
  File "{SITE}/accelerator_validation/worker.py", line 134 in _judged
  File "/usr/lib/python3.12/multiprocessing/process.py", line 108 in run

Extension modules: {", ".join(f"torch._C.module_{n}" for n in range(300))} (total: 300)
"""
# As Python 3.14 adds it, beneath the stack of Python.
NATIVE = """Current thread's C stack trace (most recent call first):
  Binary file "/home/somebody/python3.14/bin/python3", at _Py_DumpStack+0x40 [0x5a]
  Binary file "/home/somebody/venv/lib/libdevice.so", at _ZN6device3addE+0x10 [0x7f]

Extension modules:"""
STUCK = """validate: sample 1: float32[5]
Timeout (0:00:57)!
Thread 0x00007f01 (most recent call first):
  File "/usr/lib/python3.12/threading.py", line 331 in wait
Thread 0x00007f02 (most recent call first):
  File "/opt/plugin/torch_x/ops.py", line 7 in add
"""


def test_the_stack_is_kept_and_the_modules_are_not() -> None:
    kept = crash_excerpt(CRASH)
    assert kept.splitlines() == [
        "a warning of the driver",
        "validate: sample 2: float32[5]",
        "Fatal Python error: Segmentation fault",
        "Current thread [python] (most recent call first):",
        '  File "torch/_ops.py", line 818 in __call__',
        '  File "accelerator_validation/suites/operators.py", line 120 in run',
    ]


def test_two_equal_crashes_are_told_alike() -> None:
    other = CRASH.replace("0x00007f3e1c5c4740", "0x00007fd0c36aeb80")
    assert crash_excerpt(other) == crash_excerpt(CRASH)


def test_the_native_stack_is_kept_where_python_writes_one() -> None:
    kept = crash_excerpt(CRASH.replace("Extension modules:", NATIVE))
    assert '  File "torch/_ops.py", line 818 in __call__' in kept
    assert '  Binary file "venv/lib/libdevice.so", at _ZN6device3addE+0x10 [0x7f]' in kept
    assert "somebody" not in kept
    assert "Extension modules" not in kept


def test_of_threads_that_hang_the_main_one_is_kept() -> None:
    kept = crash_excerpt(STUCK)
    assert "Timeout (0:00:57)!" in kept
    assert '  File "plugin/torch_x/ops.py", line 7 in add' in kept
    assert "threading.py" not in kept


def test_of_a_thread_without_python_the_main_one_is_kept() -> None:
    kept = crash_excerpt(STUCK.replace("Timeout (0:00:57)!", "Fatal Python error: Aborted\n"))
    assert '  File "plugin/torch_x/ops.py", line 7 in add' in kept
    current = STUCK.replace("Timeout (0:00:57)!", "Fatal Python error: Aborted\n").replace(
        "Thread 0x00007f01", "Current thread 0x00007f01"
    )
    assert "threading.py" in crash_excerpt(current)
    assert "ops.py" not in crash_excerpt(current)


def test_a_deep_stack_keeps_its_top_and_much_output_its_end() -> None:
    frames = "".join(f'  File "{SITE}/deep.py", line {n} in deep\n' for n in range(100))
    head = "Current thread 0x00007f3e1c5c4740 [python] (most recent call first):\n"
    log = "noise\n" * 5000 + CRASH.partition("Fatal")[0] + CRASH.replace(head, head + frames)
    kept = crash_excerpt(log)
    assert len(kept) < 4000
    assert "line 0 in deep" in kept
    assert kept.endswith("  …")
    assert "validate: sample 2: float32[5]" in kept


def test_without_a_stack_what_was_printed_is_kept() -> None:
    assert crash_excerpt("the driver is gone\n") == "the driver is gone"
    assert crash_excerpt("") == ""


def test_of_a_log_that_fills_the_disk_only_the_end_is_read(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    with log.open("wb") as file:
        file.seek(2**40)  # a sparse file, larger than the memory of any machine that runs tests
        file.write(b"the driver is gone\n")
    assert read_log(log) == "the driver is gone\n"
    os.truncate(log, 0)
    assert read_log(log) == ""


def test_the_last_step_is_what_was_announced_last() -> None:
    assert last_step(CRASH) == "sample 2: float32[5]"
    assert last_step("the driver is gone") is None
