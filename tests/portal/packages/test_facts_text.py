"""The layout of a package's file: one release per line, whose number is known."""

from __future__ import annotations

from accelerator_portal.catalog.files.package_file import IndexFacts, PackageFacts, ReleaseFacts
from accelerator_portal.packages.portal_packages import facts_text, release_line_number

MIRROR, OTHER = "https://example.org/simple", "https://example.net/simple"


def test_each_release_has_a_line_after_indexes_of_each_form() -> None:
    releases = tuple(ReleaseFacts(version=version) for version in ("2.1", "2.0"))
    indexes = (
        IndexFacts(index="pypi", releases=()),
        IndexFacts(index=MIRROR, about="Words", releases=releases),
        IndexFacts(index=OTHER, releases=releases),
    )
    facts = PackageFacts(package="torch-example", indexes=indexes)
    lines = facts_text(facts).splitlines()
    numbers = [
        release_line_number(facts, index, release.version)
        for index in (MIRROR, OTHER)
        for release in releases
    ]
    assert numbers == [12, 13, 19, 20]
    written = [lines[number - 1].rstrip(",") for number in numbers]
    assert written == ['{"version": "2.1"}', '{"version": "2.0"}'] * 2
    assert release_line_number(facts, "pypi", "2.1") == 1
    assert lines[-2:] == ['"changes": []', "}"]
