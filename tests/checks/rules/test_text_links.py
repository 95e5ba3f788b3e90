from __future__ import annotations

import pytest

from tests.folders import FAQ, GUIDE, ProblemsAfter

NOT_WEB = "is not a web address; write a full https:// address"
NO_HTTPS = "is not a web address with https; write https:// instead of http://"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[x](http://example.org)", ['11: the link to "http://example.org"']),
        ("[x](../other/)", ['11: the link to "../other/"']),
        ("[x](#anchor)", ['11: the link to "#anchor"']),
        ("<mailto:a@example.org>", ['11: the link to "mailto:a@example.org"']),
        ("[x](javascript:alert(1)) javascript", []),
        ("[x][y]\n\n[y]: http://example.org", ['11: the link to "http://example.org"']),
        ("one\ntwo [x](http://a.b)\n\n- [y](//c.d)",
         ['12: the link to "http://a.b"', '14: the link to "//c.d"']),
        ("| a |\n|-|\n| [x](http://a.b) |", ['13: the link to "http://a.b"']),
        ("![a picture](https://example.org/a.png)", ["11: images are not allowed"]),
        ("[![a](https://a.b/c.png)](http://a.b)",
         ["11: images are not allowed", '11: the link to "http://a.b"']),
        ("[x](https://example.org) <https://example.org> `[x](http://a.b)`", []),
        ("```\n[x](../a)\n```", []),
    ],
)  # fmt: skip
@pytest.mark.parametrize(("path", "anchor"), [(GUIDE, "This is"), (FAQ, "No, it is")])
def test_links_lead_to_web_addresses_and_pictures_are_not_shown(
    text: str, expected: list[str], path: str, anchor: str, problems_after: ProblemsAfter
) -> None:
    assert problems_after((path, anchor, f"{text}\n\n{anchor}")) == [
        f"{path}:{e} {NO_HTTPS if 'http:' in e else NOT_WEB}" if "link" in e
        else f"{path}:{e}; describe it in words, or link to it"
        for e in expected
    ]  # fmt: skip
