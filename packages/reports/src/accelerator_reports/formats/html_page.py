"""Writes a report as one HTML page, which CI systems can show: no script, no other file.

PyTorch's HUD opens the `artifact_url` of a job. GitHub shows an HTML file in the browser if it was
uploaded without an archive (`archive: false` of actions/upload-artifact, since February 2026).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.etree.ElementTree import Element, SubElement, tostring

from accelerator_reports.outcomes import OUTCOMES, UNSETTLED, WORST_FIRST, Outcome
from accelerator_reports.report import Report, TestEntry, environment_facts
from accelerator_reports.report_views import relay_summary, repeat_command
from accelerator_reports.test_ids import identity_of

MOST_TESTS = 200
"""The number of tests that did not pass that the page shows, the worst first."""
_MOST_EXPLAINED = 100
"""The number of these tests whose output and command the page shows, too."""

# The colors of the site in light and dark mode, see site_src/styles/tokens.css.
_STYLE = """
:root {
  color-scheme: light dark;
  --pass: light-dark(#1a7f37, #4ac26b);
  --fail: light-dark(#b3261e, #ff7b72);
  --warn: light-dark(#8a5a00, #e3b341);
  --info: light-dark(#0b62c4, #6cb6ff);
  --none: light-dark(#57606a, #8b949e);
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem }
body { overflow-wrap: anywhere }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0 }
th, td { border-bottom: 1px solid #8884 }
td:first-child { overflow-wrap: normal }
pre { white-space: pre-wrap; font-size: .8rem; max-height: 20rem; overflow: auto }
.bar { display: flex; gap: 1px; height: .8rem; min-width: 6rem; margin-top: .4rem }
.bar span { background: currentColor; min-width: 2px }
.pass { color: var(--pass) } .fail { color: var(--fail) } .warn { color: var(--warn) }
.info { color: var(--info) } .none { color: var(--none) }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .2rem 1rem }
dt { font-weight: 600 } dd { margin: 0 }
"""


def html_text(report: Report) -> str:
    """Return a report as an HTML page: suites, tests that did not pass, and the environment.

    Raises ProblemsError for a baseline.
    """
    results = relay_summary(report)["test_results"]
    title = f"Test report of {report.accelerator}"
    page = Element("html", {"lang": "en"})
    head = SubElement(page, "head")
    SubElement(head, "meta", {"charset": "utf-8"})
    SubElement(head, "meta", {"name": "viewport", "content": "width=device-width"})
    SubElement(head, "meta", {"name": "robots", "content": "noindex"})
    _add(head, "title", title)
    _add(head, "style", _STYLE)
    body = SubElement(page, "body")
    _add(body, "h1", title)
    numbers = (f"{results['passed']:,} passed", f"{results['failed']:,} failed")
    _add(body, "p", f"{', '.join(numbers)}, {results['skipped']:,} with another outcome.")
    if report.note:
        _add(body, "p", report.note)
    _add(body, "h2", "Suites")
    body.append(_suites(report))
    body.extend(_tests(report))
    _add(body, "h2", "Environment")
    body.append(_environment(report))
    return f"<!DOCTYPE html>\n{tostring(page, encoding='unicode', method='html')}\n"


def _add(parent: Element, tag: str, text: str, css_class: str | None = None) -> Element:
    element = SubElement(parent, tag, {"class": css_class} if css_class else {})
    element.text = text
    return element


def _table(*columns: str) -> tuple[Element, Element]:
    """Return a table with a heading, and its body."""
    table = Element("table")
    heading = SubElement(SubElement(table, "thead"), "tr")
    for column in columns:
        _add(heading, "th", column)
    return table, SubElement(table, "tbody")


def _suites(report: Report) -> Element:
    table, rows = _table("Suite", "Outcomes", "")
    outcomes: dict[str, Counter[Outcome]] = {suite.name: Counter() for suite in report.suites}
    for test in report.tests:
        outcomes.setdefault(test.suite, Counter())[test.outcome] += 1
    levels = {suite.name: suite.level for suite in report.suites}
    for suite, counts in outcomes.items():
        row = SubElement(rows, "tr")
        level = levels.get(suite)
        _add(row, "td", f"{suite}, level {level}" if level else suite)
        ordered = [outcome for outcome in OUTCOMES if counts[outcome]]
        words = ", ".join(f"{counts[one]:,} {OUTCOMES[one].words}" for one in ordered)
        _add(row, "td", words or "no tests")
        bar = SubElement(SubElement(row, "td"), "div", {"class": "bar", "aria-hidden": "true"})
        for one in ordered:
            style = f"flex-grow: {counts[one]}"
            SubElement(bar, "span", {"class": OUTCOMES[one].bar_color, "style": style})
    return table


def _tests(report: Report) -> Iterator[Element]:
    """Yield the heading and table of the tests without a result or with a bad one, worst first."""
    commands = {suite.name: suite.command for suite in report.suites}
    tests = sorted(
        (test for test in report.tests if test.outcome in UNSETTLED),
        key=lambda test: WORST_FIRST.index(test.outcome),
    )
    if not tests:
        return
    heading = Element("h2")
    heading.text = "Tests that failed or did not run"
    yield heading
    if len(tests) > MOST_TESTS:
        limit = Element("p")
        limit.text = (
            f"The first {MOST_TESTS:,} of {len(tests):,} tests. The report has all of them."
        )
        yield limit
    table, rows = _table("Outcome", "Test")
    for position, test in enumerate(tests[:MOST_TESTS]):
        row = SubElement(rows, "tr")
        info = OUTCOMES[test.outcome]
        _add(row, "td", f"{info.sign} {info.words}", info.color)
        row.append(_test(test, commands.get(test.suite), explained=position < _MOST_EXPLAINED))
    yield table


def _test(test: TestEntry, suite_command: str | None, *, explained: bool) -> Element:
    cell = Element("td")
    _add(SubElement(cell, "div"), "code", identity_of(test).key)
    if test.reason:
        _add(cell, "div", test.reason)
    if test.known_issue:
        url = test.known_issue.url
        SubElement(_add(cell, "div", "Known issue: "), "a", {"href": url}).text = url
    if explained:
        for title, text in (
            ("Command", repeat_command(test, suite_command)),
            ("Output", test.log_tail),
        ):
            if text:
                details = SubElement(cell, "details")
                _add(details, "summary", title)
                _add(details, "pre", text)
    return cell


def _environment(report: Report) -> Element:
    facts: dict[str, object] = {}
    if report.started:
        facts["started"] = f"{report.started:%Y-%m-%d %H:%M} UTC"
    if report.trigger.commit:
        facts["tested commit"] = report.trigger.commit
    if report.trigger.pull_request:
        facts["pull request"] = report.trigger.pull_request
    listing = Element("dl")
    if report.run_url:
        _add(listing, "dt", "run")
        _add(_add(listing, "dd", ""), "a", report.run_url).set("href", report.run_url)
    for name, value in {**facts, **environment_facts(report.environment)}.items():
        _add(listing, "dt", name)
        _add(listing, "dd", str(value))
    return listing
