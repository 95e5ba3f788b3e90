"""Splits shell command lines into commands, and classifies what these do."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import PurePosixPath

FETCHERS = frozenset(
    {"aria2c", "axel", "bunx", "curl", "curlie", "dig", "drill", "elinks", "fetch", "ftp", "ftpget",
     "gsutil", "http", "https", "invoke-restmethod", "invoke-webrequest", "irm", "iwr", "lftp",
     "links", "lwp-download", "lwp-request", "lynx", "nc", "ncat", "npx", "nslookup", "oras",
     "pipx", "rclone", "rsync", "scp", "sftp", "socat", "ssh", "svn", "telnet", "tftp", "uvx",
     "w3m", "wget", "wget2", "xh"}
)  # fmt: skip

# Programs that download something if one of these words is an argument.
_FETCH_ARGUMENTS = {
    "aws": {"s3", "s3api", "ssm"}, "az": {"storage"}, "docker": {"exec", "run"},
    "gcloud": {"storage"}, "gh": {"api", "gist", "release"}, "git": {"archive"},
    "hf": {"download"}, "hg": {"cat"}, "huggingface-cli": {"download"},
    "kubectl": {"cp", "exec"}, "openssl": {"s_client"}, "pip": {"download"},
    "podman": {"exec", "run"},
}  # fmt: skip

SHELLS = frozenset(
    {"ash", "bash", "cmd", "csh", "dash", "eval", "fish", "ksh", "mksh", "powershell", "pwsh",
     "sh", "tcsh", "zsh"}
)  # fmt: skip

# Programs that execute their input.
INTERPRETERS = SHELLS | frozenset(
    {".", "bun", "deno", "expect", "iex", "invoke-expression", "julia", "lua", "node", "octave",
     "perl", "php", "py", "pypy", "python", "pythonw", "r", "rscript", "ruby", "source", "su",
     "tclsh"}
)  # fmt: skip

# The options with which an interpreter gets its program as an argument. They may be joined with
# options that take no value, as in `perl -ne`. Other interpreters have `-c` or `-e`.
_PROGRAM_OPTION = re.compile("-[ce]")
_PROGRAM_OPTIONS = {
    **dict.fromkeys(SHELLS, re.compile("-[abefhiklmnpqrtuvx]{0,4}c")),
    **dict.fromkeys(("py", "pypy", "python", "pythonw"), re.compile("-[bBdEIOPqsSuvx]{0,4}[cm]")),
    **dict.fromkeys(("perl", "ruby"), re.compile("-[alnpsw]{0,4}e")),
}
_SHELL_OPTIONS = re.compile("-[abefhiklmnpqrtuvx]{1,5}(o?)")

# Programs that execute their input with any arguments.
_ALWAYS_RUNNING = frozenset({"at", "batch", "crontab", "parallel"})

# Patterns that the shell expands to a program's name: `/bin/?h`, `{sh,-s}`.
_WILDCARD = re.compile(r"[?*\[{]")

# Programs that change or show their input, and execute nothing of it.
FILTERS = frozenset(
    {"apt-key", "base64", "cat", "column", "convertfrom-json", "cut", "egrep", "fgrep", "findstr",
     "fold", "format-list", "format-table", "gpg", "grep", "gunzip", "gzip", "head", "hexdump",
     "jq", "less", "md5sum", "measure-object", "more", "nl", "od", "out-file", "out-string",
     "rev", "select-object", "select-string", "sha1sum", "sha256sum", "sha512sum", "shasum",
     "sort", "strings", "tac", "tail", "tar", "tee", "tr", "uniq", "unxz", "unzstd",
     "wc", "where-object", "xxd", "xz", "yq", "zcat", "zstd"}
)  # fmt: skip

# Options with which a filter runs a program.
_FILTER_EXEC_OPTIONS = (
    *("--checkpoint-action", "--compress-program", "--to-command", "--use-compress-program"),
    *("-I", "-F"),
)

# Programs that run the command that follows, each with the options that take the next word.
_WRAPPERS = {
    "builtin": "", "busybox": "", "chroot": "", "command": "", "doas": "-u -C",
    "env": "-u -C -S --unset --chdir --split-string", "exec": "-a",
    "ionice": "-c -n --class --classdata", "nice": "-n --adjustment", "nohup": "",
    "runuser": "-u -g --user --group", "setsid": "", "stdbuf": "-i -o -e --input --output --error",
    "sudo": "-u -g -h -p -C -D -R -T -r -t --user --group --host --prompt --close-from --chdir "
            "--chroot --command-timeout --role --type",
    "systemd-run": "-p -u -M -H --property --unit --machine --host --uid --gid",
    "time": "-f -o --format --output", "timeout": "-s -k --signal --kill-after", "toybox": "",
    "unbuffer": "", "xargs": "-n -I -P -L -d -E -s -a --max-args --max-procs --max-chars "
            "--delimiter --arg-file",
}  # fmt: skip

_STDIN_NAMES = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_VERSION_SUFFIX = re.compile(r"[\d.]+\Z")
# Calls in program code that download something.
_FETCH_CALLS = (
    "urlopen(", "urlretrieve(", "requests.get(", "urllib.request", "http.client", "httpx.get(",
    "socket.create_connection(", "Net::HTTP", "LWP::", "IO::Socket", "fetch('http", "/dev/tcp/",
    "/dev/udp/",
)  # fmt: skip

# Files whose commands run later without the user starting them.
_STARTUP_FILE = re.compile(
    r"(?:\A|/)(?:\.(?:bash|zsh|k?sh)?(?:rc|_profile|_login|env)|\.profile|authorized_keys"
    r"|crontab|config\.fish|Microsoft\.PowerShell_profile\.ps1)\Z|/etc/(?:cron|profile|init|rc)"
)

GROUP_ENDS = frozenset({")", "}", "done", "fi", "esac"})
"""Words that end a group of commands. The output of a group may be piped."""

_SKIPPED_WORDS = GROUP_ENDS | frozenset(
    {"$", "#", "%", ">", "{", "!", "do", "then", "else", "if", "while", "until"}
)


@lru_cache(maxsize=4096)  # most commands have the same few words
def program_name(word: str) -> str:
    """Return the name of a program without path and version: `/bin/python3.11` → `python`."""
    name = PurePosixPath(word.replace("\\", "/")).name.lower()
    for ending in (".exe", ".cmd", ".bat"):
        name = name.removesuffix(ending)
    return _VERSION_SUFFIX.sub("", name) or name


def program_and_arguments(words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """Return the name of the program that a command runs, and its arguments.

    Prefixes such as `sudo -u root` and `NAME=value` are skipped. Both values are empty if no
    program follows.
    """
    index = 0
    while index < len(words):
        word = words[index]
        name = program_name(word)
        index += 1
        if word in _SKIPPED_WORDS or _ASSIGNMENT.match(word):
            continue
        if name not in _WRAPPERS:
            return name, tuple(words[index:])
        value_options = _WRAPPERS[name].split()
        while index < len(words) and words[index].startswith("-"):
            option = words[index]
            index += 1 + (option in value_options)
            if name == "env" and option in {"-S", "--split-string"}:
                index -= 1
        if name in {"timeout", "chroot"}:
            index += 1
    return "", ()


def is_filter(words: Sequence[str]) -> bool:
    """Return whether a command is a filter such as `grep`, without options that run commands."""
    name, arguments = program_and_arguments(words)
    if name == "python" and arguments[:2] == ("-m", "json.tool"):
        return True
    return name in FILTERS and not any(word.startswith(_FILTER_EXEC_OPTIONS) for word in arguments)


def runs_its_input(command: Sequence[str]) -> bool:
    """Return whether a command executes its standard input, as a shell without arguments does.

    False if the arguments contain the program to run, as in `python -m json.tool` or
    `bash install.sh`. The input is then only data.
    """
    name, arguments = program_and_arguments(command)
    is_unknown = name.startswith("$") or _WILDCARD.search(name)
    if is_unknown or name in _ALWAYS_RUNNING:
        return True
    if name not in INTERPRETERS:
        return False
    if "-s" in arguments or not arguments:
        return True
    words = (word for word in arguments if word not in _STDIN_NAMES)
    for word in words:
        if not word.startswith("-") or _PROGRAM_OPTIONS.get(name, _PROGRAM_OPTION).match(word):
            return False
        options = _SHELL_OPTIONS.fullmatch(word) if name in SHELLS else None
        if options is None:
            return True
        if options[1]:
            next(words, None)  # the value of `-o`, as in `-euo pipefail`
    return True


def fetches(words: Sequence[str]) -> bool:
    """Return whether a command downloads something."""
    name, arguments = program_and_arguments(words)
    return (
        name in FETCHERS
        or any(program_name(word) in FETCHERS for word in words[:12])
        or any(call in word for word in words for call in _FETCH_CALLS)
        or not _FETCH_ARGUMENTS.get(name, frozenset()).isdisjoint(arguments[:4])
    )


def startup_file(words: Sequence[str]) -> str | None:
    """Return the first word that is a startup file such as `~/.bashrc`, or None.

    A shell or a service later runs the lines of such a file.
    """
    return next((word for word in words if _STARTUP_FILE.search(word)), None)


# Splits shell command lines into pipelines, commands and words, so that rules can check them.
#
# Quotes are removed, parts of a word are joined, and continued lines are joined. PowerShell and cmd
# commands, and texts that are not commands, are also split into words. This is enough, because the
# rules only search for certain words. The time is proportional to the length of the text.

_PUNCTUATION = "();<>|&"
_OPERATOR = re.compile(r"&>|[<>]&|\|\|?&?|&&|[();<>&]")
_REDIRECTIONS = frozenset({"<", ">", "&>", ">&", "<&"})
_PIPELINE_SEPARATORS = frozenset({";", "&", "&&", "||", "(", ")"})
# A redirection sign right after a quotation mark or a backslash is a word, not a redirection.
_QUOTED_REDIRECTION = re.compile(r"""["'\\][0-9&]*[<>]""")
_PIPES = frozenset({"|", "|&"})

