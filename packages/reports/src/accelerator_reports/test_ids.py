"""Splits a framework's test id into name and parameters; computes the key that identifies a test.

pytest writes parameters in brackets, joined by hyphens: `test_add[cpu-float32-shape0]`. PyTorch's
device-generic tests have the device and data type in the names of class and test:
`TestOpsCUDA::test_add_cuda_float32` is `TestOps::test_add` of float32, on any accelerator.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import quote, unquote

from accelerator_reports.report import Scalar, TestEntry
from accelerator_reports.suite_names import is_suite_name

# Words with which PyTorch, its plugins and their tests name a device.
DEVICES = frozenset(
    re.findall(
        r"\w+",
        "cpu cuda gcu gpu hip hpu ipu maia meta mlu mps mtia musa npu openreg privateuse1"
        " privateuseone rbln rocm sdaa spyre tpu vulkan xla xpu",
    )
)

DTYPES = frozenset(
    re.findall(
        r"\w+",
        "amp_bf16 amp_fp16 bfloat16 bool complex32 complex64 complex128 float16 float32 float64"
        " float4_e2m1fn_x2 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz"
        " float8_e8m0fnu"
        " int4 int8 int16 int32 int64 qint8 qint32 quint8 uint8 uint16 uint32 uint64",
    )
)

_DTYPE_ALIASES = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32", "fp64": "float64"}

MAX_NAME = 200
MAX_CASE = 400
MAX_SUITE = 60
_SUITE_ID = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class ParsedTestId:
    """A test's name and parameters, and the device that was part of its original name."""

    name: str
    parameters: Mapping[str, str]
    device: str | None = None


_PLUGIN_DEVICE = "privateuse1"

_CLASS_ENDING = re.compile(rf"(?:{'|'.join(sorted(DEVICES)).upper()})\Z")


def parse_junit_test_id(container: str, test: str) -> ParsedTestId:
    """Return a test's name, parameters and device from the attributes of its JUnit `<testcase>`.

    `container` is the attribute `classname`, and `test` is the attribute `name`. The returned name
    is empty if both are empty.
    """
    base, bracket, inside = test.partition("[")
    if not (bracket and base and inside.endswith("]")):
        base, inside = test, ""
    parameters, device = _bracket_parameters(inside.removesuffix("]"))
    if generic := _split_generic_test_id(container, base):
        container, base, name_parameters, device = generic
        parameters = _joined_parameters(name_parameters, parameters)
    name = "::".join(part for part in (container, base) if part)
    return ParsedTestId(shortened_with_digest(name, MAX_NAME), parameters, device)


def parse_pytest_node_id(nodeid: str) -> ParsedTestId:
    """Return a test's name, parameters and device from its pytest node id.

    The result is the same as for pytest's JUnit file. There, `tests/test_a.py::TestX::test_y[1]`
    has the `classname` `tests.test_a.TestX` and the `name` `test_y[1]`.
    """
    address, bracket, inside = nodeid.partition("[")
    file, *inner = address.split("::")
    names = [file.replace("/", ".").removesuffix(".py"), *inner]
    return parse_junit_test_id(".".join(names[:-1]), f"{names[-1]}{bracket}{inside}")


def parse_device_generic_name(container: str, test: str, device: str) -> ParsedTestId | None:
    """Return the name, parameters and device of a test that PyTorch generated for `device`.

    `container` is the file and class without the device: `test_ops.TestCommon`. `test` is the
    test's name with the device: `test_add_cuda_float32`. None if `test` does not contain the
    device.
    """
    name_and_parameters = _split_device_suffix(test, device)
    if name_and_parameters is None:
        return None
    base, parameters = name_and_parameters
    return ParsedTestId(shortened_with_digest(f"{container}::{base}", MAX_NAME), parameters, device)


def valid_suite_id(name: str) -> str | None:
    """Return a valid suite id for a name: `My Tests` becomes `my-tests`.

    A name that is a valid id is returned unchanged. None if the name has no ASCII letter or digit.
    """
    if len(name) <= MAX_SUITE and _SUITE_ID.fullmatch(name):
        return name
    words = re.findall(r"[a-z0-9]+", name.lower())
    return "-".join(words)[:MAX_SUITE].strip("-") or None


