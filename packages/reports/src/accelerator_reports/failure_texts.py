"""Chooses a failed test's outcome, such as `out-of-memory`, from its message and traceback.

The phrases are those of PyTorch, torch.testing, numpy, pytest, pytest-timeout and pytest-xdist.
"""

from __future__ import annotations

import re

from accelerator_reports.outcomes import Outcome
from accelerator_reports.shortened_text import (
    MAX_TEXT_LENGTH,
    shortened_text,
    without_lone_surrogates,
)

# A log may have megabytes; the cause of the failure is at its beginning or at its end.
MAX_CHARS = 32_768

# Escape codes for terminal colors. XML cannot contain the escape character; pytest writes `#x1B`.
_COLOR = re.compile(r"(?:\x1b|#x1B)\[[0-9;]{0,20}m")

_NUMBER = r"(?:tensor\()?[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?j?|nan|inf)(?!\w)\)?"

# A test passed that must fail: the expectation is out of date. pytest, unittest and the decorators
# of PyTorch's device-generic tests say so in these words.
_UNEXPECTED_SUCCESS = (
    r"\A\s*(?:\w{1,40}: )?(?:\[XPASS\(strict\)\]|Unexpected ?[sS]uccess\b"
    r"|expected test to fail, but it passed)"
)

# The order matters: a rule may be a special case of a later rule. Before each pattern is a text in
# lowercase that every match contains: to look for it first is ten times as fast. Every repeat of
# "any character" has a bound, so that no text takes long.
_RULES: tuple[tuple[Outcome, str, str], ...] = (
    # Its framework counts this as a failure, whatever the reason of the expectation says.
    ("failed", "", _UNEXPECTED_SUCCESS),
    # Bazel writes nothing else about a test that failed.
    ("failed", "exited with error", r"\A\s*exited with error code \d"),
    # A test expected an error that was not raised. The text names this error.
    ("failed", "not raised", r"AssertionError: .{0,300}\bnot raised\b"),
    ("failed", "does not match", r'AssertionError: .{0,300}" does not match "'),
    ("failed", "did not raise", r"\bFailed: DID NOT RAISE\b"),
    (
        "wrong-result",
        "s are not ",
        r"\b(?:Tensor-likes|Scalars|(?:Sparse|Quantized) .{1,60}) are not (?:close|equal)!",
    ),
    ("wrong-result", "mismatched elements", r"\bMismatched elements: \d"),
    ("wrong-result", "booleans mismatch", r"\bBooleans mismatch: "),
    ("wrong-result", "for attribute", r"\bThe values for attribute '\w{1,60}' do not match\b"),
    ("wrong-result", "not equal to tolerance", r"\bNot equal to tolerance\b"),
    ("wrong-result", "arrays are not", r"\bArrays are not (?:almost )?equal\b"),
    ("wrong-result", "where false", r"\bwhere False = .{0,60}\ballclose\b"),
    ("wrong-result", "assertionerror", rf"\bAssertionError: (?:assert )?{_NUMBER} [!=]= {_NUMBER}"),
    ("wrong-result", "assert", rf"\bassert {_NUMBER} == {_NUMBER}"),
    ("wrong-result", "±", r"\bassert .{1,300} ± "),
    ("wrong-result", "assertionerror", r"\bAssertionError: .{0,200}\b(?:tolerance|rtol|atol)\b"),
    ("unsupported-operator", "implemented for", r"\bnot (?:currently |yet )?implemented for\b"),
    ("unsupported-operator", "could not run", r"\bCould not run '[\w.]{1,60}::[\w.]{1,200}'"),
    (
        "unsupported-operator",
        "_overrideable",
        r"\w_overrideable(?:_backward)?(?: not implemented\b|: You are likely triggering)",
    ),
    (
        "unsupported-operator",
        "dispatchstub",
        r"\bDispatchStub: (?:missing kernel for|unsupported device type)",
    ),
    ("unsupported-operator", "unsupported operator", r"\b[Uu]nsupported operator\b"),
    ("unsupported-operator", "unsupported scalartype", r"\b(?i:got) unsupported ScalarType\b"),
    ("unsupported-operator", "required aspect", r"\bRequired aspect fp64 is not supported\b"),
    ("unsupported-operator", "unsupportedoperatorerror", r"\bUnsupportedOperatorError\b"),
    ("unsupported-operator", "missingoperator", r"\bMissingOperatorWith(?:out)?Decomp\b"),
    ("out-of-memory", "outofmemory", r"\bOutOfMemory(?:Error)?\b"),
    (
        "out-of-memory",
        "memory",
        r"(?i:(?<![a-z0-9])out[ _]of[ _](?:(?:device|host|gpu)[ _])?memory(?![a-z]))",
    ),
    ("out-of-memory", "memoryerror", r"\bMemoryError\b"),
    ("out-of-memory", "bad_alloc", r"\bstd::bad_alloc\b"),
    ("out-of-memory", "cublas_status", r"\bCUBLAS_STATUS_ALLOC_FAILED\b"),
    ("out-of-memory", "allocate memory", r"(?i:\bcan(?:'t|not) allocate memory\b)"),
    ("infrastructure-error", "no space left", r"\bNo space left on device\b"),
    ("infrastructure-error", "max retries", r"\bMax retries exceeded with url\b"),
    ("infrastructure-error", "http error", r"\bHTTP Error [45]\d\d\b"),
    ("infrastructure-error", "name resolution", r"\bTemporary failure in name resolution\b"),
    ("infrastructure-error", "resolve host", r"\b[cC]ould not resolve host\b"),
    ("infrastructure-error", "requests.exceptions", r"\brequests\.exceptions\."),
    ("infrastructure-error", "urllib.error", r"\burllib\.error\."),
    ("infrastructure-error", "urlopen error", r"\burlopen error\b"),
    ("infrastructure-error", "we couldn't connect", r"\bWe couldn't connect to 'https?:"),
    ("infrastructure-error", "shutdown signal", r"\bThe runner has received a shutdown signal\b"),
    ("infrastructure-error", "lost communication", r"\blost communication with the server\b"),
    ("infrastructure-error", "are available", r"\bNo \w{2,8} (?:GPUs|devices) are available\b"),
    ("timed-out", "timeout", r"\A\s*(?:(?:Failed: )?Timeout|test timeout)\b"),
    ("timed-out", "timeout of ", r"\b[Tt]imeout of \d{1,12} ?ms\b"),
    ("timed-out", "failed: timeout", r"\bFailed: Timeout\b"),
    ("timed-out", "timeout", r"\bTimeout \(?>"),
    ("timed-out", "+ timeout +", r"\+ Timeout \+"),
    ("timed-out", "timeoutexpired", r"\bTimeoutExpired\b"),
    ("timed-out", "timeouterror", r"\bTimeoutError\b"),
    ("timed-out", "operation timeout", r"\bcollective operation timeout\b"),
    ("timed-out", "timed out ", r"\btimed out (?:after\b|in \d)"),
    ("timed-out", "configured timeout", r"\bdid not finish before configured timeout\b"),
    ("crashed", "segmentation fault", r"\b[sS]egmentation fault\b"),
    ("crashed", "sig", r"\bSIG(?:SEGV|ABRT|BUS|ILL|FPE|KILL)\b"),
    ("crashed", "(core dumped)", r"\(core dumped\)"),
    ("crashed", "fatal python error", r"\bFatal Python error\b"),
    ("crashed", "crashed", r"\bworker '\w{1,20}' crashed\b"),
    ("test-broken", "collection failure", r"\Acollection failure\b"),
    ("test-broken", "collecti", r"(?i:\berrors? (?:while |during )?collecti(?:ng|on)\b)"),
    (
        "test-broken",
        "importerror while",
        r"\bImportError while (?:importing test module|loading conftest)\b",
    ),
    ("test-broken", "fixture", r"\bfixture '[^'\n]{1,200}' not found\b"),
    ("test-broken", "`markers`", r"\bnot found in `markers` configuration option\b"),
    ("test-broken", "import file mismatch", r"\bimport file mismatch\b"),
    ("test-broken", "no module named", r"\bNo module named '"),
    # A private name of PyTorch that is gone.
    ("test-broken", "module 'torch' has no", r"\bmodule 'torch' has no attribute '_"),
    # TorchBench's own class, which sets up nothing on a device that it does not know.
    ("test-broken", "benchmark' object has no", r"'\w{1,60}Benchmark' object has no attribute '"),
)

