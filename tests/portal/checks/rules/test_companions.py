from __future__ import annotations

from accelerator_portal.catalog import Catalog


def test_the_releases_list_what_torchaudio_supports(catalog: Catalog) -> None:
    fits = {r.version: catalog.releases.companions_of(r.version) for r in catalog.releases.releases}
    assert fits["2.9.0"]["torchaudio"] == ("2.9.0",)
    assert fits["2.9.0"]["torchvision"] == ("0.24.0",)
    assert fits["2.13.0"]["torchaudio"] == ("2.11.1", "2.11.0")
    assert {found["torchtext"] for found in fits.values()} == {()}
    assert all(found["triton"] for found in fits.values())


def test_the_nightly_build_is_offered_for_the_newest_python(catalog: Catalog) -> None:
    """Its torchvision has a wheel for every Python 3, as that of the newest release."""
    releases = catalog.releases
    newest = [python for python in releases.newest.python if not python.endswith("t")][-1]
    assert newest in releases.preview.python