# Joins a line with the next one: a backslash in sh, a backtick in PowerShell, a caret in cmd.
_LINE_CONTINUATION = re.compile(r"[\\`^]\n")
_CONTINUES_NEXT_LINE = re.compile(r"(?:\|&?|&&|\|\|)[ \t]*\Z")
_COMMENT = re.compile(r"(?<=[|&])[ \t]*#.*\Z")
# PowerShell runs the output of the command in the parentheses after these words.
_POWERSHELL_EVAL = frozenset({"iex", "invoke-expression"})
_CONTINUES_PREVIOUS_LINE = re.compile(r"[ \t]*\|(?!\|)")

# Commands inside words, as in `bash -c "…"`, are read up to this number of levels.
_MAX_DEPTH = 3


@dataclass(slots=True)
class Command:
    """A command as a list of words, such as `["pip", "install", "torch"]`.

    If `substituted` is true, the output of the command is used inside another command, as in
    `$(…)`.
    """

    words: list[str] = field(default_factory=list)
    substituted: bool = False
    files: set[int] = field(default_factory=set)
    """The indexes of the words to which output is written, such as `x.txt` in `> x.txt`."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands that each read the output of the previous command: `a | b`.

    `line` is the number of the pipeline's line in the text, counted from 0.
    """

    line: int
    commands: tuple[Command, ...]