_COMPILED = tuple((outcome, word, re.compile(pattern)) for outcome, word, pattern in _RULES)


def outcome_of_text(text: str) -> Outcome | None:
    """Return the outcome that `text`, a failed test's message or traceback, describes, or None.

    If a text has more than `MAX_CHARS` characters, only its first and last `MAX_CHARS // 2` are
    read.
    """
    if len(text) > MAX_CHARS:
        text = f"{text[: MAX_CHARS // 2]}\n{text[-MAX_CHARS // 2 :]}"
    text = without_colors(text)
    lower_text = text.lower()
    for outcome, word, pattern in _COMPILED:
        if word in lower_text and pattern.search(text):
            return outcome
    return None


def is_unexpected_pass(text: str) -> bool:
    """Return whether `text`, a failed test's message, says that the test passed but must fail."""
    return re.match(_UNEXPECTED_SUCCESS, without_colors(text)) is not None


def without_colors(text: str) -> str:
    """Return a text without the escape codes for terminal colors."""
    return _COLOR.sub("", text)


# Chooses a failed test's outcome from its message, else its traceback, else its error's type.

NO_REASON = "The file states no reason."
EXPECTED_FAILURE_REASON = "It is expected to fail."

_STRICT_XPASS = re.compile(r"\A\s*(?=\[XPASS\(strict\)\])")
_SETUP_OR_TEARDOWN = re.compile(
    r"\bfailed on (?:setup|teardown)\b|\Atest (?:setup|teardown) failure\b|\Ainternal error\Z"
)


