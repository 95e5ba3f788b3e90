from __future__ import annotations

from accelerator_portal.http import may_request_link


def test_links_lead_to_the_index_or_to_public_hosts() -> None:
    page = "http://127.0.0.1:80/simple/x/"
    assert may_request_link(page, "http://127.0.0.1:80/files/x")
    assert may_request_link(page, "https://example.org/x")
    for url in ("http://example.org/x", "https://127.0.0.1/", "https://[::1]/", "https://h/", "x",
                "https://[/", "https://db.internal/x", "file:///etc/passwd"):  # fmt: skip
        assert not may_request_link(page, url), url
