from __future__ import annotations

from tests.built_site import Site, attribute


def test_each_goal_of_executorch_says_where_it_works_and_who_asks_for_it(site: Site) -> None:
    goals = site.catalog.executorch_goals
    assert goals
    page = site.pages["contribute/executorch/"]
    for goal in goals.goals:
        row = page.tree.css_first(f"tr[id='{goal.id}']")
        assert row
        where = row.css("td")[3].text()
        assert (goal.command or "") in where
        assert (goal.needs or "") in where
        cited = [attribute(link, "href").removeprefix("#") for link in row.css(".cite a")]
        assert len(cited) == len(goal.source)
        assert all(page.ids.count(anchor) == 1 for anchor in cited)


def test_the_page_shows_measured_figures_flows_and_their_readiness(site: Site) -> None:
    page = site.pages["contribute/executorch/"]
    share = page.tree.css_first("tr[id='share']")
    assert share
    assert "median" in share.css("td")[-1].text()
    cuda = page.tree.css_first("tr[id='cuda']")
    assert cuda
    assert not cuda.css("td")[-1].text().strip(), "no run shows it"
    text = page.tree.body.text() if page.tree.body else ""
    assert "XnnpackBackend" in text
    assert "of 100 points" in text
    assert {"compared", "kept-out", "readiness"} <= set(page.ids)


def test_suites_of_executorch_are_there_with_the_names_of_its_own_suite(site: Site) -> None:
    suites = site.catalog.suites
    assert {"test_add_dtype", "test_lstm_dtype"} <= set(suites["executorch-operators"].tests)
    assert {"LlamaForCausalLM", "test_alexnet"} <= set(suites["executorch-models"].tests)
