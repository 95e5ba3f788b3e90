"""Derives calls in which several things are unusual at once, drawn from what is possible.

Numbers, arguments, shapes, layouts and data types are changed in pairs or threes, because a kernel
may be wrong for a combination alone. No list says which operator takes what: a call counts if the
CPU accepts it, and a number of its result if the CPU computes the same in wider data types.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, islice, permutations
from typing import Any

import torch
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils._pytree import tree_leaves

from accelerator_validation.suites.layouts import LAYOUTS, map_tensors, relaid
from accelerator_validation.suites.operator_lab import OperatorLab, is_decomposition, is_elementwise
from accelerator_validation.suites.other_arguments import (
    BoundedInteger,
    bounded_integers,
    has_other_arguments,
    other_arguments,
    with_bounded_integers,
)
from accelerator_validation.suites.result_comparison import tensors
from accelerator_validation.suites.sample_placement import (
    map_sample,
    mark_like,
    sample_values,
    with_arguments,
)

_BY_TRANSFORMS = (
    "conv",
    "fft",
    "stft",
    "interpolate",
    "upsample",
    "grid_sample",
    "attention",
    "_norm",
)
"""Parts of the names of operators for which the algorithm decides where NaN spreads."""

_POLYNOMIALS = ("polynomial",)
"""Parts of the names of operators that return memory which nothing has written, for NaN, in PyTorch
2.13."""

_BY_ORDER = ("searchsorted", "bucketize", "histogram")
"""Parts of the names of operators that need sorted numbers, which the CPU does not check."""

WRITES_TO_INDICES = ("scatter", "index_add", "index_copy", "index_fill", "index_put", "put")
"""Parts of the names of operators for which equal indices leave the result to the device."""

_BY_STEPS = ("shift", "polynomial", "pow", "ldexp", "zeta", "gamma", "hash")
"""Parts of the names of operators that take a number of steps, or overflow."""

_UNCHECKED = (
    "embedding_bag",
    "lu_unpack",
    "ldl_solve",
    "lu_solve",
    "batch_norm",
    "ctc_loss",
    "segment",
    "pdist",
)
"""Parts of the names of operators whose shapes the CPU does not check, and reads other memory. The
gradient of `pdist` of no row ends the process in PyTorch 2.13."""

_INTEGERS = frozenset({torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8})
_ROUNDED_TYPES = (torch.float32, torch.bfloat16)
_WHOLE_TYPES = (torch.int32, torch.int64, torch.uint8, torch.bool)
_LENGTHS = (1, 2, 7, 33, 130)
_MANY_AXES = 8
_FIRST = 8
"""The number of samples of which the first calls are made: those with the most features."""
_MANY = (12, 44)
"""How often a list of tensors is repeated."""
_MOST_ELEMENTS = 5_000
_SHARES = (0.1, 0.5, 1)
_Numbers = Callable[[torch.Tensor, torch.Generator], torch.Tensor]


def _mixed(numbers: Sequence[float]) -> _Numbers:
    """Return a function that replaces a share of a tensor's numbers by others."""

    def mixed(value: torch.Tensor, draw: torch.Generator) -> torch.Tensor:
        choice = torch.randint(len(numbers), value.shape, generator=draw)
        share = _SHARES[int(torch.randint(len(_SHARES), (), generator=draw))]
        is_other = torch.rand(value.shape, generator=draw) < share
        return torch.where(is_other, torch.tensor(numbers, dtype=value.dtype)[choice], value)

    return mixed


def _sorted(value: torch.Tensor, *, descending: bool = False) -> torch.Tensor:
    return value.flatten().sort(descending=descending).values.view(value.shape)


def _scaled(value: torch.Tensor, share: float) -> torch.Tensor:
    """Return numbers whose exponents are a share of the type's greatest or, if < 0, least one."""
    info = torch.finfo(value.dtype)
    return value * 2.0 ** round(share * math.log2(info.max))