@lru_cache(maxsize=4096)  # each test of a file asks for the name of its suite
def valid_suite_name(name: str) -> str | None:
    """Return a valid suite name for a name: `My Tests` becomes `my-tests`.

    A valid suite name, such as `acme/kernels`, is returned unchanged. None if the name has no ASCII
    letter or digit.
    """
    return name if is_suite_name(name) else valid_suite_id(name)


def shortened_with_digest(text: str, limit: int) -> str:
    """Return a text, cut to at most `limit` characters.

    A cut text ends with a digest of the whole text, so that different texts stay different.
    """
    if len(text) <= limit:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    return f"{text[: limit - 17]}…{digest}"


def dtype_or_none(word: str) -> str | None:
    """Return PyTorch's name for a data type: `bfloat16` for `bf16`. None for other words."""
    word = word.removeprefix("torch.")
    word = _DTYPE_ALIASES.get(word, word)
    return word if word in DTYPES else None


def device_or_none(word: str) -> str | None:
    """Return the word if it names a device, such as `cuda` or `cuda:0`, else None."""
    kind, colon, number = word.partition(":")
    return word if kind in DEVICES and (number.isdigit() or not colon) else None


@lru_cache(maxsize=4096)  # many tests have the same parameters
def _bracket_parameters(inside: str) -> tuple[Mapping[str, str], str | None]:
    """Return the parameters and the device in the brackets of a test id.

    `cpu-float32-shape0` gives `{"dtype": "float32", "case": "shape0"}` and the device `cpu`. If
    there are two or more data types, they stay in `case`, because their roles are unknown. So do
    two or more devices: `cpu-npu` is another copy than `npu-cpu`.
    """
    if not inside:
        return {}, None
    # Meta's models, such as `meta-llama/Llama-3.1-8B`, are not on the device `meta`.
    parts = re.split(r"-(?!(?<=\bmeta-)\w+/)", inside)
    devices = [part for part in parts if device_or_none(part)]
    device = devices[0] if len(devices) == 1 else None
    rest = [part for part in parts if part != device]
    dtypes = [dtype for part in rest if (dtype := dtype_or_none(part))]
    parameters = {}
    if len(dtypes) == 1:
        parameters["dtype"] = dtypes[0]
        rest = [part for part in rest if not dtype_or_none(part)]
    if case := "-".join(rest):
        parameters["case"] = shortened_with_digest(case, MAX_CASE)
    return parameters, device


def _split_generic_test_id(
    container: str, test: str
) -> tuple[str, str, dict[str, str], str] | None:
    """Return the class, name, parameters and device of a device-generic test.

    `TestOpsCUDA` and `test_add_cuda_float32` give `("TestOps", "test_add", {"dtype": "float32"},
    "cuda")`. None if class and test don't name the same device. If the class ends with
    PRIVATEUSE1, the device is a plugin's, and the test's name contains the plugin's device name.
    """
    stem, class_device = _split_class_device(container)
    if not class_device:
        return None
    for device in sorted(DEVICES) if class_device == _PLUGIN_DEVICE else [class_device]:
        if name_and_parameters := _split_device_suffix(test, device):
            return stem, *name_and_parameters, device
    return None


@lru_cache(maxsize=4096)  # a class has many tests
def _split_class_device(container: str) -> tuple[str, str]:
    """Return a class without its device, and the device: `("TestOps", "cuda")` for `TestOpsCUDA`.

    The device is empty if the class names none.
    """
    ending = _CLASS_ENDING.search(container)
    return (container[: ending.start()], ending[0].lower()) if ending else (container, "")


def _split_device_suffix(test: str, device: str) -> tuple[str, dict[str, str]] | None:
    """Return a test's name without device and data type, and the parameters from its ending.

    `test_add_cuda_float32` gives `test_add` and `{"dtype": "float32"}`. None if the name does not
    contain the device, or if other words than data types follow the device.
    """
    base, separator, suffix = test.rpartition(f"_{device}")
    parameters = _suffix_parameters(suffix.removeprefix("_")) if suffix[:1] in {"", "_"} else None
    return (base, parameters) if base and separator and parameters is not None else None


def _suffix_parameters(suffix: str) -> dict[str, str] | None:
    if not suffix:
        return {}
    if dtype := dtype_or_none(suffix):
        return {"dtype": dtype}
    return {"case": suffix} if all(map(dtype_or_none, suffix.split("_"))) else None


