from __future__ import annotations

import re
from pathlib import Path

import pytest

from accelerator_portal.site.build import PageModules, read_page_modules
from tests.built_site import Site, attribute
from tests.folders import REPOSITORY, Tree

SCRIPTS = REPOSITORY / "site_src/scripts"


@pytest.fixture
def modules(tree: Tree) -> PageModules:
    table = '  "form[data-list]": () => import("./list.js").then(({ start }) => start),\n'
    files = {
        "portal.js": f'import {{ a }} from "./common.js";\n\nconst PARTS = {{\n{table}}};\n',
        "common.js": "export const a = 1;\n",
        "list.js": 'import { a } from "./common.js";\nimport { b } from "./model.js";\n',
        "model.js": 'import { c } from "./list.js";\n',  # modules may import each other
    }
    return read_page_modules(tree(files))


def test_a_page_with_a_form_gets_what_the_form_imports(modules: PageModules) -> None:
    page = ("<p>", '<form class="x" data-list aria-label="y">')
    assert set(modules.of(page)) == {"portal", "common", "list", "model"}
    assert len(modules.of(page)) == 4


@pytest.mark.parametrize("html", ["<p>data-list", '<form data-lists="">', '<form data-other="">'])
def test_a_page_without_one_gets_nothing(html: str, modules: PageModules) -> None:
    assert modules.of((html,)) == ()


def test_every_line_of_the_table_in_portal_js_is_read() -> None:
    portal = (SCRIPTS / "portal.js").read_text(encoding="utf-8")
    parts = read_page_modules(SCRIPTS).parts
    assert len(parts) == portal.count("() => import(") > 9


def test_every_import_of_the_scripts_is_read() -> None:
    modules = read_page_modules(SCRIPTS)
    assert {*modules.common} == _imported_by("portal")
    for names in modules.parts.values():
        assert {*names} == _imported_by(names[0])


def _imported_by(module: str) -> set[str]:
    """A module and what it imports, directly or not."""
    found = {module}
    while True:
        texts = [(SCRIPTS / f"{name}.js").read_text(encoding="utf-8") for name in found]
        more = {name for text in texts for name in re.findall(r'\bfrom\s+"\./(.+)\.js"', text)}
        if more <= found:
            return found
        found |= more


def test_every_built_page_with_a_form_asks_for_its_modules_at_once(site: Site) -> None:
    modules = read_page_modules(SCRIPTS)
    asking = 0
    for page in site.pages.values():
        asked = [attribute(link, "href") for link in page.tree.css("link[rel=modulepreload]")]
        assert {Path(path).stem for path in asked} == {*modules.of((page.html,))}, page.address
        assert all((site.root / path.lstrip("./")).is_file() for path in asked)
        asking += bool(asked)
    assert 10 < asking < len(site.pages)