_IN_ORDER: Mapping[str, _Numbers] = {
    "sorted numbers": lambda v, _: _sorted(v),
    "equal numbers": lambda v, _: v.flatten()[:1].expand(v.shape).clone(),
}
_SHUFFLED: Mapping[str, _Numbers] = {
    **_IN_ORDER,
    "numbers that fall": lambda v, _: _sorted(v, descending=True),
    "few numbers": lambda v, g: v.flatten()[torch.randint(min(3, v.numel()), v.shape, generator=g)],
}
_ROUNDED: Mapping[str, _Numbers] = {
    "halves": lambda v, _: (v * 2).round() / 2,
    "negative numbers": lambda v, _: -v.abs(),
    "positive numbers": lambda v, _: v.abs(),
    "zeros and ones": _mixed((0.0, -0.0, 1.0, -1.0)),
}
_MAGNITUDES: Mapping[str, _Numbers] = {
    "tiny numbers": lambda v, _: _scaled(v, -0.25),
    "huge numbers": lambda v, _: _scaled(v, 0.7),
    "numbers near 10000": lambda v, _: v + 1e4,
    "distant numbers": _mixed((20.5, -20.5, 100.5, -100.5, 1000.5, -1000.5)),
}
_ALL_SPECIAL: Mapping[str, _Numbers] = {
    "special numbers": _mixed((math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0)),
}
_SPECIAL: Mapping[str, _Numbers] = {
    **_ALL_SPECIAL,
    "NaN": _mixed((math.nan,)),
    "infinity": _mixed((math.inf,)),
    "minus infinity": _mixed((-math.inf,)),
}
_WHOLE: Mapping[str, _Numbers] = {
    "other signs": lambda v, _: -v,
    "zeros and ones": _mixed((0, 1)),
}
_COMPLEX: Mapping[str, _Numbers] = {
    "equal numbers": _IN_ORDER["equal numbers"],
    "real numbers": lambda v, _: v.real.to(v.dtype),
    "imaginary numbers": lambda v, _: v.imag * 1j,
    "large numbers": lambda v, _: v * 2.0**20,
}
_LONG_BASE: Mapping[str, _Numbers] = {"numbers near a million": lambda v, _: v + 1_000_003}
_FROM_THE_END: Mapping[str, _Numbers] = {
    "indices from the end": lambda v, _: v - (v.max() + 1),
}
_TRIPLED: Mapping[str, _Numbers] = {"numbers times 3": lambda v, _: v * 3}
_BOOLS: Mapping[str, _Numbers] = {
    "false": lambda v, _: torch.zeros_like(v),
    "true": lambda v, _: torch.ones_like(v),
    "the opposite": lambda v, _: ~v,
}


