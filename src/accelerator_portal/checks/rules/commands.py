"""Checks the commands that readers copy: what they may run, and from which hosts they download."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.catalog import HOSTS
from accelerator_portal.catalog.files.install_file import CONTAINER_ENGINES, Step
from accelerator_portal.catalog.markdown_file import MarkdownFile
from accelerator_portal.checks.rule import rule
from accelerator_portal.checks.shell_commands import (
    GROUP_ENDS,
    SHELLS,
    Command,
    Pipeline,
    fetches,
    is_filter,
    pipelines,
    pipelines_of_words,
    program_and_arguments,
    program_name,
    runs_its_input,
    startup_file,
)
from accelerator_portal.results.stored_reports import stored_reports
from accelerator_reports.files.problem import Problem
from accelerator_reports.files.yaml_file import Location

# Finds the commands that readers may copy: in install files, guides, FAQs and test reports.

# Reports contain many commands, and most are of the harness. Only texts with a pipe, a backtick, a
# parenthesis, an address, a dot, an at sign, a container engine, or a word that
# `words_disabling_checks` looks for are parsed.
_MAY_BE_UNSAFE = re.compile(
    r"[|`@.(]|//|verify|insecure|trust|check|force|auth|ssl|tls|docker|podman|nerdctl|-\w*k",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class CommandText:
    """A command, or code that contains commands, with its file and line.

    `path` is the file. If the command is from an install step, `run` contains the words of the
    command. Otherwise, `run` is empty. `prose` is true if `text` is from a sentence, so that it is
    possibly not a command.
    """

    path: str
    line: int
    text: str
    run: tuple[str, ...] = ()
    prose: bool = False

    def pipelines(self) -> tuple[Pipeline, ...]:
        """Return the shell pipelines in the text. Their line numbers are relative to `line`."""
        return tuple(pipelines_of_words(self.run)) if self.run else _text_pipelines(self.text)


# Two rules read each text.
@lru_cache(maxsize=2048)
def _text_pipelines(text: str) -> tuple[Pipeline, ...]:
    return tuple(pipelines(text)) if _MAY_BE_UNSAFE.search(text) else ()


def command_texts(catalog: Catalog) -> Iterator[CommandText]:
    """Yield the commands in vendors' YAML files, in guides and FAQs, and in reports.

    A command that occurs several times in a report is yielded once.
    """
    for platform in catalog.platforms:
        yield from _yaml_command_texts(platform)
    for file in (*catalog.texts, *catalog.translations):
        yield from _markdown_command_texts(file)
    for stored in stored_reports(catalog)[0]:
        commands: dict[str, int] = {}
        for suite in stored.report.suites:
            commands.setdefault(suite.command or "", 1)
        for index, test in enumerate(stored.report.tests):
            commands.setdefault(test.command or "", (stored.first_test or 1) + index)
        for command, line in commands.items():
            if command:
                yield CommandText(stored.path, line, command)


def _yaml_command_texts(platform: Platform) -> Iterator[CommandText]:
    install, accelerator = platform.files["install.yaml"], platform.files["accelerator.yaml"]
    for step in platform.steps:
        line = platform.line_of(step)
        if step.run:
            yield CommandText(install.path, line, " ".join(step.run), step.run)
        if step.docker and step.docker.args:
            words = ("docker", "run", *step.docker.args, step.docker.image)
            yield CommandText(install.path, line, " ".join(words), words)
        for name, value in (step.env or {}).items():
            yield CommandText(install.path, line, f"{name}={value}", (f"{name}={value}",))
    for index, option in enumerate(platform.install.options):
        if option.note:
            line = install.line(("options", index, "note"))
            yield CommandText(install.path, line, option.note, prose=True)
    for index, entry in enumerate(platform.accelerator.identify):
        line = accelerator.line(("identify", index, "command"))
        yield CommandText(accelerator.path, line, entry.command)


def _markdown_command_texts(file: MarkdownFile) -> Iterator[CommandText]:
    for block in file.code:
        yield CommandText(file.path, block.line, block.text)
    for span in file.spans:
        yield CommandText(file.path, span.line, span.text.replace("`", ""), prose=True)


# Finds the addresses in the steps of install options, and the hosts of addresses.

# The length is bounded, so that a search takes time proportional to the text. No real scheme is
# longer.
_SCHEME = re.compile(r"(?<![a-z0-9])[a-z][a-z0-9+.-]{0,30}://", re.IGNORECASE)

# The most characters of a host, a port and the user name; longer addresses have no listed host.
_MAX_ADDRESS_LENGTH = 300


def text_addresses(text: str) -> list[str]:
    """Return every address in a text, of any scheme.

    An address ends at the next space, or after _MAX_ADDRESS_LENGTH characters. It can contain
    quotation marks and brackets, because programs accept them in addresses. For example,
    `https://trusted)@evil.example` leads to the host `evil.example`.
    """
    starts = [match.start() for match in _SCHEME.finditer(text)]
    return [text[start : start + _MAX_ADDRESS_LENGTH].split(maxsplit=1)[0] for start in starts]


def step_addresses(step: Step) -> Iterator[tuple[Location, str]]:
    """Yield every address that a step fetches from, with its location in the step."""
    for location, text in _step_texts(step):
        yield from ((location, address) for address in text_addresses(text))


def host_of(address: str) -> str:
    """Return the host of an address; empty without a host or for an invalid address."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def registry_of(image: str) -> str:
    """Return the host of the registry in an image name, or `docker.io` if there is none.

    Names are read as Docker does. Source: splitDockerDomain in distribution/reference.
    """
    host, slash, _ = image.partition("/")
    has_host = "." in host or ":" in host or host == "localhost" or host != host.lower()
    return host.partition(":")[0].lower() if slash and has_host else "docker.io"


