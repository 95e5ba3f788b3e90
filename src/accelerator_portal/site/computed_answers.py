"""Answers to error messages that follow from the catalog: missing operators and missing releases.

Each is a section like those of an FAQ file, below them: what a vendor wrote comes first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

from packaging.utils import canonicalize_name

from accelerator_portal.catalog import Catalog, Platform
from accelerator_portal.catalog.files.package_file import PYPI
from accelerator_portal.catalog.markdown_file import CodeBlock, Section
from accelerator_portal.packages.fitting_releases import torch_requirements
from accelerator_portal.packages.plugin_releases import (
    PluginRelease,
    final_plugin_releases,
    pythons_on_every_system,
    wheel_systems,
)
from accelerator_portal.packages.portal_packages import TORCH

_MOST_RELEASES = 3
_OWN_KEY = "PrivateUse1"
"""PyTorch's dispatch key for all backends that have no key of their own."""


_OTHERS = """
The message names a dispatch key, such as `CPU` or `SparseMPS`. The operator has no kernel for this
key. It names the device of the tensors, and often their form
([PyTorch's list](https://github.com/pytorch/pytorch/blob/a872aac624f7cf3c1a8da5ee64ff79d68020029f/c10/core/DispatchKey.h)).

- A device such as `CPU`, `CUDA`, `XLA` or `Vulkan`: a newer release of PyTorch or of the plugin may
  have the operator. Until then, move the inputs to a device that has it: `.cpu()` or `.to(device)`.
  With a key that is not your device, some inputs are on another device than you think.
- `Sparse…`, `Quantized…`, `NestedTensor…`, `Mkldnn…`: the form of the tensor. Convert it first, for
  example with `.to_dense()` or `.dequantize()`.
- `Meta`: the tensor has no numbers. Load the weights before you compute.
- `Autograd…`: the operator has no gradient there. Compute it under `torch.no_grad()` if you need
  none.
"""


def computed_sections(catalog: Catalog, platform: Platform) -> tuple[Section, ...]:
    """Return the answers that follow from the catalog for a platform."""
    return (*_missing_operator(catalog, platform), *_missing_release(catalog, platform))


def shared_computed_sections(catalog: Catalog) -> tuple[Section, ...]:
    """Return the answers that follow from the catalog for all platforms."""
    platforms = [p for p in catalog.platforms if p.accelerator.dispatch_key.value == _OWN_KEY]
    if not platforms:
        return ()
    links = ", ".join(f"[{p.accelerator.name}]({_page(p)}#install)" for p in platforms)
    text = f"""
`{_OWN_KEY}` is the dispatch key of backends that are built outside of PyTorch. Here, these have it:
{links}. The backend has no kernel for the operator, and no fallback to the CPU.

- Use releases of PyTorch and the plugin that belong together: the platform's page lists them. A
  newer release may have the operator.
- Until then, compute this step on the CPU: `.cpu()` for the inputs, `.to(device)` for the result.
- Report it to the plugin's maintainers.
"""
    title = (
        f"What does \"Could not run 'aten::…' with arguments from the '{_OWN_KEY}' backend\" mean?"
    )
    others_title = "What does \"Could not run 'aten::…' with arguments from the '…' backend\" mean?"
    return (
        _section(title, [_could_not_run(_OWN_KEY)], text),
        _section(others_title, ["arguments from the …backend"], _OTHERS),
    )


def _missing_operator(catalog: Catalog, platform: Platform) -> Iterator[Section]:
    """Yield the answer for an operator without a kernel, if the message names the platform.

    Nothing where the platform's FAQ has an answer. The CPU is the reference: an operator that it
    lacks is another question.
    """
    accelerator = platform.accelerator
    keys = Counter(p.accelerator.dispatch_key.value for p in catalog.platforms)
    devices = Counter(p.accelerator.device.value for p in catalog.platforms)
    key, device = accelerator.dispatch_key.value, accelerator.device.value
    names: list[str] = [key] if keys[key] == 1 else []
    names += [device] if devices[device] == 1 and device.lower() != key.lower() else []
    messages = [text for name in names for text in _messages_of_missing(name)]
    declared = {one.text for section in platform.faq.sections for one in section.messages}
    if not messages or device == "cpu" or declared & set(messages):
        return
    package, support = accelerator.package.name, accelerator.support
    fitting = "" if package == TORCH else f" Use the {package} that belongs to your PyTorch."
    channel = f" at [{support[0].title}]({support[0].url})" if support else ""
    text = f"""
The operator has no kernel for the dispatch key `{key}`, which {accelerator.name} uses: PyTorch
stops, or warns and computes it on the CPU. A newer release may have it.{fitting} Until then,
compute this step on the CPU yourself: `.cpu()` for the inputs, `.to("{device}")` for the result.
Report it{channel}, with the operator, the data type and the versions.
"""
    yield _section(f"What if an operator is missing on {accelerator.name}?", messages, text)


