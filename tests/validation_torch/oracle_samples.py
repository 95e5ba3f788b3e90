"""Samples of an operator on a device: made there, or made on the CPU and copied."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import islice

import torch
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils._pytree import tree_leaves

DTYPE = torch.float32


def samples_on(
    device: str, info: OpInfo, *, requires_grad: bool, most: int | None, copied: bool
) -> list[SampleInput]:
    """Return an operator's first samples on a device; all of them where `most` is None."""

    def made(place: str) -> list[SampleInput]:
        torch.default_generator.manual_seed(0)
        return list(islice(info.sample_inputs(place, DTYPE, requires_grad), most))

    if not copied:
        # A device that cannot make samples may still compute; a plugin may raise anything.
        with suppress(Exception):
            return made(device)
    here = made("cpu")
    # What OpInfo keeps on the CPU whatever the device is there, too, where nothing is computed.
    elsewhere: Sequence[SampleInput | None] = [None] * len(here)
    with suppress(Exception):
        elsewhere = made("meta")
    pairs = zip(here, elsewhere, strict=True)
    return [moved(sample, "cpu", device, like=like) for sample, like in pairs]


def moved(
    sample: SampleInput, source: str, device: str, *, like: SampleInput | None = None
) -> SampleInput:
    """Copy a sample; where it names the device from which it comes, it names the other one.

    Tensors that lie on the CPU in `like`, the same sample of another device, stay there.
    """
    kept = _kept(sample, like)

    def copy(value: object) -> object:
        if not isinstance(value, torch.Tensor):
            return value
        place = "cpu" if id(value) in kept else device
        return _copied(value.detach(), place).requires_grad_(value.requires_grad)

    def renamed(value: object) -> object:
        return device if kind_of(value) == torch.device(source).type else value

    other = sample.transform(copy)
    other.args = tuple(renamed(value) for value in other.args)
    other.kwargs = {name: renamed(value) for name, value in other.kwargs.items()}
    return other


def kind_of(value: object) -> str | None:
    """Return the kind of device that an argument may name, without its number."""
    return str(value).partition(":")[0] if isinstance(value, str | torch.device) else None


def tensors(values: object) -> list[torch.Tensor]:
    """Return the tensors in a structure, in order."""
    return [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor)]


def _kept(sample: SampleInput, like: SampleInput | None) -> set[int]:
    """Return the identities of the tensors that stay on the CPU."""
    if like is None:
        return set()
    ours, theirs = (tensors([one.input, one.args, one.kwargs]) for one in (sample, like))
    if len(ours) != len(theirs):
        return set()
    pairs = zip(ours, theirs, strict=True)
    return {id(our) for our, their in pairs if their.device.type == "cpu"}


def _copied(tensor: torch.Tensor, device: str) -> torch.Tensor:
    """Copy a tensor; of a view also the memory beside it, which an operator may read."""
    if tensor.layout != torch.strided:
        return tensor.clone().to(device)
    held = tensor.untyped_storage().nbytes() // tensor.element_size()
    if held <= tensor.numel():
        return tensor.clone().to(device)
    whole = tensor.as_strided((held,), (1,), 0).clone().to(device)
    return whole.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
