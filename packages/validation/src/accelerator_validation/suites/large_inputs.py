"""Compares the results of inputs with many elements, with a long axis, and with many matrices.

Tiles, vector widths and grids of threads begin where OpInfo's samples end. Inputs whose results
would be too large, or take too long, are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice

import torch
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils.flop_counter import FlopCounterMode

from accelerator_validation.suites.combined_calls import takes_bounded_integers
from accelerator_validation.suites.layouts import (
    enlarged,
    made_distinct,
    map_tensors,
    outline,
    with_long_axis,
    with_long_tensor,
    with_many_matrices,
    with_many_tensors,
)
from accelerator_validation.suites.operator_lab import (
    OperatorLab,
    is_decomposition,
    is_elementwise,
    is_finite,
    is_foreach,
)
from accelerator_validation.suites.other_arguments import (
    BoundedInteger,
    bounded_integers,
    with_bounded_integers,
)
from accelerator_validation.suites.result_comparison import leaves, tensors
from accelerator_validation.suites.sample_placement import sample_values

_MOST_RESULT_ELEMENTS, _MOST_RESULTS = 2_000_000, 1_000
"""The maximum number of elements of a result on a large sample: outer products grow faster than
their inputs. And the maximum number of tensors."""

_MOST_OPERATIONS = 1_000_000_000
"""The maximum number of floating-point operations on a large sample, as of convolutions."""

_NEVER_LARGE = (
    *("as_strided", "nn.functional.multilabel_margin_loss", "nn.functional.multi_margin_loss"),
    *("grid_sampler", "nn.functional.grid_sample", "nn.functional.pdist", "nn.functional.ctc_loss"),
    *(
        "_segment_reduce",
        "combinations",
        "cartesian_prod",
        "block_diag",
        "kron",
        "histogramdd",
        "sparse",
        "unbind",
    ),
)
"""The beginnings of the names of operators for which a large input takes minutes, or whose
arguments state sizes that would not fit a larger input."""

_SIZED_BY_NUMBERS = (
    *("nonzero", "argwhere", "masked_select", "unique", "equal", "allclose", "isin", "item", "cov"),
    *("corrcoef", "tensor_split", "bincount", "to_sparse", "nn.functional.gaussian_nll_loss"),
)
"""The beginnings of the names of operators whose results are not larger than their inputs, for
which PyTorch cannot compute the shape of the result from shapes."""

_MIDDLE_SIZES = {1_500: 3, 20_011: 1}
"""Numbers of elements between those of OpInfo's samples and of large inputs, and how many inputs
have them at most. A kernel may have a path of its own for one block of threads, or for a few."""

_Change = Callable[[SampleInput, int], SampleInput | None]

_SHARE_OF_NARROW = 3
"""The comparisons of one kind in float32 for each in a narrow type, of elementwise operators. Other
operators add numbers up, which goes wrong in narrow types alone."""


def has_large_inputs(info: OpInfo) -> bool:
    """Return whether an operator is tried with large inputs."""
    return not (is_decomposition(info) or info.full_name.startswith(_NEVER_LARGE))


def check_large(lab: OperatorLab) -> Iterator[None]:
    """Compare the results of inputs with many elements, with a long axis, and with many matrices.

    In bfloat16 and float16, numbers have one sign, so that sums grow: in these types, they would
    stop early or overflow.
    """
    samples = lab.samples
    if lab.dtype in {torch.bfloat16, torch.float16}:
        if is_elementwise(lab.info):
            lab = replace(lab, limit=max(1, lab.limit // _SHARE_OF_NARROW))
        else:
            samples = [map_tensors(sample, _without_signs) for sample in samples]
    if is_foreach(lab.info):
        for longer in (with_long_tensor, with_many_tensors):
            yield from islice(_check_larger(lab, samples, longer), lab.limit)
        return
    for elements, most in _MIDDLE_SIZES.items():
        less = int(is_elementwise(lab.info))  # a number that fills no vector; others need multiples
        middle = partial(enlarged, elements=elements, less=less)
        yield from islice(_check_larger(lab, samples, middle), min(lab.limit, most))
    by_size = sorted(samples, key=lambda s: -sum(v.numel() for v in tensors(sample_values(s))))
    bounded = _bounded_of(lab, by_size)
    for change in (enlarged, with_long_axis, partial(with_long_axis, named=True)):
        yield from islice(_check_larger(lab, by_size, change), lab.limit)
        yield from _check_bounded(lab, bounded, change)
    yield from islice(_check_larger(lab, by_size, with_many_matrices), 1)


def _without_signs(value: torch.Tensor) -> torch.Tensor:
    return value.detach().abs() if value.is_floating_point() else value


def _check_larger(
    lab: OperatorLab, samples: Iterable[SampleInput], change: _Change
) -> Iterator[None]:
    for sample in samples:
        shapes = change(outline(sample), lab.seed)
        if shapes is None or not is_affordable(lab, shapes):
            continue
        large = change(sample, lab.seed)
        if large is None:
            continue
        if lab.dtype is torch.float16 and not is_finite(lab.reference(large)):
            continue  # where sums overflow, the result depends on the order of the steps
        if lab.compare_derived(large, "a large input"):
            yield


def _bounded_of(
    lab: OperatorLab, samples: Iterable[SampleInput]
) -> list[tuple[SampleInput, list[BoundedInteger]]]:
    """Return each sample that has integers which an axis bounds, with these."""
    if not takes_bounded_integers(lab.info):
        return []
    found = ((s, bounded_integers(s, lambda t: lab.reference(t) is not None)) for s in samples)
    return [(sample, bounded) for sample, bounded in found if bounded]


def _check_bounded(
    lab: OperatorLab,
    samples: Iterable[tuple[SampleInput, list[BoundedInteger]]],
    change: _Change,
) -> Iterator[None]:
    """Compare the results of larger inputs whose integers grow with the axis that bounds them."""
    seen: set[str] = set()
    for sample, all_bounded in samples:
        bounded = [found for found in all_bounded if found[0] not in seen]
        larger = change(sample, lab.seed) if bounded else None
        if larger is None:
            continue
        seen.update(name for name, _, _ in bounded)
        for what, grown in with_bounded_integers(made_distinct(larger, lab.seed), bounded):
            if is_affordable(lab, grown) and lab.compare_derived(grown, f"a large input, {what}"):
                yield


def is_affordable(lab: OperatorLab, large: SampleInput) -> bool:
    """Return whether the result of a large sample has a reasonable size, in a reasonable time."""
    if lab.info.full_name.startswith(_SIZED_BY_NUMBERS):
        return True
    with suppress(Exception):
        with FlopCounterMode(display=False) as counter:
            results = tensors(leaves(lab.call(outline(large))))
        return (
            len(results) <= _MOST_RESULTS
            and max((value.numel() for value in results), default=0) <= _MOST_RESULT_ELEMENTS
            and counter.get_total_flops() <= _MOST_OPERATIONS
        )
    return False
