"""A new platform while it is asked about: what is there already, what is offered, what is said."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from accelerator_portal.catalog import Catalog
from accelerator_portal.catalog.install_steps import Step
from accelerator_portal.install.addresses import host_of, step_addresses
from accelerator_portal.install.pip_command import pip_steps
from accelerator_portal.vendors.answers import Answer
from accelerator_portal.vendors.draft import Draft, Record
from accelerator_portal.vendors.package_metadata import PackageMetadata


@dataclass(frozen=True, slots=True)
class PlatformCase:
    """What is known of the platform `id` so far.

    `offers` are answers that another document gives: a package's metadata, or an entry of
    `additional-platforms.json`, whose options and guide are in `entry`; `package` is what the
    package says of itself.
    """

    catalog: Catalog
    id: str
    today: dt.date
    offers: Mapping[str, Answer] = field(default_factory=dict)
    entry: Draft | None = None
    package: PackageMetadata | None = None
    answers: Mapping[str, Answer] = field(default_factory=dict)

    def value(self, flag: str) -> Any:  # noqa: ANN401 - each question has its kind
        """Return an answer's value, None where there is none."""
        answer = self.answers.get(flag)
        return answer.value if answer else None

    def source(self, flag: str) -> str:
        """Return the id of the source of an answer that there is."""
        return self.answers[flag].source

    def answered(self, flag: str, answer: Answer) -> PlatformCase:
        """Return the case with one more answer."""
        return replace(self, answers={**self.answers, flag: answer})

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The steps of the command, or of the entry's first option; none where neither is there."""
        command = self.value("command")
        if command:
            return pip_steps(command)
        options = self.entry_options
        return list(options[0]["steps"]) if options else []

    @property
    def new_hosts(self) -> list[str]:
        """The hosts that commands name and that the portal does not know yet."""
        options = self.entry_options or [{"steps": self.steps}]
        return self.hosts_of([step for option in options for step in option["steps"]])

    def hosts_of(self, steps: Iterable[Record]) -> list[str]:
        """Return the hosts that steps name and that the portal does not know yet."""
        listed = self.catalog.hosts
        if listed is None:
            return []
        models = map(Step.model_validate, steps)
        found = (host_of(address) for step in models for _, address in step_addresses(step))
        known = {entry.host for entry in listed.hosts}
        return [host for host in dict.fromkeys(found) if host and host not in known]

    @property
    def sharing(self) -> list[str]:
        """The names of the platforms that have the same device string."""
        device = (self.value("device") or "").casefold()
        platforms = (platform.accelerator for platform in self.catalog.platforms)
        return [p.name for p in platforms if p.device.value.casefold() == device]

    @property
    def entry_options(self) -> list[Record]:
        """The install options of the entry."""
        return list(self.entry.install["options"]) if self.entry else []


def plugin_by_release(case: PlatformCase) -> Mapping[str, str]:
    """Return the package's version for each release: one for all, or each its own."""
    releases: tuple[str, ...] = case.value("torch") or ()
    plugins: tuple[str, ...] = case.value("plugin-version") or ()
    if len(plugins) == 1:
        return dict.fromkeys(releases, *plugins)
    return dict(zip(releases, plugins, strict=False))