def _step_texts(step: Step) -> Iterator[tuple[Location, str]]:
    """Yield every text of a step that may contain an address, with its location."""
    if step.pip:
        yield from ((("pip", "packages", n), text) for n, text in enumerate(step.pip.packages))
        yield ("pip", "index"), step.pip.index or ""
        yield ("pip", "extra_index"), step.pip.extra_index or ""
    if step.docker:
        yield ("docker", "image"), f"https://{registry_of(step.docker.image)}/"
        yield from ((("docker", "args", n), text) for n, text in enumerate(step.docker.args))
    if step.download:
        yield ("download", "url"), step.download.url
    yield from ((("run", n), text) for n, text in enumerate(step.run or ()))
    yield from ((("env", name), text) for name, text in (step.env or {}).items())


_SAFE_SCHEMES = {"https", "ssh"}
# Requests over http to these hosts stay on the machine: to a server that the reader started, and
# to the metadata service of a cloud instance.
_LOCAL_HOSTS = frozenset({"127.0.0.1", "169.254.169.254", "localhost"})

# Characters that join commands or insert one into another.
_CONTROL_CHARACTERS = frozenset("|;&`$<>\n")
_DOWNLOAD_FIRST = "download to a file first, then run the file"
_CMD_OPTION = re.compile("/[A-Za-z]")
SafetyFault = tuple[str, str]  # what is wrong, and the fix

_UNSAFE_OPTIONS = (
    "--allow-insecure-host", "--allow-unauthenticated", "--force-yes", "--insecure",
    "--insecure-host", "--no-check-certificate", "--no-gpg-check", "--no-ssl-verify",
    "--no-verify-ssl", "--nogpgcheck", "--trusted-host", "-skipcertificatecheck",
)  # fmt: skip

_UNSAFE_VARIABLES = frozenset(
    {"CONDA_SSL_VERIFY", "CURL_INSECURE", "GIT_SSL_NO_VERIFY", "GIT_SSL_CAINFO",
     "HF_HUB_DISABLE_SSL", "NODE_TLS_REJECT_UNAUTHORIZED", "NPM_CONFIG_STRICT_SSL",
     "PIP_TRUSTED_HOST", "PYTHONHTTPSVERIFY", "SSL_NO_VERIFY", "UV_INSECURE_HOST"}
)  # fmt: skip

