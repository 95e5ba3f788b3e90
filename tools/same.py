"""Compare the output of two versions of the portal: `make same BASE=<commit>`.

Builds the site and the export of a base commit and of the working tree from the working tree's
data, for the same date. Runs both command lines on the same inputs: the help of every command, good
and bad files of every report format, and vendor folders with errors. If the environment of
`make test-validation` is installed, both validate the simulated device, too. Files are compared
byte by byte, validation reports without times. Exits with status 1 if anything differs.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
VALIDATION = ROOT / ".venv-validation/bin/python"
DATA = ("accelerators", "data")
ENVIRONMENT = {
    "SOURCE_DATE_EPOCH": "1796083200",
    "NO_COLOR": "1",
    "COLUMNS": "80",
    "LC_ALL": "C.UTF-8",
}
IMPORT_COMMAND = ["report", "import", "--accelerator=cpu", "--torch=2.10.0"]
IMPORT_COMMAND += ["--started=2026-01-02", "--suite=s"]
DAMAGED_COPIES = 5  # damaged copies of all vendor files
MOST_LINES = 12  # of a difference, for each file
# The values in validation reports that differ between two runs of the same tests.
TIME_VALUES = re.compile(
    r'"(?:started|finished|duration_s|at|seconds|id|path)": ?[^,}\n]*|\d{4}-\d\d-\d\dT[\d:.+-]*'
)


def main() -> int:
    """Print the differences; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", help="the commit to compare with")
    parser.add_argument("--keep", type=Path, help="a folder that keeps both outputs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portal-same-") as temporary:
        work = Path(temporary)
        trees = {"base": work / "trees/base/portal", "head": work / "trees/head/portal"}
        _extract(arguments.base, trees["base"])
        copy_working_tree(ROOT, trees["head"])
        for name in DATA:
            shutil.rmtree(trees["base"] / name, ignore_errors=True)
            shutil.copytree(trees["head"] / name, trees["base"] / name)
        _write_inputs(work / "inputs")
        outputs = arguments.keep or work / "outputs"
        with ThreadPoolExecutor() as pool:
            list(
                pool.map(
                    lambda side: _write_outputs(trees[side], work / "inputs", outputs / side), trees
                )
            )
        return _compare(outputs / "base", outputs / "head")


def copy_working_tree(root: Path, target: Path) -> None:
    """Copy all files that git tracks or would add, as they are in the working tree `root`."""
    listing = ("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    names = subprocess.run(listing, cwd=root, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if (root / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, target / name)


def _extract(commit: str, tree: Path) -> None:
    tree.mkdir(parents=True)
    done = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True)
    subprocess.run(["tar", "-x", "-C", str(tree)], input=done.stdout, check=True)


def _write_inputs(folder: Path) -> None:
    """Write the inputs of both command lines: a simulated device, reports and vendor folders."""
    from tests.hostile.formats import CASES
    from tests.hostile.imported_files import good_files
    from tests.validation_torch.installing import install_double

    install_double(folder / "double")
    reports = folder / "reports"
    reports.mkdir(parents=True)
    for form, content in good_files():
        (reports / f"good-{form}").write_bytes(content)
    for name, (_, content, _) in CASES.items():
        (reports / f"bad-{re.sub(r'[^a-z0-9]+', '-', name.lower())}").write_bytes(content)
    for number in range(DAMAGED_COPIES):
        copy = folder / f"damaged-{number}"
        for name in DATA:
            shutil.copytree(
                ROOT / name, copy / name, ignore=shutil.ignore_patterns("history", "results")
            )
        for place, file in enumerate(sorted(copy.glob("accelerators/*/*.yaml"))):
            file.write_text(_damaged_text(file.read_text("utf-8"), number, place), "utf-8")


def _damaged_text(text: str, kind: int, place: int) -> str:
    lines = text.splitlines(keepends=True)
    at = (place * 7 + kind * 13) % len(lines)
    match kind:
        case 0:
            del lines[at]
        case 1:
            lines[at] = re.sub(r": .+", ": nonsense", lines[at])
        case 2:
            lines[at] = re.sub(r"\w+:", "unknown_key:", lines[at], count=1)
        case 3:
            lines[at] = lines[at].replace("2", "x")
        case _:
            lines.insert(at, lines[at])
    return "".join(lines)


