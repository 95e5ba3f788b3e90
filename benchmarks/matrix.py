"""Measure a matrix of 2,000 tests x 20 accelerators in Chromium: `python -m benchmarks.matrix`.

The suite is made up, and so are its accelerators: copies of one real vendor folder under other
names. The page is built and served as usual. A time is measured from the event of the reader's
choice until its frame is painted. It is compared with a plain loop in the same browser, which
writes as many rows and cells to the same table, with one character in each cell.
"""

from __future__ import annotations

import argparse
import gzip
import random
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from accelerator_reports.outcomes import OUTCOMES
from accelerator_reports.report import Report
from accelerator_reports.report_file import report_text
from benchmarks.browser import browser_path
from benchmarks.copies import make_generated
from benchmarks.made_up_year import SUITE, add_suite
from tests.browser.serving import served

ROOT = Path(__file__).parent.parent

# Milliseconds until the choice is on the screen, and until all rows of the page are in the table:
# a frame is painted when the task after the next frame's callbacks runs.
_TIMES = """const after = (done) => requestAnimationFrame(() => setTimeout(done));
const frame = () => new Promise(after);
const body = document.querySelector(".matrix tbody");
const times = async (act) => {
  await frame();
  const start = performance.now();
  let all = 0;
  const watch = new MutationObserver(async () => {
    await frame();
    all = performance.now() - start;
  });
  watch.observe(body, { childList: true });
  act();
  await frame();
  const first = performance.now() - start;
  await new Promise((done) => setTimeout(done, 500));
  watch.disconnect();
  return [first, all];
};"""
_CHOOSE = f"""([name, value]) => {{
  {_TIMES}
  return times(() => {{
    const control = document.querySelector(`[data-matrix] [name=${{name}}]`);
    control.value = value;
    control.dispatchEvent(new Event("input", {{ bubbles: true }}));
  }});
}}"""
_CLEAR = f"""() => {{
  {_TIMES}
  return times(() => document.querySelector("[data-matrix] .matrix-clear").click());
}}"""
_PLAIN = f"""() => {{
  {_TIMES}
  const [rows, cells] = [body.rows.length, body.rows[0].cells.length];
  return times(() => {{
    const made = document.createDocumentFragment();
    for (let row = 0; row < rows; row += 1) {{
      const line = made.appendChild(document.createElement("tr"));
      for (let cell = 0; cell < cells; cell += 1) {{
        line.appendChild(document.createElement("td")).textContent = "✓";
      }}
    }}
    body.replaceChildren(made);
  }});
}}"""


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of several runs until the first frame after a choice, and until all rows."""

    first: list[float]
    all: list[float]

    def __str__(self) -> str:
        """Return the medians, and the largest value of `first`."""
        first, every = statistics.median(self.first), statistics.median(self.all)
        return f"{first:.0f} ms (most {max(self.first):.0f}), all rows {every:.0f} ms"


def main() -> int:
    """Print one line for each measurement; return 1 if there is no browser."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.matrix", description=__doc__)
    parser.add_argument("--tests", type=int, default=2_000, help="tests of the suite (2,000)")
    parser.add_argument("--accelerators", type=int, default=20, help="columns (20)")
    parser.add_argument("--repeat", type=int, default=9, help="measurements of each (9)")
    arguments = parser.parse_args()
    executable = browser_path()
    if executable is None:
        return 1
    with tempfile.TemporaryDirectory(prefix="portal-benchmarks-") as folder:
        site = _site(Path(folder, "portal"), arguments.tests, arguments.accelerators)
        print(f"{arguments.tests:,} made-up tests x {arguments.accelerators} accelerators")
        _sizes(site)
        with served(site, compressed=True) as origin, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(f"{origin}results/{SUITE}/")
            _times(page, arguments.repeat)
            browser.close()
    return 0


def _site(folder: Path, tests: int, accelerators: int) -> Path:
    """Build a portal whose only results are made up; return the folder of the site."""
    make_generated(ROOT, folder, accelerators, "")
    for number in range(1, accelerators + 1):
        name = f"synthetic-{number:04}"
        path = folder / "accelerators" / name / "results" / "made-up.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(report_text(_report(name, tests, number)), "utf-8")
    add_suite(folder, [_name(n) for n in range(tests)])
    return build_portal(folder)


def build_portal(folder: Path) -> Path:
    """Build the portal in a folder; return the folder of the site.

    Raises SystemExit with the end of the error output if the build fails.
    """
    command = [sys.executable, "-m", "benchmarks.build", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"The build failed:\n{done.stderr[-3000:]}")
    return folder / "site"


def _report(accelerator: str, tests: int, seed: int) -> Report:
    """Return a report in which one in three tests did not pass, and one in twenty is missing."""
    pick = random.Random(seed)  # noqa: S311 - made-up outcomes
    others = len(OUTCOMES) - 1
    outcomes = pick.choices(list(OUTCOMES), weights=[2 * others, *[1] * others], k=tests)
    return Report.model_validate(
        {
            "schema_version": 1,
            "accelerator": accelerator,
            "kind": "self-reported",
            "trigger": {"kind": "nightly"},
            "started": "2026-01-01T00:00:00Z",
            "environment": {"torch": "2.15.0"},
            "suites": [{"name": SUITE, "kind": "unit"}],
            "tests": [
                {
                    "suite": SUITE,
                    "name": _name(n),
                    "parameters": {"dtype": ("float32", "bfloat16")[seed % 2]},
                    "outcome": outcome,
                    "reason": "made up",
                }
                for n, outcome in enumerate(outcomes)
                if pick.random() < 0.95  # noqa: PLR2004 - a few have no evidence
            ],
        }
    )


def _name(number: int) -> str:
    return f"{'abcdefghij'[number % 10]}_made_up_{number:04}"


def _sizes(site: Path) -> None:
    page = site / "results" / SUITE / "index.html"
    data = site / "api/v1/results" / f"{SUITE}.json"
    sizes = {path.name: len(gzip.compress(path.read_bytes(), 6)) for path in (page, data)}
    words = ", ".join(f"{name} {size / 1000:.0f} kB" for name, size in sizes.items())
    print(f"gzipped: {words}; together {sum(sizes.values()) / 1000:.0f} kB (aim: 400 kB)")


def _times(page: Page, repeat: int) -> None:
    wanted = {
        "accelerator": ("accelerator", "synthetic-0002"),
        "outcome": ("outcome", "not-passed"),
        "text": ("text", "made_up_1"),
    }
    page.locator("[data-matrix] [name=text]").focus()
    page.wait_for_load_state("networkidle")  # the data is there
    plain = _run(page, [(_PLAIN, None)] * repeat)
    print(f"plain loop over as many rows and cells: {plain}")
    for words, choice in wanted.items():
        runs = [_run(page, [(_CHOOSE, choice), (_CLEAR, None)]) for _ in range(repeat)]
        for place, what in enumerate((f"filter by {words}", "clear")):
            times = Times([run.first[place] for run in runs], [run.all[place] for run in runs])
            ratio = statistics.median(times.first) / statistics.median(plain.first)
            print(f"{what}: {times}; beside the plain loop {ratio:.2f}")


def _run(page: Page, scripts: list[tuple[str, tuple[str, str] | None]]) -> Times:
    made = [page.evaluate(script, argument) for script, argument in scripts]
    return Times([float(first) for first, _ in made], [float(every) for _, every in made])


if __name__ == "__main__":
    sys.exit(main())
