"""Validates single values in contributed files, such as ids and URLs, with pydantic types."""

from __future__ import annotations

import datetime as dt
import ipaddress
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal
from urllib.parse import SplitResult, urlsplit

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Strict,
    Tag,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from accelerator_reports.files.text_file import HIDDEN_CHARACTER

if TYPE_CHECKING:
    from typing_extensions import Self

# Checks whether the host of an address is public, without resolving names.

# Source: RFC 1123, 2.1, and RFC 1035, 2.3.4. A label in Punycode would be shown in letters of
# another alphabet. A last label that begins with a digit is an IPv4 address in another notation:
# `127.1`, `0x7f.1` and `2130706433` are all the loopback address.
_LABEL = r"(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"(?=.{{1,253}}\Z)(?:{_LABEL}\.)+(?![0-9]){_LABEL}\.?", re.IGNORECASE)

# Names that never leave a machine or its own network. Sources: RFC 6761, 6.3; RFC 6762, 3;
# RFC 8375; ICANN's resolution 2024.07.29.06 (`.internal`).
_PRIVATE_SUFFIXES = (".localhost", ".local", ".internal", ".home.arpa", ".localdomain")


def is_public(parts: SplitResult) -> bool:
    """Return whether an address has a public host. False if its port is invalid.

    `parts` is the address as `urlsplit` returns it.
    """
    try:
        if parts.port == 0:
            return False
    except ValueError:
        return False
    host = parts.hostname or ""
    return is_public_ip(host) or is_public_name(host)


def is_public_name(host: str) -> bool:
    """Return whether a host name is valid and does not belong to a private network."""
    name = host.lower().rstrip(".")
    return bool(_NAME.fullmatch(host)) and not name.endswith(_PRIVATE_SUFFIXES)


def is_public_ip(text: str) -> bool:
    """Return whether a text is a public unicast IP address."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    embedded = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
    return address.is_global and not address.is_multicast and (not embedded or embedded.is_global)


_LONGEST_VERSION = 120

Os = Literal["linux", "windows", "macos"]
Arch = Literal["x86_64", "aarch64", "s390x", "ppc64le", "riscv64"]
# The backends of PyTorch's dispatcher, and its backends without autograd keys of their own.
# Source: C10_FORALL_BACKEND_COMPONENTS and enum class DispatchKey in c10/core/DispatchKey.h.
DispatchKey = Literal[
    "CPU",
    "CUDA",
    "HIP",
    "XLA",
    "MPS",
    "IPU",
    "XPU",
    "HPU",
    "VE",
    "Lazy",
    "MTIA",
    "MAIA",
    "PrivateUse1",
    "PrivateUse2",
    "PrivateUse3",
    "Meta",
    "FPGA",
    "Vulkan",
    "Metal",
]
Method = Literal["pip", "uv", "docker", "source", "libtorch"]
Channel = Literal["stable", "preview"]
Integration = Literal["in-tree", "out-of-tree"]
FeatureId = Literal[
    "amp",
    "bf16",
    "fp8",
    "autograd",
    "sdpa",
    "compile",
    "export",
    "graphs",
    "distributed",
    "fsdp",
    "checkpoint",
    "dataloader",
    "optimizers",
    "quantization",
    "sparse",
    "complex",
    "profiler",
]


class StrictModel(BaseModel):
    """Base class of the models of contributed files: immutable; unknown keys are errors.

    The docstring below a field is the field's description in JSON Schemas. If the field's type is a
    model, the two need different docstrings, because pydantic leaves out a repeated one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    @classmethod
    def from_objects(cls, *sources: object, **fields: Any) -> Self:  # noqa: ANN401 - values of any field
        """Return an instance with values from `fields` and from attributes of `sources`.

        A field that is not in `fields` gets its value from the first object in `sources` that has
        an attribute of the same name.
        """
        for name in cls.model_fields.keys() - fields.keys():
            for source in sources:
                if hasattr(source, name):
                    fields[name] = getattr(source, name)
                    break
        return cls(**fields)


DESCRIBED: Final = ConfigDict(use_attribute_docstrings=True, extra="forbid")
"""Describes the fields of a published dataclass in its JSON Schema, as `StrictModel` does."""

UNPUBLISHED = Field(exclude=True)
"""Marks a field of a published dataclass that the published data does not have."""