def _long(value: torch.Tensor, draw: torch.Generator) -> torch.Tensor:
    """Return integers near the limits, without the lowest one: division by -1 would trap."""
    most = min(torch.iinfo(value.dtype).max, 2**53)
    ends = [most, most - 1, most // 2 + 1, most // 3]
    ends += [1 - most, -1] if value.dtype.is_signed else []
    ends += [2**24 + 1, 2**24] if most > 2**24 else []
    return _mixed(ends)(value, draw)


_LONG: Mapping[str, _Numbers] = {
    "long integers": _long,
    "long integers and zeros": lambda v, g: _mixed((0, 1))(_long(v, g), g),
}


@dataclass(frozen=True)
class CallDraw:
    """Draws calls of an operator that differ from its samples."""

    lab: OperatorLab
    pick: random.Random

    def call(self) -> tuple[str, SampleInput] | None:
        """Return what is changed, and the changed sample; None if nothing is."""
        samples = self._large if self._large and self._chance(0.9) else self.lab.samples
        sample, texts = self.pick.choice(samples), []
        if not _is_strided(sample):
            return None
        for change, share in (
            (self._types, 0.15),
            (self._shapes, 0.5),
            *([(self._bounded, 0.3)] if self._bounded_integers else []),
            *((self._arguments, share) for share in (0.7, 0.5, 0.3)),
            (self._numbers, 0.7),
            (self._same, 0.1),
            (self._layouts, 0.7),
        ):
            if not self._chance(share):
                continue
            with suppress(Exception):  # a change that the sample does not allow
                text, changed = change(sample)
                size = sum(value.numel() for value in tensors(sample_values(changed)))
                if size <= _MOST_ELEMENTS and self.lab.reference(changed) is not None:
                    texts.append(text)
                    sample = changed
        return (", ".join(texts), sample) if texts else None

    @cached_property
    def _large(self) -> list[SampleInput]:
        """The samples with several elements in each tensor."""
        return [
            s for s in self.lab.samples if all(v.numel() > 1 for v in tensors(sample_values(s)))
        ]

    def _chance(self, share: float = 0.5) -> bool:
        return self.pick.random() < share

    def _is_any(self, parts: Sequence[str]) -> bool:
        name = self.lab.info.full_name
        return any(part in name for part in parts)

    def _some(self, sample: SampleInput) -> list[torch.Tensor]:
        """Return all tensors of a sample, one of them, or all but the first."""
        found = tensors(sample_values(sample))
        return self.pick.choice(
            (found, found, found, [self.pick.choice(found)], found[1:] or found)
        )

    def _types(self, sample: SampleInput) -> tuple[str, SampleInput]:
        chosen = self.pick.choice(tensors(sample_values(sample)))
        # Rounded numbers of two types beside each other make results of either, by the device.
        known = _ROUNDED_TYPES + _WHOLE_TYPES if is_elementwise(self.lab.info) else _WHOLE_TYPES
        is_index = id(chosen) in self._indices(sample)
        dtype = torch.int32 if is_index else self.pick.choice(known)
        return f"an argument of {dtype}", _with(sample, [chosen], lambda v: v.to(dtype))

    def _shapes(self, sample: SampleInput) -> tuple[str, SampleInput]:
        """Add axes, or tensors, or give another length to one axis or to all axes of its length."""
        if isinstance(sample.input, (list, tuple)) and self._chance(0.3):
            times = self.pick.choice(_MANY)
            many = [mark_like(v.detach().clone(), v) for _ in range(times) for v in sample.input]
            return f"{len(many)} tensors", with_arguments(sample, many, sample.args, sample.kwargs)
        if self._is_any(_UNCHECKED):
            raise ValueError
        chosen, indices = self._some(sample), self._indices(sample)
        if self._chance(0.15):
            one = [self.pick.choice(chosen)]
            return "one number", _with(sample, one, lambda v: v.flatten()[0].clone())
        is_raised = self._chance(0.5)
        rank = max(value.dim() for value in tensors(sample_values(sample)))
        if is_raised and self._chance(0.7):  # the others may be indices or weights
            chosen = [v for v in tensors(sample_values(sample)) if v.dim() == rank]
        # Equal indices would leave the result to the device, equal rows make a singular matrix.
        is_matrix, has_indices = is_decomposition(self.lab.info), self._is_any(WRITES_TO_INDICES)
        has_indices &= not indices.isdisjoint(map(id, chosen))
        if is_raised:
            number = self.pick.choice((1, 1, 2, 4))
            places = self.pick.choices(range(1 if is_matrix else rank + 1), k=number)
            times = 1 if has_indices else self.pick.choice((1, 2))
            return f"{number} more axes of {times}", _with(
                sample, chosen, partial(_raised, places=places, times=times)
            )
        value, axis = self.pick.choice([(v, axis) for v in chosen for axis in range(v.dim())])
        old = value.shape[axis]
        none = () if indices else (0,)  # whose numbers would be out of range
        new = self.pick.choice((old - 1, old + 1, 2 * old, old // 2, *_LENGTHS, *none))
        new = min(new, old) if is_matrix or has_indices else new
        change = partial(_stretched, old=old, new=new, only=axis if self._chance() else None)
        return f"{new} instead of {old} elements", _with(sample, chosen, change)

    def _numbers(self, sample: SampleInput) -> tuple[str, SampleInput]:
        chosen, indices = self._some(sample), self._indices(sample)
        draw = torch.Generator().manual_seed(self.pick.randrange(2**31))
        same = self.pick.random() if self._chance() else None  # kind of numbers in all tensors
        kinds = [
            (v, self._index_kinds(v, sample) if id(v) in indices else self._kinds(v, sample))
            for v in chosen
            if v.numel()
        ]
        picks = {}
        for value, groups in kinds:
            if groups:
                group = groups[int((same or self.pick.random()) * len(groups))]
                place = ((same or self.pick.random()) * len(groups)) % 1
                picks[id(value)] = list(group.items())[int(place * len(group))]
        text = " and ".join(sorted({name for name, _ in picks.values()}))
        return text, map_tensors(
            sample, lambda v: picks[id(v)][1](v.detach(), draw) if id(v) in picks else v
        )

    def _same(self, sample: SampleInput) -> tuple[str, SampleInput]:
        return self.pick.choice(list(self._same_tensors(sample)))

    def fixed(self) -> Iterator[tuple[str, SampleInput]]:
        """Yield calls with a tensor twice, many axes, a number on the CPU, and other keywords."""
        for sample in islice(filter(_is_strided, self.lab.samples), _FIRST):
            yield from self._same_tensors(sample)
            yield from self._with_many_axes(sample)
            if is_elementwise(self.lab.info):
                yield from _with_number_on_cpu(sample)
        others = list(_with_keywords_of_others(self.lab.samples))
        for text, sample in self.pick.sample(others, min(len(others), _FIRST * self.lab.limit)):
            yield text, self._with_number_among_indices(sample)

    def _bound(self, value: torch.Tensor, sample: SampleInput) -> int:
        """Return the number below which indices are: the length of an axis, if the CPU takes it."""
        bound = int(value.max()) + 1 if value.numel() else 0
        found: list[torch.Tensor] = tensors(sample_values(sample))
        lengths: set[int] = {n for v in found for n in v.shape if n > bound}
        for length in sorted(lengths, reverse=True) if bound > 0 else ():
            last = torch.full_like(value, length - 1)
            if self.lab.reference(map_tensors(sample, partial(_replaced, {id(value): last}))):
                return length
        return bound

    def _with_number_among_indices(self, sample: SampleInput) -> SampleInput:
        """Return a sample one of whose indices is a number of its arguments, as `ignore_index`."""
        indices = self._indices(sample)
        if self._is_any(WRITES_TO_INDICES + _BY_ORDER + _UNCHECKED):
            return sample

        def change(value: torch.Tensor) -> torch.Tensor:
            bound = self._bound(value, sample) if id(value) in indices else 0
            given = [number for number in _numbers_given(sample) if 0 <= number < bound]
            if not given:
                return value
            changed = torch.tensor([self.pick.randrange(bound) for _ in range(value.numel())])
            changed[0] = self.pick.choice(given)
            return changed.view(value.shape).to(value.dtype)

        return map_tensors(sample, change)

    def _with_many_axes(self, sample: SampleInput) -> Iterator[tuple[str, SampleInput]]:
        found = tensors(sample_values(sample))
        rank = max((value.dim() for value in found), default=_MANY_AXES)
        if rank < _MANY_AXES and not (self._indices(sample) or self._is_any(_UNCHECKED)):
            chosen = [value for value in found if value.dim() == rank]
            raised = partial(_raised, places=[0] * (_MANY_AXES - rank - 1), times=1)
            yield (
                f"{_MANY_AXES} axes",
                _with(sample, chosen, lambda v: _raised(raised(v), places=[0], times=2)),
            )

    def _same_tensors(self, sample: SampleInput) -> Iterator[tuple[str, SampleInput]]:
        """Yield calls with a tensor twice, and with equal ones that have zeros or NaN."""
        indices = self._indices(sample)
        found = [v for v in tensors(sample_values(sample)) if id(v) not in indices and v.dim()]
        some = self.pick.sample(found, min(3, len(found)))  # lists have hundreds
        kinds = {id(v): (v.dim(), v.dtype, v.requires_grad) for v in some}
        for first, second in permutations(some, 2):
            if kinds[id(first)] != kinds[id(second)]:
                continue
            pairs = {"a tensor twice": (first, first)}
            if first.is_floating_point() and not is_decomposition(self.lab.info):
                zeros = _every_third(first, 0.0)
                pairs["zeros of two signs"] = zeros, torch.where(zeros == 0, -zeros, zeros)
                if not self._is_any(_BY_TRANSFORMS + _BY_ORDER + _POLYNOMIALS):
                    pairs["NaN in the same places"] = (
                        _every_third(first, math.nan),
                        _every_third(first, math.nan),
                    )
            for text, pair in pairs.items():
                new = dict(zip((id(first), id(second)), pair, strict=True))
                yield text, map_tensors(sample, partial(_replaced, new))

    def _kinds(self, value: torch.Tensor, sample: SampleInput) -> Sequence[Mapping[str, _Numbers]]:
        """Return the groups of numbers that a tensor can have without ending the process."""
        if value.dtype is torch.bool:
            return (_BOOLS,)
        if self._is_any(_BY_ORDER):
            return (_IN_ORDER,)
        if is_decomposition(self.lab.info):
            return (_TRIPLED,) if value.dtype not in _INTEGERS else ()
        if value.is_complex():
            return (_COMPLEX,)
        if value.is_floating_point():
            return self._rounded_kinds(sample)
        return self._whole_kinds(value, sample)

    def _index_kinds(
        self, value: torch.Tensor, sample: SampleInput
    ) -> Sequence[Mapping[str, _Numbers]]:
        """Return the same for a tensor of indices or lengths."""
        if self._is_any(_UNCHECKED) or is_decomposition(self.lab.info):
            return ()
        if self._is_any(WRITES_TO_INDICES):  # different ones must stay different
            return (_FROM_THE_END,)
        if self._is_any(_BY_ORDER):
            return (_IN_ORDER,)
        bound = self._bound(value, sample)
        others: dict[str, _Numbers] = {}
        if bound > 1:
            others["other indices"] = partial(_drawn_below, bound)
        given = [v for v in _numbers_given(sample) if 0 <= v < bound]  # as `ignore_index`
        if given:
            others["numbers of the arguments"] = _mixed(given)
        return _SHUFFLED, _FROM_THE_END, *([others] if others else [])

    def _whole_kinds(
        self, value: torch.Tensor, sample: SampleInput
    ) -> Sequence[Mapping[str, _Numbers]]:
        results = tensors(self.lab.reference(sample) or ())
        is_rounded = any(value.dtype not in _INTEGERS for value in results)
        if self._is_any(_BY_STEPS) or (is_rounded and not is_elementwise(self.lab.info)):
            is_base = value is sample.input and value.dtype is torch.int64 and not is_rounded
            return _SHUFFLED, _WHOLE, *([_LONG_BASE] if is_base else [])
        return _SHUFFLED, _WHOLE, _LONG

    def _rounded_kinds(self, sample: SampleInput) -> Sequence[Mapping[str, _Numbers]]:
        given = list(map(float, _numbers_given(sample)))
        at_arguments = [{"numbers of the arguments": _mixed(given)}] if given else []
        if is_elementwise(self.lab.info):  # each number on its own, where pairs of them matter
            special = [] if self._is_any(_POLYNOMIALS) else [_ALL_SPECIAL, _ALL_SPECIAL]
            return _ROUNDED, _MAGNITUDES, *special, *at_arguments
        special = [] if self._is_any(_BY_TRANSFORMS) else [_SPECIAL, _SPECIAL]
        return _SHUFFLED, _ROUNDED, _MAGNITUDES, *special, *at_arguments

    def _arguments(self, sample: SampleInput) -> tuple[str, SampleInput]:
        if not has_other_arguments(self.lab.info) or self._is_any(_UNCHECKED):
            raise ValueError
        known = list(other_arguments(self.lab.info, sample))
        argument = self.pick.choice(sorted({name for name, _, _ in known}))
        name, text, changed = self.pick.choice([k for k in known if k[0] == argument])
        return f"{name} {text}", changed

    @cached_property
    def _bounded_integers(self) -> list[BoundedInteger]:
        """The integers that an axis bounds in the first samples."""
        if not takes_bounded_integers(self.lab.info):
            return []
        found = (
            bounded_integers(sample, lambda s: self.lab.reference(s) is not None)
            for sample in self.lab.samples
        )
        return list(dict.fromkeys(chain.from_iterable(found)))

    def _bounded(self, sample: SampleInput) -> tuple[str, SampleInput]:
        """Give an integer that an axis bounds another value, in a longer axis."""
        value, axis = self.pick.choice(
            [(v, axis) for v in tensors(sample_values(sample)) for axis in range(v.dim())]
        )
        old, new = value.shape[axis], self.pick.choice(_LENGTHS[-2:])
        change = partial(_stretched, old=old, new=max(old, new), only=None)
        longer = sample
        if not self._indices(sample):
            longer = map_tensors(sample, lambda v: change(v.detach()))
        place = self.pick.choice(self._bounded_integers)
        return self.pick.choice(list(with_bounded_integers(longer, [place])))

    def _layouts(self, sample: SampleInput) -> tuple[str, SampleInput]:
        known = [*LAYOUTS, "channels-last", "contiguous"]
        if not is_decomposition(self.lab.info):  # a matrix would be singular
            known.append("expanded")
        if not self._is_any(WRITES_TO_INDICES + _UNCHECKED):
            known += ["expanded-indices", "expanded-row"]
        picks = {id(v): self.pick.choice(known) for v in self._some(sample)}
        text = " and ".join(picks.values())
        return text, map_tensors(sample, lambda v: relaid(v, picks.get(id(v), "contiguous")))

    def _indices(self, sample: SampleInput) -> set[int]:
        """Return the ids of tensors with indices or lengths."""
        return {
            id(value)
            for place, argument in _places(sample)
            for value in tensors(tree_leaves(argument))
            if value.dtype in _INTEGERS
            and (self._index_places is None or place in self._index_places)
        }

    @cached_property
    def _index_places(self) -> set[object] | None:
        """The arguments that are integers beside rounded numbers; None if all may be."""
        info, dtype = self.lab.info, self.lab.dtype
        if dtype.is_floating_point or dtype.is_complex:
            return None
        others = [d for d in (torch.float32, torch.float64) if d in info.dtypes]
        if not others:
            return set() if is_elementwise(info) else None
        with suppress(Exception):
            return {
                place
                for sample in islice(info.sample_inputs("cpu", others[0]), 2 * len(_LENGTHS))
                for place, argument in _places(sample)
                if any(v.dtype in _INTEGERS for v in tensors(tree_leaves(argument)))
            }
        return None


def takes_bounded_integers(info: OpInfo) -> bool:
    """Return whether integers of an operator can be tried up to the lengths of axes."""
    is_checked = not any(part in info.full_name for part in _UNCHECKED)
    return is_checked and has_other_arguments(info) and not is_decomposition(info)


def _places(sample: SampleInput) -> Iterator[tuple[object, object]]:
    yield from enumerate((sample.input, *sample.args))
    yield from sample.kwargs.items()


def _with(
    sample: SampleInput, chosen: Sequence[torch.Tensor], change: Callable[[torch.Tensor], Any]
) -> SampleInput:
    ids = set(map(id, chosen))
    return map_tensors(sample, lambda v: change(v.detach()) if id(v) in ids else v)


def _drawn_below(bound: int, value: torch.Tensor, draw: torch.Generator) -> torch.Tensor:
    return torch.randint(bound, value.shape, generator=draw).to(value.dtype)


def _numbers_given(sample: SampleInput) -> list[float]:
    arguments = tree_leaves((sample.args, sample.kwargs))
    return [v for v in arguments if type(v) in {int, float} and math.isfinite(v)]


def _is_strided(sample: SampleInput) -> bool:
    return all(value.layout is torch.strided for value in tensors(sample_values(sample)))


def _replaced(new: Mapping[int, torch.Tensor], value: Any) -> Any:
    return new.get(id(value), value)


def _every_third(value: torch.Tensor, number: float) -> torch.Tensor:
    changed = value.detach().clone(memory_format=torch.contiguous_format)
    changed.view(-1)[::3] = number
    return changed


def _with_keywords_of_others(
    samples: Sequence[SampleInput],
) -> Iterator[tuple[str, SampleInput]]:
    """Yield samples with a keyword of another one, beside their own keywords and all but one.

    No yielded sample has all keywords of a sample or of another yielded one, for the same axes.
    """
    seen = set(map(_keywords, samples))
    for sample, other in permutations(filter(_is_strided, samples), 2):
        if _shapes_of(sample) != _shapes_of(other):
            continue
        for name in [key for key in other.kwargs if key not in sample.kwargs]:
            for dropped in (None, *sample.kwargs):
                kept = {key: v for key, v in sample.kwargs.items() if key != dropped}
                changed = with_arguments(
                    sample, sample.input, sample.args, {**kept, name: other.kwargs[name]}
                )
                if _keywords(changed) not in seen:
                    seen.add(_keywords(changed))
                    yield f"the keywords {', '.join(sorted(changed.kwargs))}", changed


def _shapes_of(sample: SampleInput) -> object:
    return [value.shape for value in tensors(tree_leaves((sample.input, sample.args)))]


def _keywords(sample: SampleInput) -> object:
    ranks = [value.dim() for value in tensors(tree_leaves((sample.input, sample.args)))]
    texts = (
        (name, "tensors" if tensors(tree_leaves(value)) else repr(value))
        for name, value in sample.kwargs.items()
    )
    return tuple(ranks), tuple(sorted(texts))


def _with_number_on_cpu(sample: SampleInput) -> Iterator[tuple[str, SampleInput]]:
    found = tensors(sample_values(sample))
    for one in found if len(found) > 1 else ():
        if one.numel():
            number = one.detach().flatten()[0].clone()  # not marked to be copied to the device
            changed = map_sample(sample, partial(_replaced, {id(one): number}))
            yield "one number on the CPU", changed


def _raised(value: torch.Tensor, places: Sequence[int], times: int) -> torch.Tensor:
    """Return a tensor with more axes, at places, along which rounded numbers differ."""
    for place in places:
        other = value.flatten().roll(1).view(value.shape) if value.is_floating_point() else value
        value = torch.stack([value, other][:times], min(place, value.dim()))
    return value


def _stretched(value: torch.Tensor, old: int, new: int, only: int | None) -> torch.Tensor:
    """Return a tensor with another length of an axis, or of all axes of a length.

    Its numbers are repeated or left out in order, so that sorted numbers stay sorted.

    Raises ValueError before it would make too many, as of many axes of one length.
    """
    axes = [n for n, length in enumerate(value.shape) if length == old and only in {None, n}]
    others = math.prod(length for n, length in enumerate(value.shape) if n not in axes)
    if others * new ** len(axes) > _MOST_ELEMENTS:
        raise ValueError
    for axis in axes:
        value = value.index_select(axis, torch.arange(new) * old // max(new, 1))
    return value