_UNSAFE_SETTINGS = (
    "global.trusted-host", "http.sslverify", "install.trusted-host", "ssl_verify", "strict-ssl",
)  # fmt: skip
_UNSAFE_VALUES = (
    "allowinsecurerepositories=true", "gpgcheck=0", "sslverify=0", "sslverify=false",
    "trusted=yes", "verify-host=false", "verify-peer=false",
)  # fmt: skip

_HOST = re.compile(
    r"(?:[^\s/@]{1,80}@)?((?:[a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{1,62})(?=[:/?#]|\Z)", re.IGNORECASE
)
# The digest of an image, as in `ubuntu@sha256:…`, is no address.
_SSH_ADDRESS = re.compile(r"[\w.-]{1,80}@(?!sha256:)([\w.-]{1,253}):(?!//)")
_REGISTRY_IMAGE = re.compile(
    r"(?:[a-z0-9-]{1,63}\.)+[a-z]{2,63}(?::\d{1,5})?/|[a-z0-9-]{1,63}:\d{1,5}/|localhost[:/]",
    re.IGNORECASE,
)

# Downloaders, each with its short options that take a value, which may be the next word.
# Sources: curl(1), wget(1), aria2c(1), axel(1), xh(1).
_WGET_VALUES = "aABDeiIlOoPQRtTUwX"
_URL_FETCHERS = {
    "aria2c": "dijklmMoOstTux", "axel": "HnosTU", "curl": "AbcCdDeEFHKmoPQrtTuUwxXyYz",
    "invoke-restmethod": "", "invoke-webrequest": "", "irm": "", "iwr": "", "wget": _WGET_VALUES,
    "wget2": _WGET_VALUES, "xh": "aAop",
}  # fmt: skip

# Long options of downloaders whose value is the next word and is not an address.
_OPTIONS_WITH_VALUES = frozenset(
    {"--ca-certificate", "--cacert", "--cert", "--cookie", "--cookie-jar", "--data",
     "--data-binary", "--data-raw", "--dir", "--directory-prefix", "--form", "--header",
     "--input-file", "--key", "--max-time", "--out", "--output", "--output-dir",
     "--output-document", "--output-file", "--request", "--upload-file", "--user", "--user-agent",
     "-body", "-headers", "-method", "-outfile", "-useragent"}
)  # fmt: skip
_COPY_PROGRAMS = frozenset({"git", "rsync", "scp", "sftp"})


