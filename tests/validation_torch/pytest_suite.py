"""An invented suite of a vendor: each test of pytest ends in its own way."""

from __future__ import annotations

import textwrap
from pathlib import Path

FILES = {
    "pytest.ini": "[pytest]\naddopts = -q -m 'not later'\nmarkers = later: not now\n",
    "tests/conftest.py": """
        import pytest
        import torch

        @pytest.fixture(scope="session")
        def device():
            import os
            return os.environ["ACCELERATOR_PORTAL_DEVICE"]

        @pytest.fixture
        def bad():
            raise ValueError("the fixture stops")

        @pytest.fixture
        def untidy():
            yield
            raise ValueError("the end stops")
    """,
    "tests/test_vendor.py": """
        import os
        import signal
        import time
        import unittest

        import pytest
        import torch

        @pytest.mark.parametrize("dtype", [torch.float32, torch.int64], ids=["float32", "int64"])
        @pytest.mark.parametrize("size", [1, 2])
        def test_add(device, dtype, size):
            one = torch.ones(size, device=device, dtype=dtype)
            assert (one + one).cpu().tolist() == [2] * size

        def test_fails(device):
            print("what it printed")
            assert torch.ones(1, device=device).item() == 2.0

        def test_raises():
            raise RuntimeError("the driver says no")

        @pytest.mark.skip(reason=f"no second card: {__file__}")
        def test_skipped():
            raise RuntimeError

        @pytest.mark.xfail(reason=f"known for long: {__file__}")
        def test_expected():
            assert False

        @pytest.mark.xfail
        def test_unexpected():
            pass

        @pytest.mark.xfail(strict=True, reason="must fail")
        def test_strict():
            pass

        @pytest.mark.parametrize(
            "size", [1, pytest.param(2, marks=pytest.mark.xfail(strict=True))])
        def test_marked(size):
            pass

        @pytest.mark.xfail(strict=True)
        class TestStrict:
            def test_passes(self):
                pass

            def test_fails(self):
                assert False

        class TestOfUnittest(unittest.TestCase):
            @unittest.expectedFailure
            def test_passes(self):
                pass

            @unittest.expectedFailure
            def test_fails(self):
                self.fail()

        def test_fixture(bad):
            pass

        def test_teardown(untidy):
            pass

        def test_crash():
            os.kill(os.getpid(), signal.SIGSEGV)

        def test_hang():
            time.sleep(600)

        @pytest.mark.later
        def test_later():
            raise RuntimeError

        class TestGroup:
            def test_inside(self):
                pass
    """,
    "tests/test_unready.py": "import no_such_package_at_all\n",
}


def make_suite(folder: Path) -> None:
    """Write the suite into an empty folder; its tests are in `tests`."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), "utf-8")
