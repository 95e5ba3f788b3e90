"""Checks reports and archived results, and that files name existing suites and tests."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.catalog import FEATURE_TESTS, HISTORY, MODEL_FAMILIES, OWN_RUNS
from accelerator_portal.catalog.files.shared_files import matches_test_pattern, model_suites
from accelerator_portal.catalog.loader import known_names
from accelerator_portal.checks.rule import indexed_duplicates, rule
from accelerator_portal.results.stored_reports import StoredReport, left_out_reports, stored_reports
from accelerator_reports.files.folders import ACCELERATORS, VALIDATION
from accelerator_reports.files.problem import Problem, did_you_mean
from accelerator_reports.files.yaml_file import Location
from accelerator_reports.known_issues import KnownFailure, matches_key_pattern, readable_key
from accelerator_reports.report_file import name_warnings, report_problems
from accelerator_reports.suite_names import (
    SUITES_OF_CHECKOUTS,
    SUITES_WITHOUT_FILE,
    SuiteFile,
    suite_owner,
)
from accelerator_reports.test_ids import Identity, UnreadableKeyError, identity_of, parse_key

_NEVER = dt.datetime.max.replace(tzinfo=dt.timezone.utc)


@rule()
def report_files(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Reports in `results/` are valid and consistent."""
    valid_names = known_names(catalog)
    own_run_platforms = catalog.own_runs.ids if catalog.own_runs else frozenset()
    # A run that started later today is not in the future.
    end_of_day = dt.datetime.combine(today, dt.time.max, dt.timezone.utc)
    for reports, problems in (stored_reports(catalog), left_out_reports(catalog)):
        yield from problems
        for stored in reports:
            report_data = stored.report
            yield from report_problems(
                report_data, stored.path, valid_names, end_of_day, stored.first_test
            )
            if report_data.kind == "made-here" and report_data.accelerator not in own_run_platforms:
                what = f"the report has kind: made-here, but {OWN_RUNS} does not list the platform"
                yield Problem(stored.path, 1, what, "write kind: self-reported")
        yield from _duplicate_start_times(reports)


def _duplicate_start_times(reports: Iterable[StoredReport]) -> Iterator[Problem]:
    """Yield a problem for each report with the same start time and suite as an earlier report.

    Only reports of the same platform are compared, runs with runs and baselines with baselines.
    """
    seen: dict[tuple[str, str, dt.datetime, str], StoredReport] = {}
    for stored in reports:
        report_data = stored.report
        if report_data.started is None:
            continue
        kind = "baseline" if report_data.kind == "baseline" else "run"
        for group in sorted({identity_of(test).group for test in report_data.tests}):
            key = (report_data.accelerator, kind, report_data.started, group)
            other = seen.setdefault(key, stored)
            if other is not stored:
                what = f'{other.path} has tests of "{group}" with the same start time'
                yield Problem(stored.path, 1, what, "correct started, or merge the two reports")
                break


# A warning: the portal cannot know whether a vendor's own names are misspelled.