def _messages_of_missing(name: str) -> tuple[str, ...]:
    return (
        _could_not_run(name),
        f"is not currently implemented for the {name} device",
        f"is not currently supported on the {name} backend",
    )


def _could_not_run(backend: str) -> str:
    """Return the message for a key, also as the end of another one, such as `SparseXPU`."""
    return f"with arguments from the …{backend}' backend"


def _missing_release(catalog: Catalog, platform: Platform) -> Iterator[Section]:
    """Yield the answer for a release of the platform's plugin that an index does not have."""
    releases = final_plugin_releases(catalog, platform)
    if not releases:
        yield from _package_without_index(catalog, platform)
        return
    package, index = releases[0].package, releases[0].index
    where = "PyPI" if index == PYPI else f"<{index}>"
    items = "\n".join(_release_item(catalog, one) for one in islice(releases, _MOST_RELEASES))
    older = len(releases) - _MOST_RELEASES
    more = (
        f" There are {older} older ones, down to {releases[-1].facts.version}." if older > 0 else ""
    )
    text = f"""
The newest releases of {package} on {where} (read on {releases[0].read}) are below.{more} pip finds
a release only if it has a wheel for your Python and your system. See also
[the commands]({_page(platform)}#install).

{items}
"""
    messages = _messages_of_unfound(package)
    messages.append(f"{package} …requires torch…, but you have torch …which is incompatible")
    yield _section(f"Which releases of {package} does pip find?", messages, text)


def _package_without_index(catalog: Catalog, platform: Platform) -> Iterator[Section]:
    """Yield the answer for a package of whose releases no facts are stored.

    Nothing where an FAQ has an answer, or another platform a package of the same name.
    """
    package = platform.accelerator.package.name
    names = Counter(canonicalize_name(p.accelerator.package.name) for p in catalog.platforms)
    messages = _messages_of_unfound(package)
    declared = {one.text for section in platform.faq.sections for one in section.messages}
    if names[canonicalize_name(package)] > 1 or package == TORCH or declared & set(messages):
        return
    text = f"""
Without another index in the command, pip looks for {package} on PyPI. [The page of
{platform.accelerator.name}]({_page(platform)}#install) says where to get it, and for which Python
and system. Do not install a package of this name from PyPI unless the vendor announces it.
"""
    yield _section(f"Why does pip not find {package}?", messages, text)


def _messages_of_unfound(package: str) -> list[str]:
    return [
        f"{start} {name}"
        for name in dict.fromkeys((package, package.replace("-", "_")))
        for start in (
            "No matching distribution found for",
            "Could not find a version that satisfies the requirement",
        )
    ]


def _release_item(catalog: Catalog, release: PluginRelease) -> str:
    required = " ".join(sorted(set(torch_requirements(release.facts).values())))
    pythons = pythons_on_every_system(catalog, release.facts, None)
    parts = (
        f"requires `{required}`" if required else "",
        f"Python {pythons[0]} to {pythons[-1]}" if pythons else "",
        ", ".join(wheel_systems(release.facts)),
    )
    return f"- {release.facts.version}: {'; '.join(filter(None, parts))}"


def _page(platform: Platform) -> str:
    return f"/compute-platforms/{platform.id}/"


def _section(title: str, messages: Iterable[str], text: str) -> Section:
    blocks = tuple(CodeBlock(1, message) for message in messages)
    return Section(title, 1, text.strip() + "\n", 1, blocks)