def pipelines(text: str) -> Iterator[Pipeline]:
    """Yield every pipeline of a text, also those inside words (`sh -c "a | b"`) and `$(…)`."""
    for line, command_line in _logical_lines(text):
        for commands in _line_pipelines(command_line, _MAX_DEPTH):
            yield Pipeline(line, commands)


def pipelines_of_words(words: tuple[str, ...]) -> Iterator[Pipeline]:
    """Yield `words` as one command, then each pipeline inside a word, as in `sh -c "a | b"`."""
    commands = (Command(list(words)),)
    yield Pipeline(0, commands)
    for inner in _nested_pipelines(commands, _MAX_DEPTH):
        yield Pipeline(0, inner)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each command line with the number of its first line in `text`, counted from 0.

    Lines that continue a command line are joined with it.
    """
    lines = _LINE_CONTINUATION.sub("\x00", text).split("\n")  # the marks keep the lines countable
    number, start, parts = 0, 0, list[str]()
    for line in lines:
        continues = parts and (
            _CONTINUES_NEXT_LINE.search(parts[-1][-40:]) or _CONTINUES_PREVIOUS_LINE.match(line)
        )
        if parts and not continues:
            yield start, " ".join(parts)
            parts = []
        if not parts:
            start = number
        number += line.count("\x00") + 1
        parts.append(_COMMENT.sub("", line.replace("\x00", " ")))
    if parts:
        yield start, " ".join(parts)


def _line_pipelines(line: str, depth: int) -> Iterator[tuple[Command, ...]]:
    pipeline: list[Command] = [Command()]
    previous_word, begins, in_placeholder, is_output = "", True, False, False
    has_files = not _QUOTED_REDIRECTION.search(line)
    for part in _tokens(line):
        if part == "(" and previous_word == "&" and len(pipeline) == 1 and begins:
            previous_word = "&("
        if part in _PIPELINE_SEPARATORS:
            if part == "(" and previous_word in _PIPES:  # a group reads piped input
                pipeline[-1].words.append(part)
            yield from _with_nested_pipelines(pipeline, depth)
            is_substitution = part == "(" and (
                previous_word.endswith(("$", "<", ">"))
                or previous_word.lower() in _POWERSHELL_EVAL
                or previous_word == "&("
            )
            pipeline = [Command([part] if part == ")" else [], substituted=is_substitution)]
        elif part in _PIPES:
            pipeline.append(Command(substituted=pipeline[-1].substituted))
        elif part in _REDIRECTIONS:
            # `>` after `<` can be the end of a placeholder such as `<your token>`.
            is_output = has_files and ">" in part and not in_placeholder
            in_placeholder = "<" in part
        else:
            if previous_word in _REDIRECTIONS and is_output:
                pipeline[-1].files.add(len(pipeline[-1].words))
            pipeline[-1].words.append(part)
        begins = not previous_word
        previous_word = part
    yield from _with_nested_pipelines(pipeline, depth)


def _with_nested_pipelines(pipeline: list[Command], depth: int) -> Iterator[tuple[Command, ...]]:
    if any(command.words for command in pipeline):
        commands = tuple(pipeline)
        yield commands
        yield from _nested_pipelines(commands, depth)


def _nested_pipelines(commands: tuple[Command, ...], depth: int) -> Iterator[tuple[Command, ...]]:
    """Yield the pipelines inside words: in `bash -c "…"`, in a quoted `$(…)`, or in backticks.

    Pipelines inside those pipelines are yielded, too, down to `depth` levels.
    """
    if depth == 0:
        return
    for command in commands:
        for word in command.words:
            if "$(" in word or "<(" in word or (" " in word and re.search(r"[|;&`]", word)):
                opened = word.replace("`", " ; ").replace("$(", " $ ( ")
                yield from _line_pipelines(opened, depth - 1)
        if any("`" in word for word in command.words):
            inner = " ".join(command.words).split("`")[1::2]
            for text in inner:
                yield from _line_pipelines(f"$ ( {text} )", depth - 1)


def _tokens(line: str) -> Iterator[str]:
    try:
        raw_tokens = list(_make_lexer(line))
    except ValueError:  # an apostrophe, or another quotation mark without an end
        raw_tokens = list(_make_lexer(line.translate(_NO_QUOTES)))
    for token in raw_tokens:
        if token and all(sign in _PUNCTUATION for sign in token):
            yield from _OPERATOR.findall(token)
        else:
            yield token


_NO_QUOTES = str.maketrans({"'": " ", '"': " ", "\\": "/"})


def _make_lexer(line: str) -> shlex.shlex:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=_PUNCTUATION)
    lexer.whitespace_split = True
    lexer.commenters = ""
    return lexer
