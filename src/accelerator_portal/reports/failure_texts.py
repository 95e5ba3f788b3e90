"""Searches a failure's text for known phrases that state its outcome, such as `out-of-memory`.

The phrases are those of PyTorch, torch.testing, numpy, pytest, pytest-timeout and pytest-xdist.
"""

from __future__ import annotations

import re

from accelerator_portal.reports.outcomes import Outcome

# A log may have megabytes; the cause of the failure is at its beginning or at its end.
MAX_CHARS = 32_768

# Escape codes for terminal colors. XML cannot contain the escape character; pytest writes `#x1B`.
_COLOR = re.compile(r"(?:\x1b|#x1B)\[[0-9;]{0,20}m")

_NUMBER = r"(?:tensor\()?[-+]?(?:\d[\d.]*(?:e[-+]?\d+)?j?|nan|inf)(?!\w)\)?"

# The order matters: a rule may be a special case of a later rule. Each pattern comes with a
# lowercase text that every match contains: to look for the text first is ten times as fast. Every
# repeat of "any character" has a bound, so that no text takes long.
_RULES: tuple[tuple[Outcome, tuple[tuple[str, str], ...]], ...] = (
    (  # A test passed that was expected to fail: the expectation is out of date.
        "passed",
        (
            ("[xpass(strict)]", r"\A\s*\[XPASS\(strict\)\]"),
            ("unexpected success", r"\A\s*(?:Failed: |AssertionError: )?Unexpected success"),
        ),
    ),
    (  # A test expected an error that was not raised. The text names this error.
        "failed",
        (
            ("not raised", r"AssertionError: .{0,300}\bnot raised\b"),
            ("does not match", r'AssertionError: .{0,300}" does not match "'),
            ("did not raise", r"\bFailed: DID NOT RAISE\b"),
        ),
    ),
    (
        "wrong-result",
        (
            (
                "s are not ",
                r"\b(?:Tensor-likes|Scalars|(?:Sparse|Quantized) .{1,60}) are not (?:close|equal)!",
            ),
            ("mismatched elements", r"\bMismatched elements: \d"),
            ("booleans mismatch", r"\bBooleans mismatch: "),
            ("for attribute", r"\bThe values for attribute '\w{1,60}' do not match\b"),
            ("not equal to tolerance", r"\bNot equal to tolerance\b"),
            ("arrays are not", r"\bArrays are not (?:almost )?equal\b"),
            ("where false", r"\bwhere False = .{0,60}\ballclose\b"),
            ("assertionerror", rf"\bAssertionError: (?:assert )?{_NUMBER} [!=]= {_NUMBER}"),
            ("assert", rf"\bassert {_NUMBER} == {_NUMBER}"),
            ("±", r"\bassert .{1,300} ± "),
            ("assertionerror", r"\bAssertionError: .{0,200}\b(?:tolerance|rtol|atol)\b"),
        ),
    ),
    (
        "unsupported-operator",
        (
            ("implemented for", r"\bnot (?:currently |yet )?implemented for\b"),
            ("could not run", r"\bCould not run '[\w.]{1,60}::[\w.]{1,200}'"),
            (
                "_overrideable",
                r"\w_overrideable(?:_backward)?(?: not implemented\b|: You are likely triggering)",
            ),
            ("dispatchstub", r"\bDispatchStub: (?:missing kernel for|unsupported device type)"),
            ("unsupported operator", r"\b[Uu]nsupported operator\b"),
            ("unsupported scalartype", r"\b(?i:got) unsupported ScalarType\b"),
            ("required aspect", r"\bRequired aspect fp64 is not supported\b"),
            ("unsupportedoperatorerror", r"\bUnsupportedOperatorError\b"),
            ("missingoperator", r"\bMissingOperatorWith(?:out)?Decomp\b"),
        ),
    ),
    (
        "out-of-memory",
        (
            ("outofmemory", r"\bOutOfMemory(?:Error)?\b"),
            (
                "memory",
                r"(?i:(?<![a-z0-9])out[ _]of[ _](?:(?:device|host|gpu)[ _])?memory(?![a-z]))",
            ),
            ("memoryerror", r"\bMemoryError\b"),
            ("bad_alloc", r"\bstd::bad_alloc\b"),
            ("cublas_status", r"\bCUBLAS_STATUS_ALLOC_FAILED\b"),
            ("allocate memory", r"(?i:\bcan(?:'t|not) allocate memory\b)"),
        ),
    ),
    (
        "infrastructure-error",
        (
            ("no space left", r"\bNo space left on device\b"),
            ("max retries", r"\bMax retries exceeded with url\b"),
            ("http error", r"\bHTTP Error [45]\d\d\b"),
            ("name resolution", r"\bTemporary failure in name resolution\b"),
            ("resolve host", r"\b[cC]ould not resolve host\b"),
            ("requests.exceptions", r"\brequests\.exceptions\."),
            ("urllib.error", r"\burllib\.error\."),
            ("urlopen error", r"\burlopen error\b"),
            ("we couldn't connect", r"\bWe couldn't connect to 'https?:"),
            ("shutdown signal", r"\bThe runner has received a shutdown signal\b"),
            ("lost communication", r"\blost communication with the server\b"),
            ("are available", r"\bNo \w{2,8} (?:GPUs|devices) are available\b"),
        ),
    ),
    (
        "timed-out",
        (
            ("timeout", r"\A\s*(?:Failed: )?Timeout\b"),
            ("failed: timeout", r"\bFailed: Timeout\b"),
            ("timeout", r"\bTimeout \(?>"),
            ("+ timeout +", r"\+ Timeout \+"),
            ("timeoutexpired", r"\bTimeoutExpired\b"),
            ("timeouterror", r"\bTimeoutError\b"),
            ("operation timeout", r"\bcollective operation timeout\b"),
            ("timed out after", r"\btimed out after\b"),
        ),
    ),
    (
        "crashed",
        (
            ("segmentation fault", r"\b[sS]egmentation fault\b"),
            ("sig", r"\bSIG(?:SEGV|ABRT|BUS|ILL|FPE|KILL)\b"),
            ("(core dumped)", r"\(core dumped\)"),
            ("fatal python error", r"\bFatal Python error\b"),
            ("crashed", r"\bworker '\w{1,20}' crashed\b"),
        ),
    ),
    (
        "test-broken",
        (
            ("collection failure", r"\Acollection failure\b"),
            ("collecti", r"(?i:\berrors? (?:while |during )?collecti(?:ng|on)\b)"),
            (
                "importerror while",
                r"\bImportError while (?:importing test module|loading conftest)\b",
            ),
            ("fixture", r"\bfixture '[^'\n]{1,200}' not found\b"),
            ("`markers`", r"\bnot found in `markers` configuration option\b"),
            ("import file mismatch", r"\bimport file mismatch\b"),
            ("no module named", r"\bNo module named '"),
            # A private name of PyTorch that is gone.
            ("module 'torch' has no", r"\bmodule 'torch' has no attribute '_"),
            # TorchBench's own class, which sets up nothing on a device that it does not know.
            ("benchmark' object has no", r"'\w{1,60}Benchmark' object has no attribute '"),
        ),
    ),
)

_COMPILED = tuple(
    (outcome, word, re.compile(pattern)) for outcome, rules in _RULES for word, pattern in rules
)


def outcome_of_text(text: str) -> Outcome | None:
    """Return the outcome that `text`, a failed test's message or traceback, describes, or None.

    The outcome `passed` means that a test passed although it was expected to fail. If a text has
    more than `MAX_CHARS` characters, only its first and last `MAX_CHARS // 2` are read.
    """
    if len(text) > MAX_CHARS:
        text = f"{text[: MAX_CHARS // 2]}\n{text[-MAX_CHARS // 2 :]}"
    text = without_colors(text)
    lower_text = text.lower()
    for outcome, word, pattern in _COMPILED:
        if word in lower_text and pattern.search(text):
            return outcome
    return None


def without_colors(text: str) -> str:
    """Return a text without the escape codes for terminal colors."""
    return _COLOR.sub("", text)
