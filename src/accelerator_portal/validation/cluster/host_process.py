"""The process for batches, as the Dask worker that starts it sees it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import suppress
from multiprocessing import Pipe

from accelerator_portal.validation.case import brief
from accelerator_portal.validation.cluster.batch import Batch, BatchOutcome, HostDiedError
from accelerator_portal.validation.side_process import kill_group

_MODULE = "accelerator_portal.validation.cluster.host"
_GRACE_S = 5.0


class HostProcess:
    """One process for one batch after the other."""

    def __init__(self) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._connection, there = Pipe()
        with there:
            number = there.fileno()
            self._process = subprocess.Popen(
                [sys.executable, "-m", _MODULE, str(number)],
                stdin=subprocess.DEVNULL,
                stdout=self._errors,
                stderr=self._errors,
                pass_fds=[number],
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        """Whether it still runs: it ends by itself after a long pause."""
        return self._process.poll() is None

    def run(self, batch: Batch) -> BatchOutcome:
        """Run a batch, which is bounded by the time limits of its cases; raises HostDiedError."""
        try:
            self._connection.send(batch)
            outcome: BatchOutcome = self._connection.recv()
        except (EOFError, OSError):
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE_S)
            raise HostDiedError(self._last_words()) from None
        return outcome

    def close(self) -> None:
        """End it with all that it started; a batch that is running gets a HostDiedError."""
        kill_group(self._process.pid)
        self._process.kill()
        self._process.wait()

    def _last_words(self) -> str:
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        status = self._process.poll()
        return brief(f"the process for batches ended with status {status}. {said[-600:]}".strip())