class OpenModel(BaseModel):
    """Base class of models of files whose format others define. Immutable; ignores unknown keys."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True)


def validation_error(what: str, remedy: str) -> PydanticCustomError:
    """Return the error that a validator raises: what is wrong, and the fix."""
    return PydanticCustomError("portal", "{what}; {remedy}", {"what": what, "remedy": remedy})


def exactly_one_of(*names: str) -> Any:  # noqa: ANN401 - pydantic's own type
    """Return a validator of a model that refuses it unless exactly one field in `names` is set.

    Assign the validator to a name in the model's class. A field is set if it is not None. The names
    must be keys of the file, which have no alias.
    """

    def check(record: StrictModel) -> StrictModel:
        if sum(getattr(record, name) is not None for name in names) != 1:
            what = f"exactly one of these keys is required: {', '.join(names)}"
            raise validation_error(what, "set one of them and no other")
        return record

    return model_validator(mode="after")(check)


def reject_hidden_characters(value: str) -> str:
    """Return a text unchanged. Raises PydanticCustomError if it has an invisible character."""
    if hidden := HIDDEN_CHARACTER.search(value):  # such as `"\u202e"`, escaped in a file
        what = f"the character U+{ord(hidden[0]):04X} is not allowed in text"
        raise validation_error(what, "remove it")
    return value


# The signs of the portal's outcomes, and symbols and emoji that look like verdicts, such as check
# marks, crosses, stars and circles. Letters of all scripts, ×, ® and ™ are allowed, and so are the
# arrows from U+2190 to U+21FF.
VERDICT_MARK = re.compile(
    r"[\u203c\u2049\u2139\u20e3\u2205\u221a\u2260\u2295-\u22a1\u2300-\u27bf\u2b00-\u2bff"
    r"\u3297\u3299\uffed\uffee\U00010102\U0001f000-\U0001fbff]"
)


def reject_verdict_marks(value: str) -> str:
    """Return a name unchanged.

    Raises PydanticCustomError if it contains a symbol that looks like a verdict, such as a check
    mark or a star.
    """
    if mark := VERDICT_MARK.search(value):
        what = f"the character U+{ord(mark[0]):04X} is not allowed in a name"
        raise validation_error(what, "remove it; the portal uses such symbols for its own results")
    return value


def matches(pattern: str, remedy: str, what: str = "has an invalid format") -> AfterValidator:
    """Return a validator for `Annotated`. It accepts only texts that match the whole pattern.

    For other texts, it raises PydanticCustomError. The error message consists of the
    text, `what` and the fix `remedy`.
    """
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if not compiled.fullmatch(value):
            raise validation_error(f'"{value[:60]}" {what}', remedy)
        return value

    return AfterValidator(check)


def without_github_address(pattern: str) -> AfterValidator:
    """Return a validator that refuses an address or a mention of a name, and states the name.

    `pattern` is that of the name on GitHub, such as a login in `@octocat`.
    """
    compiled = re.compile(rf"(?:@|(?:https?://)?(?:www\.)?github\.com/)({pattern}?)(?:\.git)?/?")

    def check(value: str) -> str:
        if found := compiled.fullmatch(value):
            raise validation_error(f'"{value[:60]}" has more than the name', f'write "{found[1]}"')
        return value

    return AfterValidator(check)


def _validate_line(value: str) -> str:
    text = value.strip()
    if not text:
        raise validation_error("the text is empty", "enter a value or remove the key")
    return _reject_line_breaks(text)


def _reject_line_breaks(value: str) -> str:
    if re.search(r"[\n\r\t]", value):
        raise validation_error("the text has a line break or a tab", "write it on one line")
    return reject_hidden_characters(value)


def _validate_name(value: str) -> str:
    if re.search(r"[<>&]", value):
        # The theme writes a page's title into its menus without escaping it.
        raise validation_error(
            f'"{value[:60]}" has a <, > or &', "write the name without these characters"
        )
    return reject_verdict_marks(_validate_line(value))


def _validate_paragraph(value: str) -> str:
    return _validate_line(" ".join(value.split()))


def _validate_url(value: str) -> str:
    return _validate_public_url(value, written=value)


def _validate_public_url(value: str, written: str) -> str:
    """Return `written`, an address in a contributed file, if the address is valid.

    `value` is the address with `x` in place of each placeholder. Raises PydanticCustomError if
    `value` is not the https address of a public host, or if `written` contains an invisible
    character.
    """
    if not is_public_https_url(value):
        what, remedy = url_fault(value)
        if _is_unambiguous_https_url(value):
            host = urlsplit(value).netloc
            raise validation_error(f'"{host[:60]}" is not the name of a public host', remedy)
        raise validation_error(f'"{written[:60]}" {what}', remedy)
    return reject_hidden_characters(written)


def url_fault(value: str) -> tuple[str, str]:
    """Return what is wrong with an invalid https address, and the fix."""
    if value.startswith("http://"):
        return "is not a web address with https", "write https:// instead of http://"
    return "is not a web address", "write a full https:// address"


def is_public_https_url(value: str) -> bool:
    """Return whether a text is an https address of a public host.

    False if there is a user name or a non-ASCII letter before the path, because these could hide
    the real host.
    """
    return _is_unambiguous_https_url(value) and is_public(urlsplit(value))


def is_site_path(value: str) -> bool:
    """Return whether a text is the path of a page of this site: `/install/` or `/faq/#cuda`."""
    return re.fullmatch(r"/(?:[a-z0-9.-]+/)*(?:#[a-z0-9-]+)?", value) is not None


def _is_unambiguous_https_url(value: str) -> bool:
    """Return whether a text is an https address that clearly shows its host.

    False for a user name before the host, as in `https://pytorch.org@example.org`, and for
    non-ASCII letters in the host.
    """
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    host = parts.netloc
    is_unambiguous = host.isascii() and "@" not in host and "%" not in host
    is_https = value.startswith("https://") and bool(parts.hostname)
    return is_https and is_unambiguous and not re.search(r"[\s<>\"'`\\]", value)


def _validate_url_template(value: str) -> str:
    """Check an address that may have placeholders, and return it unchanged.

    A placeholder such as `{torch}` may be anywhere after the host. `{index}` may replace the
    beginning of the address. Raises PydanticCustomError if a placeholder is in the host, or if the
    address is not the https address of a public host.
    """
    full_url = re.sub(r"^\{index\}(?=/|\Z)", "https://index.example", value)
    if re.match(r"https://[^/?#]*\{", full_url):
        raise validation_error("the address has a placeholder in its host", "use a real host name")
    return _validate_public_url(re.sub(r"\{[^{}]*\}", "x", full_url), value)


def version_or_none(text: str) -> Version | None:
    """Return the parsed version. Return None for a text that is not a version: `2.10.*`."""
    try:
        return Version(text)
    except InvalidVersion:
        return None


def exact_version(specifier: SpecifierSet) -> str | None:
    """Return the version that a specifier pins: `2.9.0` for `==2.9.0`. None if it pins none."""
    clauses = list(specifier)
    if len(clauses) != 1 or clauses[0].operator not in {"==", "==="}:
        return None
    version = clauses[0].version
    return version if version_or_none(version) else None  # `2.9.*` is no version


def _validate_version(value: str) -> str:
    _limit_version_length(value)
    version = version_or_none(value)
    if version is None:
        raise validation_error(f'"{value[:60]}" is not a version', 'use a format like "2.10.0"')
    if (normal := str(version)) != value:
        raise validation_error(f'"{value}" is not in normalized form', f'write "{normal}"')
    return value


def _validate_specifier(value: str) -> str:
    _limit_version_length(value)
    try:
        SpecifierSet(value)
    except InvalidSpecifier:
        remedy = 'use a format like ">=2.6,<2.15"'
        if re.fullmatch(r"\d+(\.\d+)*", value):
            remedy = f'write "=={value}" for exactly this release, or a range like ">=2.6,<2.15"'
        raise validation_error(f'"{value[:60]}" is not a version specifier', remedy) from None
    return value


def _limit_version_length(value: str) -> None:
    """Raise PydanticCustomError if a version is longer than `_LONGEST_VERSION` characters.

    Python cannot parse integers of more than 4,300 digits.
    """
    if len(value) > _LONGEST_VERSION:
        raise validation_error(f'"{value[:60]}…" is too long for a version', "shorten it")


def _parse_day(value: object) -> object:
    """Return a date unchanged, or the date in a text such as `2026-11-21`.

    Raises PydanticCustomError for other values, such as numbers, which pydantic would accept.
    """
    if isinstance(value, str):
        with suppress(ValueError):
            return dt.date.fromisoformat(value)
    elif isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    raise validation_error("expected a date", "use a format like 2026-11-21")


def _reject_bool(value: object) -> object:
    """Return the value unchanged.

    Raises PydanticCustomError for a bool, which pydantic would convert to 0 or 1.
    """
    if isinstance(value, bool):
        raise validation_error("expected a number", "write digits, without a unit")
    return value


def _torch_versions_tag(value: object) -> str:
    return "list" if isinstance(value, list | tuple) else "text"


def _wrap_in_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


Line = Annotated[str, AfterValidator(_validate_line), Field(min_length=1, max_length=400)]
Title = Annotated[Line, AfterValidator(reject_verdict_marks)]
Name = Annotated[str, AfterValidator(_validate_name), Field(min_length=1, max_length=40)]
Paragraph = Annotated[str, AfterValidator(_validate_paragraph), Field(min_length=1, max_length=900)]
Code = Annotated[
    str, AfterValidator(reject_hidden_characters), Field(min_length=1, max_length=4000)
]
Url = Annotated[
    str, AfterValidator(_validate_url), Field(max_length=500, json_schema_extra={"format": "uri"})
]
UrlTemplate = Annotated[Line, AfterValidator(_validate_url_template)]
TorchVersion = Annotated[str, AfterValidator(_validate_version)]
Specifier = Annotated[str, AfterValidator(_validate_specifier)]
Flag = Annotated[bool, Strict()]
Day = Annotated[dt.date, BeforeValidator(_parse_day)]

# This must follow the bounds; before them, it would make their JSON Schema invalid.
NOT_BOOL = BeforeValidator(_reject_bool)
Count = Annotated[int, Field(ge=0, le=10**9), NOT_BOOL]

_ID = r"[a-z0-9]+(?:[-_.][a-z0-9]+)*"
Id = Annotated[
    str,
    matches(_ID, "use lowercase letters and digits, separated by a single -, _ or ."),
    Field(max_length=60),
]
AdditionalPlatformId = Annotated[
    str,
    matches(
        r"[a-z][a-z0-9]*([_-][a-z0-9]+)*",
        "use lowercase letters and digits, separated by single - or _ characters",
    ),
    Field(max_length=80),
]
"""An id as pytorch.org's Additional Platforms page writes it, which may have an underscore."""
Mark = Annotated[str, matches(r"[A-Za-z0-9]{2}", "write two letters or digits")]
PackageName = Annotated[
    str,
    matches(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", "write a package name"),
    Field(max_length=100),
]
PlatformTag = Annotated[
    str,
    matches(r"[A-Za-z0-9_.]+", 'write a platform tag such as "manylinux_2_28_x86_64"'),
    Field(max_length=80),
]
ModuleName = Annotated[
    str,
    matches(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*", "write a module name"),
    Field(max_length=100),
]
DeviceString = Annotated[
    str,
    matches(
        r"[a-z][a-z0-9_]*",
        "write the device type in lowercase, as torch.device() takes it, without an index",
        "is not a device string",
    ),
    Field(max_length=40),
]
GitHubLogin = Annotated[
    str,
    without_github_address(r"[A-Za-z0-9-]+"),
    matches(r"[A-Za-z0-9](?:-?[A-Za-z0-9])*", "write a GitHub login"),
    Field(max_length=39),
]
PythonVersion = Annotated[str, matches(r"3\.[0-9]{1,2}t?", 'use a format like "3.13", or "3.13t"')]
EnvironmentName = Annotated[
    str, matches(r"[A-Za-z_][A-Za-z0-9_]*", "use letters, digits and _"), Field(max_length=100)
]
EnvironmentValue = Annotated[str, AfterValidator(_reject_line_breaks), Field(max_length=400)]

TorchVersions = Annotated[
    Annotated[tuple[TorchVersion, ...], Tag("list")] | Annotated[Specifier, Tag("text")],
    Discriminator(_torch_versions_tag),
    WithJsonSchema({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]}),
]
SourceIds = Annotated[
    tuple[Id, ...],
    BeforeValidator(_wrap_in_list),
    Field(min_length=1),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string"},
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
            ]
        }
    ),
]
