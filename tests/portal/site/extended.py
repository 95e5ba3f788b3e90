"""The example's sources with a second platform, a third language, and more that vendors declare."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from accelerator_portal.site.languages import LOCALE_FOLDER
from accelerator_reports.cli import main
from tests.built_site import EXAMPLE, copy_sources
from tests.folders import FORMS, write_tree

# The second platform, as `accelerator-portal new` creates it.
ANSWERS = {
    "name": "Foo *Card*",
    "vendor": "Foo & Works",
    "url": "https://example.org/foo",
    "device": "foo",
    "dispatch-key": "PrivateUse1",
    "package": "torch-foo",
    "import": "torch_foo",
    "command": "pip install torch-foo==1.2",
    "needs": "Foo driver 5",
    "torch": "2.3.0",
    "os": "linux",
    "arch": "x86_64",
    "python": "3.12",
    "github": "foo/torch-foo",
    "maintainer": "foo-person",
}

DECLARED = """
report_feeds:
  - {name: nightly, url: "https://example.org/newest.json", source: SOURCE}
  - {name: release, release: {repository: acme/plugin, asset: report.json}, source: SOURCE}
  - name: weekly
    artifact: {repository: acme/ci, workflow: weekly.yml, artifact: out}
    source: SOURCE
upstream_events:
  events: [pull-request, daily]
  labels: [ciflow/acme]
  tasks: [build, unit]
  run: {dispatch: {repository: acme/tests, event_type: pytorch}}
  hours: 8
  source: SOURCE
maintainers: [{github: someone, source: SOURCE}]
"""
ISSUES = """\
issues:
  - {test: "timm/alpha", action: expect, reason: "It <b>*breaks*.", url: "https://example.org/1",
     expires: 2099-05-01}
  - {glob: "timm/b*", action: skip, reason: Too long., url: "https://example.org/2",
     expires: 2099-06-01}
"""
CLASSIFIED = '"hw_classification": "ACCELERATOR"'
SAMPLED = """\
"metrics": {"samples": {"value": 8, "unit": "1"}, "known-samples": {"value": 40, "unit": "1"}}"""
QUESTION = "\n## Why `torch.<acme>` and `a_b_c`?\n\nBecause [@SOURCE].\n"

JAPANESE = """\
msgid ""
msgstr ""
"Plural-Forms: nplurals=1; plural=0;\\n"

msgid "Get started"
msgstr "はじめに"
"""


def write_extended(root: Path) -> None:
    """Write the sources into the folder `root`."""
    write_tree(copy_sources(root, EXAMPLE), FORMS)
    words = [word for flag, text in ANSWERS.items() for word in (f"--{flag}", text)]
    result = CliRunner().invoke(main, ["new", "foo", "--root", str(root), *words])
    assert result.exit_code == 0, result.output
    folder = root / "accelerators/acme"
    for name, more in (("accelerator.yaml", DECLARED), ("faq.md", QUESTION)):
        text = (folder / name).read_text("utf-8")
        source = text.partition("sources:\n")[2].partition(":")[0].strip()
        (folder / name).write_text(text + more.replace("SOURCE", source), "utf-8")
    for number, more in (("2", CLASSIFIED), ("3", SAMPLED)):
        report = folder / f"results/nightly-{number}.json"
        text = report.read_text("utf-8")
        report.write_text(text.replace('"name": "second"', f'"name": "second", {more}'), "utf-8")
    (folder / "known-issues.yaml").write_text(ISSUES, "utf-8")
    (root / LOCALE_FOLDER / "ja.po").write_text(JAPANESE, "utf-8")
    configuration = root / "mkdocs.yml"
    before = configuration.read_text("utf-8")
    after = before.replace("languages: [zh]", "languages: [zh, ja]")
    assert after != before
    configuration.write_text(after, "utf-8")
