"""Whether a run may go on: results of two versions in one report would be nobody's."""

from __future__ import annotations

from accelerator_portal.validation.journal import JournalContent
from accelerator_portal.validation.probe import Probed
from accelerator_portal.validation.request import Request, RunError


def refuse_other_run(kept: JournalContent, request: Request, probed: Probed) -> None:
    """Compare what a run began with and what it would go on with; raises RunError."""
    pairs = {
        "device": (kept.head["device"], request.device),
        "torch": (kept.head["environment"].get("torch"), probed.environment.get("torch")),
        "plugin": (kept.head["environment"].get("plugin"), probed.environment.get("plugin")),
        "backend": (kept.head["environment"].get("backend"), probed.environment.get("backend")),
    }
    if wanted := request.shard:  # without one, it is the one that the run began with
        begun = kept.head.get("shard")
        shard = f"{begun['index']}/{begun['count']}" if begun else None
        pairs["shard"] = (shard, f"{wanted.index}/{wanted.count}")
    for name, (before, now) in pairs.items():
        if before != now:
            what = f"the run started with {name} {before}, but now it is {now}"
            raise RunError(f"{what}. Start a new run without --resume")
