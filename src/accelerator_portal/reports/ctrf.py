"""Reader of the Common Test Report Format (CTRF, ctrf.io), specVersion 1.0.0.

JSON of many test frameworks; what `ctrf_writer` keeps beside it comes back.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from accelerator_portal.reports import ctrf_model
from accelerator_portal.reports.ctrf_case import named, plain_fields
from accelerator_portal.reports.imported_tests import ImportedTests, chosen_suite, refused
from accelerator_portal.reports.json_input import load_json
from accelerator_portal.reports.reading import ImportResult, Options
from accelerator_portal.reports.remainder import (
    NAMESPACE,
    Fields,
    Run,
    completed,
)
from accelerator_portal.reports.report import Suite
from accelerator_portal.reports.run_facts import named_facts, stated_environment
from accelerator_portal.reports.test_ids import suite_id

# Tools that know no time write 0; CTRF has no word for "not known".
_FIRST_MOMENT = 946_684_800_000  # the year 2000


def read_ctrf(path: Path, options: Options) -> ImportResult:
    """Read a CTRF file; raises ProblemsError with every fault that was found."""
    said = chosen_suite(path, options)
    try:
        results = ctrf_model.Document.model_validate(load_json(path)).results
    except ValidationError as error:
        raise refused(path, error) from None
    fallback = suite_id(results.tool.name) or "tests"
    imported = ImportedTests(path, options, may_repeat=True)
    _read_tests(imported, results, options, fallback)
    kept = _kept(imported, "results.extra", results.extra)
    suites = _suites(imported, kept.get("suites", []), said)
    run = _run(imported, results, kept.get("run"))
    tests = imported.done()
    names = dict.fromkeys(test.suite for test in tests) or {said or fallback: None}
    for name in names if tests or not suites else ():
        suites.setdefault(name, Suite(name=name, kind="unit"))
    every = tuple(suites.values())
    return ImportResult(every, tests, run.environment, run.started, run.finished, run.note)


def _read_tests(
    imported: ImportedTests, results: ctrf_model.Results, options: Options, fallback: str
) -> None:
    """Add each test; check that the summary counts what the list holds."""
    statuses: Counter[str] = Counter()
    for number, record in enumerate(results.tests):
        place = f"results.tests[{number}]"
        test = imported.parsed(ctrf_model.Test, record, place)
        if test is None:
            continue
        statuses[test.status] += 1
        known = named(test, options.suite)
        plain = plain_fields(test, known, options.suite, fallback)
        kept = _kept(imported, f"{place}.extra", test.extra)
        imported.add(1, completed(plain, kept), place=place, device=known.device)
    for word in ("tests", *ctrf_model.STATUSES):
        counted = getattr(results.summary, word)
        held = len(results.tests) if word == "tests" else statuses[word]
        if counted != held:
            what = f"results.summary.{word} is {counted:,}, and the tests are {held:,}"
            imported.fault(1, what, "create the file again; one of the two is incomplete")


def _kept(imported: ImportedTests, place: str, extra: Mapping[str, Any]) -> Fields:
    """What a writer of this project kept."""
    kept = extra.get(NAMESPACE, {})
    if isinstance(kept, dict):
        return kept
    imported.fault(1, f"{place}.{NAMESPACE} is not an object", "remove it")
    return {}


def _suites(imported: ImportedTests, records: object, said: str | None) -> dict[str, Suite]:
    suites: dict[str, Suite] = {}
    for record in records if isinstance(records, list) else ():
        if suite := imported.parsed(Suite, record, f"results.extra.{NAMESPACE}.suites"):
            name = said or suite.name
            suites.setdefault(name, suite.model_copy(update={"name": name}))
    return suites


def _run(imported: ImportedTests, results: ctrf_model.Results, kept: object) -> Run:
    if kept is not None:
        return imported.parsed(Run, kept, f"results.extra.{NAMESPACE}.run") or Run()
    said = results.environment
    name, version = said.appName.strip().lower(), said.appVersion.strip()[:200]
    system = " ".join(filter(None, (said.osPlatform, said.osRelease, said.osVersion)))
    is_torch = name in {"torch", "pytorch"}
    facts = {
        "torch": version if version and is_torch else None,
        "packages": {name[:200]: version} if name and version and not is_torch else {},
        "os": system.strip()[:200] or None,
    }
    place = "results.environment"
    stated = imported.environment(facts, place)
    more = imported.environment(named_facts(said.extra), f"{place}.extra")
    return Run(
        environment=stated_environment(more, stated),
        started=_moment(results.summary.start),
        finished=_moment(results.summary.stop),
    )


def _moment(milliseconds: int) -> dt.datetime | None:
    if milliseconds < _FIRST_MOMENT:
        return None
    return dt.datetime.fromtimestamp(0, dt.timezone.utc) + dt.timedelta(milliseconds=milliseconds)
