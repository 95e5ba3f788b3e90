"""Models `install.yaml`: a platform's install options, each with its steps in structured form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from posixpath import normpath
from typing import Annotated, get_args
from urllib.parse import unquote, urlsplit

from packaging.requirements import InvalidRequirement
from packaging.requirements import Requirement as PackageRequirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version
from pydantic import AfterValidator, Field, field_validator, model_validator

from accelerator_portal.catalog.files.versions_file import BuildKind
from accelerator_reports.files.fields import (
    Arch,
    Channel,
    EnvironmentName,
    EnvironmentValue,
    Flag,
    Id,
    Line,
    Method,
    Os,
    PythonVersion,
    StrictModel,
    Title,
    TorchVersions,
    Url,
    UrlTemplate,
    exactly_one_of,
    is_public_https_url,
    matches,
    validation_error,
)
from accelerator_reports.files.sources import Sourced, SourcedFile
from accelerator_reports.validation_file import Check

# Models one step of an install option in `install.yaml`, such as packages to install with pip.

_PLACEHOLDER = re.compile(r"\{[^{}]*\}")

# Source: distribution/reference. An image name can contain placeholders.
ImageName = Annotated[
    Line,
    matches(r"[\w{][\w.:/@{}+-]*", "use a format like name/image:tag", "is not a valid image name"),
]

# Options of `docker run` that take no value. Source: `docker run --help`, 28.
_DOCKER_SWITCH = re.compile(
    r"-[itdPq]+|--(?:detach|disable-content-trust|help|init|interactive|no-healthcheck"
    r"|oom-kill-disable|privileged|publish-all|quiet|read-only|rm|sig-proxy|tty|use-api-socket)"
)

# With these namespaces of the host, capabilities or folders, a program in the container can access
# the machine, or has fewer limits.
# Source: docs.podman.io on `--privileged`, read 2026-11-25.
_NAMESPACES = frozenset({"--net", "--network", "--pid", "--userns", "--uts"})
_CAPABILITIES = frozenset(
    ["ALL", "BPF", "DAC_READ_SEARCH", "NET_ADMIN", "SYS_ADMIN", "SYS_BOOT", "SYS_MODULE"]
)
_SYSTEM_FOLDERS = frozenset(
    ["/", "/boot", "/dev", "/etc", "/home", "/proc", "/root", "/run", "/sys", "/usr", "/var"]
)

_HOST_ACCESS_FLAGS = frozenset({"--privileged", "--use-api-socket"})

CONTAINER_ENGINES = frozenset({"docker", "nerdctl", "podman"})

_FILE_NAME = re.compile(r"[A-Za-z0-9_{][A-Za-z0-9_.+~{}-]{0,199}")


def package_name(package: str) -> str:
    """Return the package name of a requirement that may contain placeholders.

    For example, `torch=={torch}` → `torch`. Raises InvalidRequirement if `package` is not a
    requirement, or if it has a URL that is not the https address of a public host.
    """
    requirement = PackageRequirement(_PLACEHOLDER.sub("1", package))
    if requirement.url is not None and not is_public_https_url(
        requirement.url.removeprefix("git+")
    ):
        raise InvalidRequirement(f"{requirement.url} is not a valid address")
    return requirement.name


def _validate_requirement(package: str) -> str:
    try:
        package_name(package)
    except InvalidRequirement:
        if package.startswith("-"):
            what = f'"{package[:60]}" is an option, not a package'
            raise validation_error(
                what, "remove it; use the keys index, extra_index and pre instead"
            ) from None
        remedy = 'write one package per item, like "torch=={torch}"'
        raise validation_error(f'"{package[:60]}" is not a valid requirement', remedy) from None
    return package


class PipStep(StrictModel):
    """Packages to install with pip or uv."""

    packages: Annotated[
        tuple[Annotated[Line, AfterValidator(_validate_requirement)], ...], Field(min_length=1)
    ]
    """Requirement specifiers, one per item. In `torch=={torch}`, `{torch}` stands for the PyTorch
    release."""
    index: UrlTemplate | None = None
    """Address of the only package index to use. `{index}` stands for the index of the PyTorch
    release. Default: PyPI."""
    extra_index: Url | None = None
    """Address of a package index to use in addition to PyPI."""
    pre: Flag = False
    """Whether pip accepts pre-releases, such as nightly builds."""


def host_access_options(args: Sequence[str]) -> Iterator[str]:
    """Yield the options of `docker run` in `args` that give the container access to the machine.

    An option that takes a value is yielded with it: `--device /dev` or `--device=/dev`.
    """
    for word, following in zip(args, (*args[1:], ""), strict=False):
        option, joined, value = word.partition("=")
        if short := re.fullmatch(r"-[itdPq]*v=?(.*)", word):
            option, joined, value = "--volume", short[1], short[1]
        value = value if joined else following
        if _gives_host_access(option, value, switched_on=value.lower() if joined else "true"):
            yield word if joined or option in _HOST_ACCESS_FLAGS else f"{word} {following}"


def _gives_host_access(option: str, value: str, switched_on: str) -> bool:
    if option in _HOST_ACCESS_FLAGS:
        return switched_on not in {"0", "f", "false"}
    if option in _NAMESPACES:
        return value == "host"
    if option == "--cap-add":
        return value.upper().removeprefix("CAP_") in _CAPABILITIES
    if option == "--security-opt":
        return value.endswith(("unconfined", "disable"))
    if option == "--mount":
        pairs = (part.partition("=") for part in value.split(","))
        value = next((path for key, _, path in pairs if key in {"source", "src"}), "")
    elif option not in {"--device", "--volume"}:
        return False
    path = normpath(value.partition(":")[0])
    return path.replace("//", "/").replace("/var/run", "/run") in _SYSTEM_FOLDERS or path.endswith(
        ".sock"
    )


class HostAccess(Sourced):
    """Why a container gets access to the machine that it runs on."""

    reason: Line
    """One sentence for readers, for example `The driver in the container needs it.`"""


class DockerStep(StrictModel):
    """A container to start."""

    image: ImageName
    """Image name and tag, for example `rocm/pytorch:latest`."""
    args: tuple[Line, ...] = ()
    """Options of `docker run`. An option and its value are separate items: `["--device",
    "/dev/kfd"]`."""
    host_access: HostAccess | None = None
    """Why `args` give the container access to the machine, for example with `--privileged`. Readers
    see the reason with the command."""

    @field_validator("args")
    @classmethod
    def _validate_docker_options(cls, args: tuple[str, ...]) -> tuple[str, ...]:
        """Return the options of `docker run` unchanged.

        Raises PydanticCustomError if a word is neither an option nor the value of an option.
        """
        takes_value = False
        for word in args:
            is_option = word.startswith("-")
            if word == "--" or (not is_option and not takes_value):
                what = f'"{word[:60]}" is not an option; docker would use it as the image'
                raise validation_error(what, "write options only, each value after its option")
            takes_value = is_option and "=" not in word and not _DOCKER_SWITCH.fullmatch(word)
        return args

    @model_validator(mode="after")
    def _check_host_access_reason(self) -> DockerStep:
        option = next(host_access_options(self.args), None)
        if option and not self.host_access:
            what = f'"{option[:60]}" isolates the container less from the reader\'s machine'
            raise validation_error(
                what, "remove it, or state the reason and its source under host_access"
            )
        if self.host_access and not option:
            what = "no option in args gives the container access to the machine"
            raise validation_error(what, "remove host_access")
        return self

    @property
    def warning(self) -> str | None:
        """A warning that the container gets access to the reader's machine.

        None if `host_access` is not set.
        """
        if self.host_access is None:
            return None
        options = " and ".join(dict.fromkeys(host_access_options(self.args)))
        text = f"The container is less isolated from your machine: {options}."
        return f"{text} {self.host_access.reason}"


def _validate_file_url(url: str) -> str:
    path = urlsplit(url).path
    if path.endswith("/") or not path:
        raise validation_error(
            "the address does not end with a file name", "use the address of a file"
        )
    name = unquote(path).rpartition("/")[2]  # the argument of `curl -o`
    if not _FILE_NAME.fullmatch(name):
        shown = ascii(name)[1:-1][:60]
        raise validation_error(
            f'the file name "{shown}" is not plain', "use letters, digits and . _ + - ~"
        )
    return url


class DownloadStep(StrictModel):
    """A file to download."""

    url: Annotated[UrlTemplate, AfterValidator(_validate_file_url)]
    """The https address of the file."""
    unzip: Flag = False
    """Whether the file is unpacked after the download."""


class Step(StrictModel):
    """One step. Set exactly one key."""

    pip: PipStep | None = None
    """Python packages to install with pip or uv."""
    docker: DockerStep | None = None
    """A container to start."""
    download: DownloadStep | None = None
    """A file to download."""
    run: Annotated[tuple[Line, ...], Field(min_length=1)] | None = None
    """A command, with the program and each argument as an item: `[git, clone, "https://…"]`. Shell
    syntax such as pipes is not allowed."""
    env: Annotated[Mapping[EnvironmentName, EnvironmentValue], Field(min_length=1)] | None = None
    """Environment variables to set, by name."""

    _check_one_key = exactly_one_of("pip", "docker", "download", "run", "env")

    @model_validator(mode="after")
    def _check_run_command(self) -> Step:
        if (
            self.run
            and not CONTAINER_ENGINES.isdisjoint(self.run)
            and (option := next(host_access_options(self.run), None))
        ):
            what = f'"{option[:60]}" isolates the container less from the reader\'s machine'
            raise validation_error(what, "write the command as a docker step with host_access")
        return self


_RELEASE_SOURCE_KEYS = (*get_args(BuildKind), "compatibility")


class Requirement(Sourced):
    """Software that must be installed before the commands run."""

    name: Title
    """Name of the driver, SDK or tool, for example `CANN`."""
    version: Line | None = None
    """The version, or a version specifier such as `>=580.65.06`."""
    os: Annotated[tuple[Os, ...], Field(min_length=1)] | None = None
    """The operating systems to which the requirement applies. Default: all."""
    url: Url | None = None
    """Address of the download page."""


class Variant(StrictModel):
    """One of several builds of a platform, such as CUDA 13.0."""

    id: Id
    """Id of the build, as in the wheel index, for example `cu130`. It never changes, because links
    use it."""
    name: Title
    """Title that readers see, for example `CUDA 13.0`."""
    version: Line | None = None
    """SDK version of the build, for example `13.0`. It replaces `{variant_version}` in the
    steps."""
    requires: tuple[Requirement, ...] = ()
    """Software that the variant requires on the machine."""


class Option(Sourced):
    """One install option. It covers all combinations of its values.

    Set at most one of `wheels`, `images`, `archives` and `compatibility`. This key selects the
    torch releases, and `torch` can limit the selection. Without these keys, `torch` selects the
    releases.
    """

    id: Id
    """Id of the option. It is unique in the file and never changes, because links use it."""
    channel: Channel = "stable"
    """`stable` for releases or `preview` for nightly builds. Default: `stable`."""
    wheels: Line | None = None
    """Pattern for variants, for example `cu*`: the option has the releases for which
    `data/releases.yaml` lists wheels of a matching variant."""
    images: Line | None = None
    """Pattern for variants, as in `wheels`, for the Docker images that `data/releases.yaml`
    lists."""
    archives: Line | None = None
    """Pattern for variants, as in `wheels`, for the LibTorch archives that `data/releases.yaml`
    lists."""
    compatibility: Flag = False
    """Whether the option has the torch releases of `compatibility.yaml`. Each release gets its
    newest plugin version that has stated requirements. If no version has them, it gets its newest
    plugin version."""
    torch: TorchVersions | None = None
    """PyTorch releases of the option: a list such as `["2.9.0"]`, or a version specifier such as
    `>=2.8` for releases in `data/releases.yaml`."""
    methods: Annotated[tuple[Method, ...], Field(min_length=1)]
    """Install methods that the option offers, for example `pip` and `docker`."""
    os: Annotated[tuple[Os, ...], Field(min_length=1)] | None = None
    """Operating systems. With the key `wheels`, `images` or `archives`, only builds for these
    operating systems are used. Without these keys, this key is required."""
    arch: Annotated[tuple[Arch, ...], Field(min_length=1)] | None = None
    """Processor architectures, as in `os`."""
    python: Annotated[tuple[PythonVersion, ...], Field(min_length=1)] | None = None
    """Python versions to which the option is limited."""
    variants: Annotated[tuple[Id, ...], Field(min_length=1)] | None = None
    """Ids of the variants to which the option is limited."""
    requires: tuple[Requirement, ...] = ()
    """Software that the option requires on the machine."""
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    """The install steps in order."""
    check: Id | None = None
    """Id of the check in `checks` that tests this installation."""
    note: Line | None = None
    """One sentence that is shown below the commands."""
    on_request: Flag = False
    """Whether the selector prefers other stable options. It then uses this option only if no other
    matches, for example after the reader selects its PyTorch release."""

    @model_validator(mode="after")
    def _check_one_release_source(self) -> Option:
        used_keys = [name for name in _RELEASE_SOURCE_KEYS if getattr(self, name)]
        if len(used_keys) > 1:
            raise validation_error(
                f"{used_keys[0]} and {used_keys[1]} cannot be combined", "remove one of the two"
            )
        if not (used_keys or self.torch):
            what = "the option has no torch releases"
            raise validation_error(what, "add wheels, images, archives, compatibility or torch")
        if not self.published and not (self.os and self.arch):
            raise validation_error(
                "the option has no operating systems or architectures", "add os and arch"
            )
        return self

    @property
    def published(self) -> tuple[BuildKind, str] | None:
        """The kind of builds that the option installs, and the pattern for their variants.

        For example, `wheels: cu*` → `("wheels", "cu*")`. None if the option sets none of the keys
        `wheels`, `images` and `archives`.
        """
        kinds: tuple[BuildKind, ...] = get_args(BuildKind)
        return next(((kind, glob) for kind in kinds if (glob := getattr(self, kind))), None)

    def admits(self, version: str) -> bool:
        """Return whether the option's `torch` includes a release. True if `torch` is not set."""
        if self.torch is None:
            return True
        if isinstance(self.torch, str):
            return SpecifierSet(self.torch).contains(Version(version))
        return version in self.torch


class Install(SourcedFile):
    """The install options of one platform."""

    variants: tuple[Variant, ...] = ()
    """The builds of the platform, newest first. Omit it if there is only one build."""
    requires: tuple[Requirement, ...] = ()
    """Software that all options require on the machine."""
    checks: Mapping[Id, Check] = Field(default_factory=dict)
    """The checks of the installation, by id."""
    options: tuple[Option, ...]
    """The install options."""