@rule()
def command_hosts(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Commands download only over https or ssh, from hosts listed in `data/hosts.yaml`.

    Readers paste commands into a shell, often as root. To use a new host, add it to
    `data/hosts.yaml`; a maintainer of the portal reviews it. The rule applies to steps in
    `install.yaml`, to `identify` in `accelerator.yaml`, to code in guides and FAQs and to commands
    in reports, including addresses without a scheme.
    """
    allowed_hosts = {entry.host for entry in catalog.hosts.hosts} if catalog.hosts else None
    for platform in catalog.platforms:
        for step in platform.steps:
            for location, address in step_addresses(step):
                for what, remedy in _host_faults(address, allowed_hosts):
                    yield platform.record_problem(step, location, what, remedy)
    reported: set[Problem] = set()
    for command_text in command_texts(catalog):
        for problem in _command_host_problems(command_text, allowed_hosts):
            if problem not in reported:
                reported.add(problem)
                yield problem


def _command_host_problems(
    command_text: CommandText, allowed_hosts: set[str] | None
) -> Iterator[Problem]:
    for pipeline in command_text.pipelines():
        for command in pipeline.commands:
            if command_text.prose and not _is_command(command.words):
                continue  # a mention of an address, or of a package, is no command
            # Addresses with a scheme in a step are reported with their location in the step.
            words_with_scheme = () if command_text.run else command.words
            addresses = [a for word in words_with_scheme for a in text_addresses(word)]
            for address in (*addresses, *_implied_addresses(command)):
                for what, remedy in _host_faults(address, allowed_hosts):
                    yield Problem(
                        command_text.path, command_text.line + pipeline.line, what, remedy
                    )


def _is_command(words: list[str]) -> bool:
    return len(words) > 1 and words[0][:1].isalpha() and words[0].replace("-", "").isalnum()


def _host_faults(address: str, allowed_hosts: set[str] | None) -> Iterator[tuple[str, str]]:
    scheme, _, _ = address.partition("://")
    host = host_of(address)
    if "{" in host:
        yield f'"{address[:80]}" has a placeholder in its host', "use a real host name"
        return
    if scheme.lower() == "http" and host in _LOCAL_HOSTS:
        return
    if scheme.lower().removeprefix("git+") not in _SAFE_SCHEMES:
        yield f'"{address[:80]}" is not fetched over https', "write https://"
    if allowed_hosts is not None and host not in allowed_hosts:
        what = f'"{host or address[:80]}" is not an allowed host for commands'
        yield what, f"add it to {HOSTS} with its owner, or use another host"


@rule()
def command_safety(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """No command runs a download directly or disables a security check.

    These are errors: a download piped into anything except a known filter, anything piped into a
    shell or an interpreter, several commands in one text (`bash -c`), and disabled certificate
    checks. Use a `download` step and then a `run` step, so that readers can inspect the file before
    it runs. The rule applies wherever readers may copy a command: steps and notes in
    `install.yaml`, `identify`, code, tables and headings in guides and FAQs, and commands in
    reports.
    """
    for command_text in command_texts(catalog):
        faults = list(_safety_faults(command_text))
        # A piped download, as in `sh -c "curl … | sh"`, has a fix of its own.
        is_download = any(remedy == _DOWNLOAD_FIRST for _, _, remedy in faults)
        if command_text.run and not is_download and _has_inline_commands(command_text.run):
            what = f'"{" ".join(command_text.run[:2])}" puts several commands into one string'
            yield Problem(
                command_text.path, command_text.line, what, "write each command as a separate step"
            )
        for line, what, remedy in faults:
            yield Problem(command_text.path, command_text.line + line, what, remedy)


def _safety_faults(command_text: CommandText) -> Iterator[tuple[int, str, str]]:
    reported: set[tuple[int, str]] = set()
    fetched = False
    for pipeline in command_text.pipelines():
        group_fetched = fetched and bool(GROUP_ENDS.intersection(pipeline.commands[0].words[:1]))
        fetched = fetched or any(fetches(command.words) for command in pipeline.commands)
        for what, remedy in _pipeline_faults(pipeline, fetched=group_fetched):
            if (pipeline.line, remedy) not in reported:  # words are read several times
                reported.add((pipeline.line, remedy))
                yield pipeline.line, what, remedy


def _pipeline_faults(pipeline: Pipeline, *, fetched: bool) -> Iterator[SafetyFault]:
    """Yield what is unsafe in a pipeline, and the fix.

    `fetched` is true if the first command reads a download.
    """
    commands = [command.words for command in pipeline.commands]
    shown = " | ".join(" ".join(words) for words in commands)[:80]
    for words, target in zip(commands, [*commands[1:], None], strict=True):
        fetched = fetched or fetches(words)
        if not target:
            continue
        if fetched and not is_filter(target):
            what = (
                f'"{shown}" runs a downloaded file; only listed filter commands can read a download'
            )
            yield what, _DOWNLOAD_FIRST
        elif runs_its_input(target):
            yield f'"{shown}" runs piped input', _DOWNLOAD_FIRST
    if any(command.substituted and fetches(command.words) for command in pipeline.commands):
        yield f'"{shown}" runs a downloaded file', _DOWNLOAD_FIRST
    for words in commands:
        if fetched and (startup_path := startup_file(words)):
            yield f'"{shown}" writes its download to {startup_path[:60]}', _DOWNLOAD_FIRST
        for word in words_disabling_checks(words):
            yield f'"{word[:80]}" disables a security check', "remove it"


def _has_inline_commands(run: tuple[str, ...]) -> bool:
    """Return whether a step passes several commands to a shell in one text: `bash -c "a; b"`."""
    program, arguments = program_and_arguments(run)
    if program not in SHELLS:
        return False
    words = iter(arguments)
    for word in words:
        if word in {"-o", "-O"}:
            next(words, None)  # the name of a shell option, such as `pipefail`
            continue
        if not word.startswith("-") and not _CMD_OPTION.fullmatch(word):
            return False
        if "c" in word.lower().lstrip("-/"):
            return not _CONTROL_CHARACTERS.isdisjoint(" ".join(arguments))
    return False


def words_disabling_checks(words: Sequence[str]) -> Iterator[str]:
    """Yield the words of a command that disable a security check.

    Short options of curl that contain `-k` are yielded with the program's name: `curl -sSLk`.
    """
    curl = False
    for word in words:
        lower_word = word.lower()
        name = word.removeprefix("$env:").partition("=")[0].strip()
        is_unsafe = (
            lower_word.partition("=")[0] in _UNSAFE_OPTIONS
            or lower_word.startswith(("--no-gpg-check", *_UNSAFE_SETTINGS))
            or name.upper() in _UNSAFE_VARIABLES
            or any(setting in lower_word for setting in _UNSAFE_VALUES)
        )
        if is_unsafe:
            yield word
        elif curl and _has_insecure_flag(word):
            yield f"curl {word}"
        curl = curl or program_name(word) == "curl"


def _has_insecure_flag(word: str) -> bool:
    """Return whether short options of curl contain `-k` (insecure), as `-sSLk` does."""
    switches, _, _ = _split_short_options(word, _URL_FETCHERS["curl"])
    return "k" in switches


def _split_short_options(word: str, value_options: str) -> tuple[str, str, str]:
    """Return the parts of joined short options: switches, an option with a value, and its value.

    `value_options` are the letters of the options that take a value. For example, `-sSo` → `sS`,
    `o` and an empty value. All parts are empty for a word that is not made of short options.
    """
    letters = word[1:] if word.startswith("-") and not word.startswith("--") else ""
    for index, letter in enumerate(letters):
        if letter in value_options:
            return letters[:index], letter, letters[index + 1 :]
    return letters, "", ""


def _implied_addresses(command: Command) -> Iterator[str]:
    """Yield `https://HOST/` or `ssh://HOST/` for each address that is written without a scheme."""
    words = [word for index, word in enumerate(command.words) if index not in command.files]
    for word in words:
        if found := _SSH_ADDRESS.match(word):
            yield f"ssh://{found[1]}/"
    program, arguments = program_and_arguments(words)
    if program in _URL_FETCHERS:
        yield from _addresses_without_scheme(arguments, _URL_FETCHERS[program])
    elif program in _COPY_PROGRAMS:
        for word in arguments:
            found = _HOST.match(word)
            # Without a colon, `setup.py` is a file, except for sftp.
            if found and (program == "sftp" or word.startswith(":", found.end())):
                yield f"ssh://{found[1]}/"
    elif program in CONTAINER_ENGINES:
        yield from _image_registries(arguments)


def _addresses_without_scheme(arguments: Sequence[str], value_options: str) -> Iterator[str]:
    """Yield `https://HOST/` for each argument of a downloader that is an address without a scheme.

    The values of options are skipped. `value_options` are the letters of the downloader's short
    options that take a value.
    """
    skip = False
    for word in arguments:
        if skip:
            skip = False
        elif word.startswith("-"):
            _, option, value = _split_short_options(word, value_options)
            skip = word.lower() in _OPTIONS_WITH_VALUES or bool(option and not value)
        elif "://" not in word and (found := _HOST.match(word)):
            yield f"https://{found[1].lower()}/"


def _image_registries(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the registries of the container images in the arguments: `https://docker.io/`.

    Images are the words that contain a registry, such as `ghcr.io/a/b`. If there is none, the image
    of `pull` and `push` is the first argument that is not an option or a path.
    """
    command = arguments[0] if arguments else ""
    if command not in {"build", "create", "pull", "push", "run"}:
        return
    words = [word for word in arguments[1:] if not word.startswith(("-", "/", "."))]
    images = [word for word in words if _REGISTRY_IMAGE.match(word)]
    if not images and command in {"pull", "push"}:
        images = words[:1]
    yield from (f"https://{registry_of(image)}/" for image in images)
