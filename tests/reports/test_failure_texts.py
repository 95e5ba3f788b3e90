from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelerator_reports.failure_texts import (
    _COMPILED,
    MAX_CHARS,
    outcome_of_text,
    without_colors,
)
from accelerator_reports.outcomes import OUTCOMES, Outcome

# Made up, in the form in which PyTorch, pytest and their plugins write such messages.
SAID: list[tuple[Outcome | None, str]] = [
    ("wrong-result", "AssertionError: Tensor-likes are not close!\n\nMismatched elements: 1 / 4"),
    ("wrong-result", "AssertionError: Tensor-likes are not equal!"),
    ("wrong-result", "AssertionError: Scalars are not close!"),
    ("wrong-result", "AssertionError: Sparse CSR values are not close!"),
    ("wrong-result", "AssertionError: Booleans mismatch: True is not False"),
    ("wrong-result", "AssertionError: The values for attribute 'shape' do not match: (2,) != (3,)"),
    ("wrong-result", "AssertionError: \nNot equal to tolerance rtol=1e-07, atol=0"),
    ("wrong-result", "AssertionError: \nArrays are not almost equal to 6 decimals"),
    ("wrong-result", "assert False\n +  where False = <built-in method allclose of type object>()"),
    ("wrong-result", "AssertionError: 1 != 2"),
    ("wrong-result", "AssertionError: assert 1.5 == -2.25e-3"),
    ("wrong-result", "assert tensor(1.) == tensor(nan)"),
    ("wrong-result", "assert 0.3 == 0.5 ± 5.0e-07"),
    ("wrong-result", "AssertionError: the difference 0.3 is above the tolerance"),
    ("unsupported-operator", "RuntimeError: \"add\" not implemented for 'Half'"),
    ("unsupported-operator", "NotImplementedError: not currently implemented for the X device"),
    (
        "unsupported-operator",
        "Could not run 'aten::add.Tensor' with arguments from the 'X' backend",
    ),
    (
        "unsupported-operator",
        "NotImplementedError: Could not run 'torchvision::nms' with arguments",
    ),
    ("unsupported-operator", "TypeError: Got unsupported ScalarType BFloat16"),
    ("unsupported-operator", "RuntimeError: Required aspect fp64 is not supported on the device"),
    ("out-of-memory", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB."),
    ("out-of-memory", "RuntimeError: NPU out of memory."),
    ("out-of-memory", "RuntimeError: UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY"),
    ("out-of-memory", "MemoryError"),
    ("out-of-memory", "RuntimeError: DefaultCPUAllocator: can't allocate memory"),
    ("infrastructure-error", "OSError: [Errno 28] No space left on device"),
    ("infrastructure-error", "requests.exceptions.ReadTimeout: it timed out after 10 s"),
    ("infrastructure-error", "urllib.error.HTTPError: HTTP Error 503: Service Unavailable"),
    ("infrastructure-error", "OSError: We couldn't connect to 'https://example.org'"),
    ("infrastructure-error", "RuntimeError: No HIP GPUs are available"),
    ("timed-out", "Failed: Timeout (>10.0s) from pytest-timeout."),
    ("timed-out", "Timeout >300.0s"),
    ("timed-out", "+++++++++++++++++++++++++++ Timeout ++++++++++++++++++++++++++"),
    ("timed-out", "subprocess.TimeoutExpired: Command 'x' timed out"),
    ("timed-out", "Watchdog caught collective operation timeout: WorkNCCL"),
    ("timed-out", "Error: Test timed out in 50ms."),
    ("timed-out", "Test did not finish before configured timeout."),
    ("crashed", "worker 'gw0' crashed while running 'test_x.py::test_x'"),
    ("crashed", "Fatal Python error: Segmentation fault"),
    ("crashed", "Process 0 terminated with signal SIGABRT"),
    ("test-broken", "collection failure"),
    ("test-broken", "ImportError while importing test module '/x/test_x.py'."),
    ("test-broken", "E       fixture 'nobody' not found"),
    ("test-broken", "ERROR collecting test_x.py"),
    ("test-broken", "'AcmeInferenceBenchmark' object has no attribute 'encoder'"),
    ("failed", "[XPASS(strict)] the vendor says: out of memory"),
    ("failed", "Unexpected success"),
    ("failed", "Failed: Unexpected success"),
    ("failed", "UnexpectedSuccess: Unexpected success: the test was marked: out of memory"),
    ("failed", "AssertionError: expected test to fail, but it passed"),
    (None, "RuntimeError: expected scalar type Float but found Double"),
    (None, "AssertionError: 'a' != 'b'"),
    (None, "ValueError"),
    (None, ""),
]


@pytest.mark.parametrize(("outcome", "text"), SAID)
def test_a_text_says_what_happened(outcome: Outcome | None, text: str) -> None:
    assert outcome_of_text(text) == outcome


@pytest.mark.parametrize(
    "text",
    [
        "AssertionError: OutOfMemoryError not raised",
        "AssertionError: RuntimeError not raised by <lambda> : out of memory",
        'AssertionError: "out of memory" does not match "not implemented for \'Half\'"',
        "Failed: DID NOT RAISE <class 'TimeoutError'>",
    ],
)
def test_an_error_that_was_waited_for_and_did_not_come_is_a_plain_failure(text: str) -> None:
    assert outcome_of_text(text) == "failed"


@pytest.mark.parametrize(
    "text",
    [
        "def wait(timeout=300):\n>   raise ValueError(timeout)\nE   ValueError: 300",
        "ConnectionError: the store is closed",  # a test of torch.distributed may say this
        "ImportError: cannot import name 'x'",  # may be the product's own
        "AttributeError: outofmemory",
        "assert 1 == 2nd",
        "test_timeout failed",
        "it did what was expected. Unexpected success",
    ],
)
def test_a_word_alone_says_nothing(text: str) -> None:
    assert outcome_of_text(text) is None


@pytest.mark.parametrize("escape", ["\x1b", "#x1B"])
def test_colours_do_not_matter(escape: str) -> None:
    text = f"E   {escape}[1m{escape}[31mMemoryError{escape}[0m: x"
    assert outcome_of_text(text) == "out-of-memory"
    assert without_colors(text) == "E   MemoryError: x"


def test_of_a_long_text_its_beginning_and_its_end_count() -> None:
    said, noise = "MemoryError\n", "x\n" * MAX_CHARS
    assert outcome_of_text(said + noise) == "out-of-memory"
    assert outcome_of_text(noise + said) == "out-of-memory"
    assert outcome_of_text(noise + said + noise) is None


@given(st.text(max_size=300))
def test_any_text_is_an_outcome_or_nothing(text: str) -> None:
    assert outcome_of_text(text) in {None, *OUTCOMES}


# Rules for the beginning of a message do not hold for a line of a traceback.
ANCHORED = (
    "Timeout >",
    "collection",
    "[XPASS",
    "Unexpected",
    "Failed: Unexpected",
    "AssertionError: expected",
)
ANYWHERE = [text for outcome, text in SAID if outcome and not text.startswith(ANCHORED)]


@given(st.sampled_from(ANYWHERE), st.integers(1, 50))
def test_a_traceback_before_the_message_changes_nothing(text: str, lines: int) -> None:
    before = "    return super().__call__(x)\n" * lines
    assert outcome_of_text(before + text) == outcome_of_text(text)


def test_the_word_that_each_rule_waits_for_is_in_small_letters() -> None:
    assert all(word == word.lower() for _, word, _ in _COMPILED)


@pytest.mark.parametrize(
    "piece",
    ["AssertionError: ", "assert ", "assert 1 == ", "where False = ", "Sparse ", "not ", "1"],
)
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (MAX_CHARS // len(piece))
    begin = time.process_time()
    outcome_of_text(text)
    assert time.process_time() - begin < 1
