"""Inputs that programs meet and samples seldom have: empty, strided, broadcast, extreme.

All is drawn from one generator, seeded by the case: the same inputs on every device. Views are
made again on each side, because a copy to another device does not keep strides.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

import torch

View = Callable[[torch.Tensor], torch.Tensor]
Shape = tuple[int, ...]

FORMS = ("drawn", "empty", "zero-dim", "strided", "broadcast", "extreme", "denormal")

_LENGTHS = (1, 2, 3, 5, 8, 17, 33)
_MOST_NUMBERS = 4096
_MOST_AXES = 4


@dataclass(frozen=True)
class Input:
    """Numbers on the CPU, and the view of them that an operator gets."""

    base: torch.Tensor
    view: View

    def on(self, device: str, dtype: torch.dtype) -> torch.Tensor:
        """Return the view, on a device and in a type."""
        return self.view(self.base.to(device, dtype))


class Draw:
    """Draws shapes, views and values of one form."""

    def __init__(self, form: str, dtype: torch.dtype, seed: int, *, ends: bool) -> None:
        self.form, self.dtype, self._ends = form, dtype, ends
        self.pick = random.Random(seed)  # noqa: S311 - tests, no secrets
        self._numbers = torch.Generator().manual_seed(seed)

    def shape(self, *, least: int = 0) -> Shape:
        """Return a shape of the form, with at least so many axes."""
        if self.form == "zero-dim":
            return ()
        axes = self.pick.randint(max(least, 1), _MOST_AXES)
        shape = [self.pick.choice(_LENGTHS) for _ in range(axes)]
        while _size(shape) > _MOST_NUMBERS:
            shape[shape.index(max(shape))] = 1
        if self.form == "empty":
            shape[self.pick.randrange(axes)] = 0
        return tuple(shape)

    def input(self, shape: Shape) -> Input:
        """Return an input of this shape."""
        if self.form != "strided" or not shape:
            return Input(self.values(shape), _as_it_is)
        way = self.pick.choice((self._turned, self._stepped, self._expanded))
        return way(shape)

    def values(self, shape: Shape) -> torch.Tensor:
        """Return numbers of the type, ordinary or of the form."""
        found = torch.randn(shape, generator=self._numbers) * 2
        if self.form == "denormal":
            return (found.clamp(-3, 3) / 4 * torch.finfo(self.dtype).smallest_normal).to(self.dtype)
        if self.form == "extreme" and found.numel():
            flat = found.view(-1)
            for place in range(0, flat.numel(), 3):
                flat[place] = self.pick.choice(self._extremes())
        return found.to(self.dtype)

    def _extremes(self) -> list[float]:
        """Products and sums of the largest and smallest depend on the order: not everywhere."""
        found = [float("inf"), float("-inf"), float("nan"), 0.0, -0.0]
        finfo = torch.finfo(self.dtype)
        ends = [finfo.max, finfo.min, finfo.smallest_normal]
        return [*found, *ends] if self._ends else found

    def _turned(self, shape: Shape) -> Input:
        return Input(self.values(shape[::-1]), lambda t: t.permute(*reversed(range(t.dim()))))

    def _stepped(self, shape: Shape) -> Input:
        length = shape[-1]
        wider = (*shape[:-1], 2 * length + 1)
        return Input(self.values(wider), lambda t: t[..., 1 : 1 + 2 * length : 2])

    def _expanded(self, shape: Shape) -> Input:
        place = self.pick.randrange(len(shape))
        narrow = (*shape[:place], 1, *shape[place + 1 :])
        return Input(self.values(narrow), lambda t: t.expand(shape))


def broadcast(draw: Draw, shape: Shape) -> Shape:
    """Return a shape that is broadcast to this one: axes left out at the front, or of length 1."""
    kept = shape[draw.pick.randint(0, len(shape)) :]
    return tuple(1 if draw.pick.random() < 0.4 else length for length in kept)  # noqa: PLR2004 - some


def _as_it_is(tensor: torch.Tensor) -> torch.Tensor:
    return tensor


def _size(shape: list[int]) -> int:
    size = 1
    for length in shape:
        size *= length
    return size