def _write_outputs(tree: Path, inputs: Path, out: Path) -> None:
    out.mkdir(parents=True)
    python = [sys.executable, "-P"]
    sources = [tree / "src", *tree.glob("packages/*/src")]
    env = {"PYTHONPATH": os.pathsep.join(map(str, sources)), "NO_MKDOCS_2_WARNING": "1"}
    # Before 2026-11-28, the portal was one package, and the command a module of it.
    cli = "accelerator_reports.cli" if len(sources) > 1 else "accelerator_portal.cli"
    run = partial(_run_command, tree=tree, env=env)
    print(f"building {out.name} …", file=sys.stderr)
    run([*python, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out / "site")])
    run([*python, "-m", cli, "export", "--out", str(out / "export")])
    run([*python, __file__, "--commands", cli, str(inputs), str(out)])
    if VALIDATION.exists():
        env["PYTHONPATH"] += f"{os.pathsep}{inputs / 'double'}"
        words = ("validate", "--device=paper", "--suite=integration")
        report = f"--out={out / 'validation.json'}"
        done = run([str(VALIDATION), "-m", cli, *words, report], check=False)
        if not (out / "validation.json").exists():
            print(f"{out.name}: validate wrote no report:\n{done.stderr[-2000:]}", file=sys.stderr)


def _run_command(
    command: list[str], tree: Path, env: dict[str, str], *, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a command in a tree. With `check`, raises SystemExit with its output if it fails."""
    env = os.environ | ENVIRONMENT | env
    done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, check=False)
    if check and done.returncode:
        words = " ".join(command)
        raise SystemExit(f"{words} failed in {tree.parent.name}:\n{done.stdout}{done.stderr}")
    return done


def _run_commands(cli: str, inputs: Path, out: Path) -> None:
    """Run the portal's commands, and write the output and exit status of each one to a file.

    Runs the help of every command, and the commands that read reports and vendor folders.
    """
    from click.testing import CliRunner

    portal = import_module(cli).main

    def call(name: str, *words: str) -> None:
        done = CliRunner().invoke(portal, words)
        text = f"{done.exit_code}\n{done.output}".replace(str(inputs), "INPUTS").replace(
            str(out), "OUT"
        )
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text, "utf-8")

    for words in _commands(portal):
        call(f"help/{'-'.join(words) or 'portal'}.txt", *words, "--help")
    for file in sorted((inputs / "reports").iterdir()):
        report = out / "reports" / f"{file.name}.json"
        call(f"reports/{file.name}.txt", *IMPORT_COMMAND, "--out", str(report), str(file))
        if report.exists():
            call(f"reports/{file.name}.show.txt", "report", "show", str(report))
    for folder in sorted(inputs.glob("damaged-*")):
        call(f"check/{folder.name}.txt", "check", "--root", str(folder))


def _commands(group: object, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    import click

    yield words
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            yield from _commands(group.get_command(context, name), (*words, name))


def _compare(base: Path, head: Path) -> int:
    files = (f.relative_to(side) for side in (base, head) for f in side.rglob("*") if f.is_file())
    names = sorted({str(f) for f in files if not f.name.endswith(".journal.jsonl")})
    different = [name for name in names if _content(base / name) != _content(head / name)]
    for name in different:
        before, after = (_text_lines(side / name) for side in (base, head))
        print(f"{name}: differs")
        lines = difflib.unified_diff(before, after, "base", "head", lineterm="", n=0)
        print(
            "\n".join(
                f"    {line[:200]}" for _, line in zip(range(MOST_LINES), lines, strict=False)
            )
        )
    print(f"{len(names)} files, {len(different)} differ")
    return 1 if different else 0


def _content(file: Path) -> bytes:
    if not file.exists():
        return b""
    if file.name == "validation.json":
        return "\n".join(_text_lines(file)).encode()
    return file.read_bytes()


def _text_lines(file: Path) -> list[str]:
    if not file.exists():
        return ["(no such file)"]
    text = file.read_text("utf-8", "replace")
    if file.name == "validation.json":
        text = TIME_VALUES.sub("", json.dumps(json.loads(text), indent=1, sort_keys=True))
    return text.splitlines()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--commands"]:
        _run_commands(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        sys.exit(main())