def failure_outcome(message: str, text: str) -> Outcome:
    """Return the outcome of a failed test, from its `message` or else its traceback (`text`).

    The outcome is, for example, `out-of-memory`. It is `failed` if neither `message` nor `text`
    describes another outcome.
    """
    return outcome_of_text(message) or outcome_of_text(text) or "failed"


def error_outcome(message: str, text: str, *, is_setup: bool = False) -> Outcome:
    """Return the outcome of an error, from its `message` or else its traceback (`text`).

    If neither describes an outcome, it is `infrastructure-error` for an error in setup or teardown,
    which `is_setup` or the message states, and for an error of pytest itself. Otherwise, it is
    `failed`: most frameworks report an exception that a test raises as an error.
    """
    if outcome := outcome_of_text(message) or outcome_of_text(text):
        return outcome
    is_setup = is_setup or _SETUP_OR_TEARDOWN.search(message) is not None
    return "infrastructure-error" if is_setup else "failed"


def reason(text: str) -> str | None:
    """Return the message `text` as the reason of a test's outcome; None if it is empty.

    Terminal colors are removed, and the message is shortened to `MAX_TEXT_LENGTH` characters. What
    pytest writes about a test that passed unexpectedly is put into words.
    """
    return shortened_text(_STRICT_XPASS.sub("Unexpected pass: ", without_colors(text)))


def log_tail(text: str) -> str | None:
    """Return the last lines of a log, at most `MAX_TEXT_LENGTH` characters; None if it is empty."""
    text = without_lone_surrogates(without_colors(text)).strip()
    if len(text) <= MAX_TEXT_LENGTH:
        return text or None
    tail = text[-MAX_TEXT_LENGTH:]
    _, newline, whole_lines = tail.partition("\n")
    return whole_lines if newline and whole_lines else tail
