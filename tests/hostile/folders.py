"""What a vendor's pull request may put into the tree beside the files: links, devices, names."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.hostile.reports import GOOD, TEST

FOLDER = Path("accelerators/example")
RESULTS = FOLDER / "results"

OUT, NOT_PLAIN, UNREAD = (
    "points outside its folder",
    "this is not a regular file",
    "does not use this file",
)
HIDDEN = "hidden files and folders are not allowed"
NO_ID, NO_REPORT = "cannot be an id", "not a valid file name for a report"

Make = Callable[[Path], None]


def _link(path: str, target: str) -> Make:
    def make(root: Path) -> None:
        place = root / FOLDER / path
        place.parent.mkdir(exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(target)

    return make


def _write(path: str | bytes, content: bytes = b"x") -> Make:
    def make(root: Path) -> None:
        place = os.path.join(os.fsencode(root / FOLDER), os.fsencode(path))  # noqa: PTH118 - bytes
        os.makedirs(os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH120 - the same
        with open(place, "wb") as file:  # noqa: PTH123 - the same
            file.write(content)

    return make


def _report(name: str) -> Make:
    return _write(f"results/{name}", json.dumps(GOOD).encode())


def _instead(path: str, make: Callable[[Path], object]) -> Make:
    def put(root: Path) -> None:
        place = root / FOLDER / path
        place.parent.mkdir(exist_ok=True)
        place.unlink(missing_ok=True)
        make(place)

    return put


def _socket(place: Path) -> None:
    here = Path.cwd()
    os.chdir(place.parent)  # a socket's path has room for a hundred letters
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(place.name)
    finally:
        os.chdir(here)


def _sparse(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(10 * 1024**4)


def _platform(name: str) -> Make:
    def make(root: Path) -> None:
        (root / "accelerators" / name).mkdir()

    return make


def _folder(make: Callable[[Path], object]) -> Make:
    def put(root: Path) -> None:
        make(root / "accelerators" / "other")

    return put


def _many(root: Path) -> None:
    (root / RESULTS).mkdir()
    for number in range(101):
        text = json.dumps(GOOD | {"started": f"2026-01-02T03:{number % 60:02}:{number // 60:02}Z"})
        (root / RESULTS / f"r{number}.json").write_text(text, "utf-8")


def _two_of_a_moment(root: Path) -> None:
    (root / RESULTS).mkdir()
    for name in ("a", "b"):
        (root / RESULTS / f"{name}.json").write_text(json.dumps(GOOD), "utf-8")


def _huge(place: Path) -> None:
    with place.open("wb") as file:
        file.write(json.dumps(GOOD | {"tests": [TEST]}).encode())
        file.truncate(129 * 1024**2)


SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'><script>alert(1)</script></svg>"

# What it is: how it is made, and words of a problem; no words: it is nobody's business.
CASES: Mapping[str, tuple[Make, str]] = {
    # Links.
    "a link to a file of the system": (_link("guide.md", "/etc/passwd"), OUT),
    "a link to a device without end": (_link("guide.md", "/dev/zero"), OUT),
    "a link to what the process was given": (_link("faq.md", "/proc/self/environ"), OUT),
    "a link to a file of the process": (_link("faq.md", "/proc/self/fd/0"), ""),
    "a link to the shared data": (_link("install.yaml", "../../data/releases.yaml"), OUT),
    "a link upwards": (_link("accelerator.yaml", "../" * 30 + "etc/passwd"), OUT),
    "a link to nothing": (_link("faq.md", "nowhere"), "file not found"),
    "a link to itself": (_link("faq.md", "faq.md"), "the symbolic link points to itself"),
    "a link to a folder": (_link("faq.md", "."), NOT_PLAIN),
    "a link as known issues": (_link("known-issues.yaml", "/etc/passwd"), OUT),
    "a link as validation settings": (_link("validation.yaml", "/etc/passwd"), OUT),
    "a link as known issues to nothing": (_link("known-issues.yaml", "nowhere"), "file not found"),
    "a link as the folder of reports": (_link("results", "/etc"), "this is not a folder"),
    "a link as a report": (_link("results/a.json", "/etc/passwd"), NOT_PLAIN),
    "a link as a report to a device": (_link("results/a.json", "/dev/zero"), NOT_PLAIN),
    "a link as a platform": (_folder(lambda p: p.symlink_to("/etc")), "folder is a symbolic link"),
    "a link as a platform to itself": (
        _folder(lambda p: p.symlink_to(p)),
        "folder is a symbolic link",
    ),
    # What is no file.
    "a pipe": (_instead("guide.md", os.mkfifo), NOT_PLAIN),
    "a socket": (_instead("guide.md", _socket), NOT_PLAIN),
    "a folder called like a file": (_instead("guide.md", Path.mkdir), NOT_PLAIN),
    "a pipe as a report": (_instead("results/a.json", os.mkfifo), NOT_PLAIN),
    "a socket as a report": (_instead("results/a.json", _socket), NOT_PLAIN),
    "a folder as a report": (_instead("results/a.json", Path.mkdir), NOT_PLAIN),
    "a file as the folder of reports": (_write("results"), "this is not a folder"),
    "a pipe as a platform": (_folder(os.mkfifo), "this is not a folder"),
    "a file as a platform": (_folder(lambda p: p.write_bytes(b"x")), "this is not a folder"),
    "a file of ten terabytes": (_instead("guide.md", _sparse), "more than 262,144"),
    "a report of ten terabytes": (_instead("results/a.json", _sparse), "MiB, more than 36"),
    "a report beyond the limit": (_instead("results/a.json", _huge), "MiB, more than 36"),
    # Files that nobody asked for.
    "a picture with a script": (_write("logo.svg", SVG), UNREAD),
    "a page": (_write("index.html", b"<script>alert(1)</script>"), UNREAD),
    "a program": (_write("conftest.py", b"raise SystemExit"), UNREAD),
    "a program for the build": (_write("hooks.py", b"raise SystemExit"), UNREAD),
    "a configuration": (_write("mkdocs.yml", b"hooks: [x.py]"), UNREAD),
    "a template": (_write("guide.md.j2", b"{{ 7 * 7 }}"), UNREAD),
    "a compiled program": (_write("__pycache__/x.pyc"), UNREAD),
    "a file in other letters": (_write("Guide.md"), UNREAD),
    "a file with a line break": (_write("a\nb::error::x"), UNREAD),
    "a file with colours": (_write("\x1b[31mred"), UNREAD),
    "a file that turns direction": (_write("\u202edm.ediug"), UNREAD),
    "a file without a name in UTF-8": (_write(b"\xff\xfe.md"), UNREAD),
    "a file like an option": (_write("--help"), UNREAD),
    "a file like a command of a workflow": (_write("::error file=x::y"), UNREAD),
    "a file like a command of a shell": (_write("$(id).md"), UNREAD),
    "a hidden file": (_write(".htaccess", b"Options +Indexes"), HIDDEN),
    "a hidden folder": (_write(".git/config", b"[core]\nfsmonitor = id"), HIDDEN),
    # Names of reports.
    "a report in capitals": (_report("A.JSON"), NO_REPORT),
    "a report with two points": (_report("a..json"), NO_REPORT),
    "a report with a space": (_report("a b.json"), NO_REPORT),
    "a report with a line break": (_report("a\n.json"), NO_REPORT),
    "a report with markup": (_report("<img src=x onerror=alert(1)>.json"), NO_REPORT),
    "a report with colours": (_report("\x1b[31m.json"), NO_REPORT),
    "a report in other letters": (_report("\u0430.json"), NO_REPORT),
    "a report like an option": (_report("-rf.json"), NO_REPORT),
    "a report of another kind": (_report("a.json.exe"), NO_REPORT),
    "a report without a name": (_report("json"), NO_REPORT),
    "a report like a device": (_report("nul.json"), "this name is reserved on Windows"),
    "a report like a device with more": (
        _report("con.tar.json"),
        "this name is reserved on Windows",
    ),
    "a folder of reports in the folder": (_write("results/sub/a.json"), NO_REPORT),
    "a hundred and one reports": (_many, "101 reports, more than 100"),
    "two reports of one moment": (_two_of_a_moment, "with the same start time"),
    # Names of platforms.
    "a platform on the page of all": (_platform("index"), "is a reserved"),
    "a platform like a device": (_platform("nul"), "is a reserved"),
    "a platform like a port": (_platform("com1"), "is a reserved"),
    "a platform in capitals": (_platform("CUDA"), NO_ID),
    "a platform in other letters": (_platform("\u0441uda"), NO_ID),
    "a platform with an underscore": (_platform("a_b"), NO_ID),
    "a platform with two hyphens": (_platform("a--b"), NO_ID),
    "a platform like an option": (_platform("-rf"), NO_ID),
    "a platform with a space": (_platform("a b"), NO_ID),
    "a platform with a line break": (_platform("a\nb"), NO_ID),
    "a platform with markup": (_platform("<b>"), NO_ID),
    "a platform like a number": (_platform("404"), NO_ID),
    "a platform of a file's name": (_platform("a.md"), NO_ID),
    "a hidden platform": (_platform(".other"), ""),
    "a platform without files": (_platform("other"), "file not found"),
    "a platform that looks like another": (_platform("examp1e"), "file not found"),
}