def _joined_parameters(
    name_parameters: Mapping[str, str], other_parameters: Mapping[str, str]
) -> dict[str, str]:
    cases = [
        parameters["case"]
        for parameters in (name_parameters, other_parameters)
        if "case" in parameters
    ]
    joined = {**other_parameters, **name_parameters}
    return {**joined, "case": shortened_with_digest("-".join(cases), MAX_CASE)} if cases else joined


# Computes the key that identifies a test in all reports, from its suite, name and parameters.
#
# `torchbench/hf_Bert?compiler=inductor&dtype=float32&mode=inference` is such a key. Its parameters
# are in the order of their names. Characters that could be mistaken for separators are
# percent-encoded, as in a URL. Hardware is never part of a key.

# Parameters that are set for a whole run of a suite. Others (shapes, recipe) differ by test.
SETTINGS = frozenset({"compiler", "dtype", "dynamic", "freezing", "max_autotune", "mode"})

# Characters that are not encoded, because names of pytest, of models and of shapes contain them.
_SAFE_CHARACTERS = "/:[](),+*@!;"

Parameters = tuple[tuple[str, str], ...]


class UnreadableKeyError(ValueError):
    """Raised if a text is not a valid test key; the message quotes the text."""


@dataclass(frozen=True, slots=True, order=True)
class Identity:
    """A test regardless of hardware: its suite, name and parameters.

    `parameters` are pairs of a name and a value as text, sorted by name.
    """

    suite: str
    name: str
    parameters: Parameters = ()

    @property
    def key(self) -> str:
        """The test's key: `torchbench/hf_Bert?compiler=inductor&mode=inference`, in ASCII."""
        name = quote(self.name, _SAFE_CHARACTERS)
        return f"{_cached_quote(self.suite, '')}/{name}{_query_string(self.parameters)}"

    @property
    def group(self) -> str:
        """The suite and the test's settings: `torchbench?compiler=inductor&mode=inference`.

        Settings are the parameters that are the same for a whole run of a suite (see `SETTINGS`).
        """
        return group_name(self.suite, self.parameters)


IdentityValues: TypeAlias = tuple[str, str, Parameters]
"""The values of an `Identity`, which are made and compared faster than the object."""


def identity_of(test: TestEntry) -> Identity:
    """Return the identity of a test. Numbers and booleans become text: 8 becomes "8"."""
    return Identity(*identity_values(test))


def identity_values(test: TestEntry) -> IdentityValues:
    """Return the suite, the name and the parameters of the identity of a test."""
    return test.suite, test.name, parameters_of(test.parameters)


def parameters_of(parameters: Mapping[str, Scalar]) -> Parameters:
    """Return parameters as pairs of a name and a value as text, sorted by name."""
    if not parameters:  # as most tests of a large report
        return ()
    return tuple(sorted([(name, _parameter_text(value)) for name, value in parameters.items()]))


# A history is read by several pages, each of which parses the keys of all its tests.
@lru_cache(maxsize=1 << 17)
def parse_key(key: str) -> Identity:
    """Return the identity with this key. Raises UnreadableKeyError if the key is invalid."""
    path, question_mark, query = key.partition("?")
    suite, _, name = path.partition("/")
    pairs = (pair.partition("=") for pair in (query.split("&") if question_mark else ()))
    parameters = tuple((unquote(key), unquote(value)) for key, _, value in pairs)
    identity = Identity(unquote(suite), unquote(name), parameters)
    if not (identity.suite and identity.name) or identity.key != key:
        raise UnreadableKeyError(f'"{key[:200]}" is not a valid test key')
    return identity


def _parameter_text(value: Scalar) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


# A report of 100,000 tests has a handful of suites and settings: each is put together once.
@lru_cache(maxsize=4096)
def _cached_quote(text: str, safe: str) -> str:
    return quote(text, safe)


@lru_cache(maxsize=4096)
def _query_string(parameters: Parameters) -> str:
    pairs = (
        f"{quote(name, '')}={quote(value, _SAFE_CHARACTERS)}" for name, value in sorted(parameters)
    )
    return "?" + "&".join(pairs) if parameters else ""


@lru_cache(maxsize=4096)
def group_name(suite: str, parameters: Parameters) -> str:
    """Return the group of tests in a suite with these parameters, see `Identity.group`."""
    settings = tuple(pair for pair in parameters if pair[0] in SETTINGS)
    return f"{_cached_quote(suite, '')}{_query_string(settings)}"
