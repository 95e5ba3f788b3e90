from __future__ import annotations

from functools import cache

import yaml

from tests.built_site import REPOSITORY, Page, Site, attribute


@cache
def repository_url() -> str:
    """The repository's address; mkdocs.yml has tags that only MkDocs reads."""
    node = yaml.compose((REPOSITORY / "mkdocs.yml").read_text("utf-8"), yaml.SafeLoader)
    assert isinstance(node, yaml.MappingNode)
    return str({key.value: value.value for key, value in node.value}["repo_url"])


def edited_file(page: Page) -> str:
    """The path in the repository that the page's edit button opens."""
    address = attribute(page.one("a[rel=edit]"), "href")
    edit = f"{repository_url()}/edit/main/"
    assert address.startswith(edit), address
    return address.removeprefix(edit)


def test_the_edit_button_of_each_page_opens_a_file_that_exists(site: Site) -> None:
    for page in site.pages.values():
        if page.address != "404.html" and not page.is_moved:
            assert (REPOSITORY / edited_file(page)).is_file(), page.address


def test_a_platforms_page_is_edited_in_the_vendors_own_folder(site: Site) -> None:
    for platform in site.catalog.platforms:
        page = site.pages[f"compute-platforms/{platform.id}/"]
        assert edited_file(page) == f"accelerators/{platform.id}/guide.md"


def test_the_files_named_at_a_pages_end_exist(site: Site) -> None:
    for page in site.pages.values():
        for link in page.tree.css("footer.page-end a[href^='https:']"):
            address, path = attribute(link, "href"), link.text()
            kind = "edit" if (REPOSITORY / path).is_file() else "tree"  # GitHub edits no folders
            assert address == f"{repository_url()}/{kind}/main/{path}", page.address
            assert (REPOSITORY / path).exists(), path


def test_every_generated_page_ends_with_its_files_and_its_data(site: Site) -> None:
    for page in site.pages.values():
        if page.address != "404.html" and not page.is_moved:
            links = [attribute(a, "href") for a in page.one("footer.page-end").css("a")]
            assert links[0].endswith(".json"), page.address
            assert len(links) > 1, page.address


def test_a_platforms_page_names_all_files_of_its_folder(site: Site) -> None:
    for platform in site.catalog.platforms:
        address = f"compute-platforms/{platform.id}/"
        pages = (
            site.pages[address],
            *(site.pages[f"{c}/{address}"] for c in platform.translations),
        )
        named = {link.text() for page in pages for link in page.tree.css("footer.page-end a")}
        folder = REPOSITORY / "accelerators" / platform.id
        files = [
            file for file in folder.iterdir() if file.name != "results"
        ]  # has pages of its own
        assert {f"accelerators/{platform.id}/{file.name}" for file in files} <= named