@rule(level="warning")
def report_names(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Suites and tests in reports are listed in the portal or declared by the vendor.

    Vendors can publish results of their own suites and tests. Declare your suite under `suites` in
    `accelerator.yaml` to show its title and a link. Tests that the portal lists can be compared
    across platforms. The rule warns of a suite or test that is neither listed nor declared, because
    its name is often misspelled.
    """
    valid_names = known_names(catalog)
    for reports, _ in (stored_reports(catalog), left_out_reports(catalog)):
        for stored in reports:
            yield from name_warnings(stored.report, stored.path, valid_names, stored.first_test)


@rule(level="warning")
def archived_ids(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Each platform with archived results has a folder, because an id never changes.

    Links, reports, the archive and other people's bookmarks use the id, which is the name of the
    folder. A renamed folder would start with an empty history, and old links would be broken.
    Readers see `name` in `accelerator.yaml`, which may change at any time.
    """
    for name in catalog.archived_without_folder:
        what = f"the archive has results of {name}, but the folder {ACCELERATORS}/{name} is missing"
        remedy = (
            f'rename the folder back to {name} and change "name" in accelerator.yaml instead; '
            "if the platform was removed, delete its archive"
        )
        yield Problem(f"{HISTORY}/{name}.sha256", 1, what, remedy)


@rule()
def known_issues(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Entries of `known-issues.yaml` have valid test keys of existing suites, each key once."""
    for platform in catalog.platforms:
        duplicates = dict(
            indexed_duplicates(issue.test or issue.glob for issue in platform.known_issues)
        )
        for index, issue in enumerate(platform.known_issues):
            key_or_glob = issue.test or issue.glob or ""
            key = "test" if issue.test else "glob"
            if index in duplicates:
                what = f'"{key_or_glob}" is listed twice'
                yield platform.record_problem(issue, key, what, "remove one of the two")
            if alias := _leading_alias(key_or_glob, catalog.suite_names.aliases):
                what = f'"{alias}" is an alias, so the issue matches no test'
                name = catalog.suite_names.aliases[alias]
                yield platform.record_problem(issue, key, what, f'write "{name}"')
                continue
            if issue.test is None:
                continue
            try:
                suite = parse_key(issue.test).suite
            except UnreadableKeyError as error:
                remedy = "use suite/name or suite/name?dtype=float32"
                yield platform.record_problem(issue, key, str(error), remedy)
                continue
            portal = {*catalog.suites, *SUITES_WITHOUT_FILE}
            if catalog.suites and suite not in portal and not _is_vendor_suite(suite, platform.id):
                what = f'there is no suite "{suite}"'
                remedy = did_you_mean(suite, catalog.suites)
                yield platform.record_problem(issue, key, what, remedy)


def _leading_alias(key_or_glob: str, aliases: Mapping[str, str]) -> str | None:
    """Return the suite alias at the beginning of a test key or a pattern, or None.

    `aliases` maps each alias to the name of the suite.
    """
    readable = readable_key(key_or_glob)
    return next((alias for alias in aliases if readable.startswith(f"{alias}/")), None)


def _is_vendor_suite(suite: str, platform: str) -> bool:
    """Return whether a suite belongs to a vendor.

    True for a name with a slash, such as `acme/kernels`. Also true if `suite` is the platform's id,
    because `parse_key` reads `acme` as the suite of the test key `acme/kernels/test_a`.
    """
    return suite == platform or suite_owner(suite) is not None


@rule(level="warning")
def outdated_known_issues(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Entries of `known-issues.yaml` have not expired, and their tests exist.

    When a known issue expires, its failure counts as a regression again. A known issue for a test
    that doesn't exist has no effect. Often the name of the test is misspelled.
    """
    for platform in catalog.platforms:
        for issue in platform.known_issues:
            if issue.expires <= today:
                what = f"the known issue expired on {issue.expires}"
                remedy = "remove it, or set a later date if the test still fails"
                yield platform.record_problem(issue, "expires", what, remedy)
            if test_fault := _unknown_test_fault(catalog, issue):
                key = "test" if issue.test else "glob"
                yield platform.record_problem(issue, key, *test_fault)


def _unknown_test_fault(catalog: Catalog, issue: KnownFailure) -> tuple[str, str] | None:
    if issue.glob:
        return _unmatched_glob_fault(catalog, issue.glob)
    try:
        test_identity = parse_key(issue.test or "")
    except UnreadableKeyError:
        return None  # the rule known-issues reports it
    suite = catalog.suites.get(test_identity.suite)
    names = _suite_test_names(suite) if suite else [test_identity.name]
    if test_identity.name in names:
        return None
    return f'the suite "{test_identity.suite}" has no test "{test_identity.name}"', did_you_mean(
        test_identity.name, names
    )


def _unmatched_glob_fault(catalog: Catalog, glob: str) -> tuple[str, str] | None:
    """Return what is wrong with a pattern for test keys that matches no test, and the fix.

    None if a test matches, or if the suite of the pattern is unknown.
    """
    id_, slash, _ = glob.partition("/")
    suite = catalog.suites.get(id_) if slash else None
    key_pattern = f"{glob.partition('?')[0]}*"
    if suite is None or any(
        matches_key_pattern(key_pattern, Identity(id_, name).key)
        for name in _suite_test_names(suite)
    ):
        return None
    return f'no test of the suite "{id_}" matches "{glob}"', "correct the pattern, or remove it"


def _suite_test_names(suite: SuiteFile) -> list[str]:
    return [*suite.tests, *(name for names in suite.aliases.values() for name in names)]


@rule()
def own_suites(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """A platform's own test suites have names that start with its ID, such as `acme/kernels`.

    This prevents two vendors from declaring the same suite and shows who maintains it.
    """
    for platform in catalog.platforms:
        for suite in platform.accelerator.suites:
            names: dict[Location, str] = {("name",): suite.name}
            names |= {("aliases", index): alias for index, alias in enumerate(suite.aliases)}
            for location, name in names.items():
                if suite_owner(name) == platform.id:
                    continue
                what = f'the suite "{name}" does not start with the name of this folder'
                remedy = f'write "{platform.id}/{name.partition("/")[2]}"'
                yield platform.record_problem(suite, location, what, remedy)


# A warning: the report of one vendor must not be able to block that of another.


@rule(level="warning", compares=True)
def shared_suites(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Platforms that use the same suite name have test names in common.

    Results are compared test by test. If platforms share a suite name but no test names, nothing
    can be compared. The warning doesn't appear for the platform that ran the suite first.
    """
    if catalog.unread_folders:
        return  # their tests could have the names
    reports_by_suite: dict[str, dict[str, list[StoredReport]]] = defaultdict(dict)
    for stored in stored_reports(catalog)[0]:
        for declared in stored.report.suites:
            reports_by_suite[declared.name].setdefault(stored.report.accelerator, []).append(stored)
    for suite, reports_by_platform in sorted(reports_by_suite.items()):
        names_by_platform = _test_names_by_platform(suite, reports_by_platform)
        for platform, names in islice(names_by_platform.items(), 1, None):
            other_names = (n for other, n in names_by_platform.items() if other != platform)
            if not all(map(names.isdisjoint, other_names)):
                continue
            what = f'no test of the suite "{suite}" has the same name on another platform'
            first = next(iter(names_by_platform))
            remedy = f'use the test names of "{first}", or use a suite name with your platform ID'
            for stored in reports_by_platform[platform]:
                yield Problem(stored.path, 1, what, remedy)


def _test_names_by_platform(
    suite: str, reports_by_platform: Mapping[str, Iterable[StoredReport]]
) -> dict[str, set[str]]:
    """Return the test names of a suite by platform, starting with the platform that ran it first.

    Platforms without a test of the suite are left out. The names contain no parameters, because
    platforms may test different data types.
    """
    names_and_start = {
        platform: (
            {test.name for s in reports for test in s.report.tests if test.suite == suite},
            min(s.report.started or _NEVER for s in reports),
        )
        for platform, reports in reports_by_platform.items()
    }
    by_start = sorted(names_and_start.items(), key=lambda item: (item[1][1], item[0]))
    return {platform: names for platform, (names, _) in by_start if names}


@rule()
def model_families(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Each pattern in `data/model-families.yaml` matches a test of a suite.

    A misspelled pattern would hide results of that model family. A family without tests in any
    suite is allowed; the models page shows it without results.
    """
    if catalog.model_families is None:
        return
    families = catalog.model_families.families
    for family_index, name in indexed_duplicates(family.id for family in families):
        what = f'the family "{name}" is listed twice'
        yield catalog.problem(
            MODEL_FAMILIES, ("families", family_index, "id"), what, "merge the two"
        )
    for family_index, family in enumerate(families):
        suites = model_suites(catalog.suites)
        matched = {pattern: _pattern_matches_test(suites, pattern) for pattern in family.names}
        for pattern_index, pattern in enumerate(family.names):
            location = ("families", family_index, "names", pattern_index)
            if "/" not in pattern:
                what = f'the pattern "{pattern}" names no suite'
                yield catalog.problem(
                    MODEL_FAMILIES, location, what, f'write "*/{pattern}" for every suite'
                )
            elif any(matched.values()) and not matched[pattern]:
                what = f'no test of a model suite matches "{pattern}"'
                yield catalog.problem(MODEL_FAMILIES, location, what, "correct it or remove it")


@rule()
def feature_tests(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """Each pattern in `data/feature-tests.yaml` matches a test of a suite.

    A misspelled pattern would hide the results of that feature.
    """
    if not catalog.suites:
        return
    for feature, entries in catalog.feature_tests.features.items():
        for entry_index, entry in enumerate(entries):
            for pattern_index, pattern in enumerate(entry.names):
                suite, _, name = pattern.partition("/")
                if suite in SUITES_OF_CHECKOUTS and name == "*":
                    continue
                if not _pattern_matches_test(catalog.suites, pattern):
                    location = ("features", feature, entry_index, "names", pattern_index)
                    what, remedy = (
                        f'no test of a suite matches "{pattern}"',
                        "correct it or remove it",
                    )
                    yield catalog.problem(FEATURE_TESTS, location, what, remedy)


def _pattern_matches_test(suites: Mapping[str, SuiteFile], pattern: str) -> bool:
    return any(
        matches_test_pattern(pattern, suite, name)
        for suite, listed in suites.items()
        for name in listed.tests
    )


@rule()
def validation_settings(catalog: Catalog, today: dt.date) -> Iterator[Problem]:
    """`validation.yaml` names existing suites and checks, and each recipe has its own id.

    A setting for a suite that doesn't exist has no effect.
    """
    for platform in catalog.platforms:
        for suite in platform.validation.suites:
            if catalog.suites and suite not in {*catalog.suites, *SUITES_WITHOUT_FILE}:
                what = f'there is no suite "{suite}"'
                remedy = did_you_mean(suite, catalog.suites)
                yield platform.problem(VALIDATION, ("suites", suite), what, remedy)
        recipes = platform.validation.deploy
        for recipe_index, name in indexed_duplicates(recipe.id for recipe in recipes):
            what, remedy = f'the recipe "{name}" is listed twice', "use a unique ID for each"
            yield platform.record_problem(recipes[recipe_index], "id", what, remedy)
        for recipe in recipes:
            if recipe.check not in platform.install.checks:
                what = f'install.yaml has no check "{recipe.check}"'
                remedy = did_you_mean(recipe.check, platform.install.checks)
                yield platform.record_problem(recipe, "check", what, remedy)
