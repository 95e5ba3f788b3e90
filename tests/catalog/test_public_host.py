from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from accelerator_portal.catalog.public_host import is_public


@pytest.mark.parametrize(
    "address",
    [
        "https://pytorch.org/",
        "https://download.pytorch.org:443/whl/cpu",
        "https://PyTorch.org./",
        "https://1and1.example/",
        "https://a-b.example.co.uk/",
        "https://8.8.8.8/",
        "https://[2606:4700::1111]/",
    ],
)
def test_a_public_host_is_one(address: str) -> None:
    assert is_public(urlsplit(address))


@pytest.mark.parametrize(
    "address",
    [
        "https://xn--/",
        "https://xn--80ak6aa92e.example/",
        "https://localhost/",
        "https://intranet/",
        "https://db.internal/",
        "https://printer.local./",
        "https://a.LOCALHOST/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://0x7f.1/",
        "https://2130706433/",
        "https://0177.0.0.1/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://100.64.0.1/",
        "https://224.0.0.1/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fd00::1]/",
        "https://example.org:0/",
        "https://example.org:65536/",
        "https://example.org:x/",
        "https://-example.org/",
        "https://example-.org/",
        "https://exam_ple.org/",
        "https://example..org/",
        "https://.example.org/",
        f"https://{'a' * 64}.org/",
        f"https://{'a.' * 127}org/",
        "https://example.org%00/",
        "https:///x",
    ],
)
def test_what_is_malformed_or_private_is_refused(address: str) -> None:
    assert not is_public(urlsplit(address))
