"""Checks random operators by statistics: distribution, seed, and independence.

The bounds hold for every correct generator with a stated probability of error, by the inequalities
of Dvoretzky, Kiefer and Wolfowitz (distribution) and of Hoeffding (shares). Sources: P. Massart,
"The Tight Constant in the Dvoretzky-Kiefer-Wolfowitz Inequality", 1990; W. Hoeffding, "Probability
Inequalities for Sums of Bounded Random Variables", 1963.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from accelerator_validation.case import MismatchError

ERROR_PROBABILITY = 1e-9
"""The probability that a correct generator fails one comparison."""

NUMBERS = 100_003
"""How many numbers are drawn for each comparison."""

_LONG = 2**40
_WEIGHTS = torch.tensor([1.0, 2, 3, 4])

_TAKE_GENERATORS = frozenset(
    {
        *("bernoulli", "bernoulli_", "uniform_", "normal", "normal_", "randn", "rand", "randint"),
        *("random_", "randperm", "exponential_", "cauchy_", "log_normal_", "geometric_"),
        *("multinomial", "poisson"),
    }
)
"""The names of functions with an argument `generator`."""

Draw = Callable[[str], torch.Tensor]
"""Draws numbers on a device."""


@dataclass(frozen=True)
class Share:
    """A law by which a number equals `value` with a probability, and otherwise `other` if given."""

    value: float
    probability: float
    other: float | None = None


@dataclass(frozen=True)
class Distribution:
    """A law with a cumulative distribution function."""

    function: Callable[[torch.Tensor], torch.Tensor]
    has_each_once: bool = False
    """Whether no number comes twice."""


@dataclass(frozen=True)
class Range:
    """A law of which only the least number, and the number above all others, are known."""

    least: float
    above: float


Law = Share | Distribution | Range


def check_random(name: str, device: str, seed: int) -> Iterator[None]:
    """Compare the numbers that an operator draws on a device with its laws.

    Yields after each comparison. Raises MismatchError if the numbers do not follow the law, if the
    same seed gives other numbers, or if two draws are the same.
    """
    for what, draw, law in LAWS[name]:
        torch.manual_seed(seed)
        first, second = draw(device).cpu(), draw(device).cpu()
        for numbers in (first, second):
            check_law(numbers.detach().double().flatten(), law, what)
        if torch.equal(first, second):
            raise MismatchError(f"{what}: two draws give the same numbers")
    for what, draw, _ in LAWS[name]:
        torch.manual_seed(seed)
        first = draw(device).cpu()
        torch.manual_seed(seed)
        if not torch.equal(first, draw(device).cpu()):
            raise MismatchError(f"{what}: the same seed gives other numbers")
        _check_own_generator(what, draw, device, seed)
        yield


def _check_own_generator(what: str, draw: Draw, device: str, seed: int) -> None:
    """Expect that a generator advances, repeats with its seed, and leaves the default one alone.

    Nothing is checked of functions that take no generator, and on devices that have none.
    """
    try:
        generator = torch.Generator(device)
    except Exception:  # noqa: BLE001 - a device that does not implement one
        return
    with _GeneratorMode(torch.Generator("cpu")) as mode:
        draw("cpu")
    if not mode.is_taken:
        return
    generator.manual_seed(seed)
    torch.manual_seed(seed + 1)
    untouched = draw(device).cpu()
    torch.manual_seed(seed + 1)
    with _GeneratorMode(generator):
        first, second = draw(device).cpu(), draw(device).cpu()
    if not torch.equal(untouched, draw(device).cpu()):
        raise MismatchError(f"{what}: a generator of its own changes the default generator")
    if torch.equal(first, second):
        raise MismatchError(f"{what}: a generator of its own gives the same numbers again")
    generator.manual_seed(seed)
    with _GeneratorMode(generator):
        if not torch.equal(first, draw(device).cpu()):
            raise MismatchError(f"{what}: the same seed of a generator gives other numbers")


class RandomDetector(TorchDispatchMode):
    """Detects whether random numbers are drawn, even if the generator's state is restored."""

    def __init__(self) -> None:
        super().__init__()
        self.has_drawn = False

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Leave out PyTorch's wrapper around each call: nothing is compiled here."""
        return False

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        if not _may_draw(func):
            return func(*args, **(kwargs or {}))
        previous_state = torch.get_rng_state()
        result = func(*args, **(kwargs or {}))
        self.has_drawn |= not torch.equal(previous_state, torch.get_rng_state())
        return result


@cache
def _may_draw(operator: Any) -> bool:
    return torch.Tag.nondeterministic_seeded in operator.tags


class _GeneratorMode(TorchFunctionMode):
    """Gives a generator to each random function in a `with` block that takes one."""

    def __init__(self, generator: torch.Generator) -> None:
        super().__init__()
        self._generator = generator
        self.is_taken = False

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") not in _TAKE_GENERATORS:
            return func(*args, **kwargs)
        self.is_taken = True
        return func(*args, **kwargs, generator=self._generator)


def check_law(numbers: torch.Tensor, law: Law, what: str) -> None:
    """Raise MismatchError if numbers do not follow a law, or if they depend on each other."""
    if not numbers.numel() or bool(torch.isnan(numbers).any()):
        raise MismatchError(f"{what}: the numbers are missing or NaN")
    bound = math.sqrt(math.log(2 / ERROR_PROBABILITY) / (2 * len(numbers)))
    if isinstance(law, Share):
        bits = torch.isclose(numbers, torch.tensor(law.value, dtype=numbers.dtype), rtol=1e-5)
        share = float(bits.double().mean())
        if abs(share - law.probability) > bound:
            expected = f"{law.probability:.4f} ± {bound:.4f}"
            raise MismatchError(
                f"{what}: {share:.4f} of the numbers are {law.value:g}, not {expected}"
            )
        others = numbers[~bits]
        if law.other is not None and not torch.allclose(
            others, torch.full_like(others, law.other), rtol=1e-5
        ):
            raise MismatchError(f"{what}: other numbers than {law.value:g} are not {law.other:g}")
        share_of_bits = law.probability
    else:
        if isinstance(law, Distribution):
            _check_distribution(numbers, law, bound, what)
        elif not bool(((law.least <= numbers) & (numbers < law.above)).all()):
            raise MismatchError(
                f"{what}: numbers are not from {law.least:g} to below {law.above:g}"
            )
        middle = float(numbers.median())
        bits = numbers > middle
        share_of_bits = float(bits.double().mean())
    _check_independence(bits, share_of_bits, what)


def _check_distribution(numbers: torch.Tensor, law: Distribution, bound: float, what: str) -> None:
    ordered = numbers.sort().values
    empirical = (torch.arange(len(ordered), dtype=ordered.dtype) + 1) / len(ordered)
    is_last = torch.cat((ordered[1:] != ordered[:-1], torch.tensor([True])))
    if law.has_each_once and not bool(is_last.all()):
        raise MismatchError(f"{what}: {int((~is_last).sum())} numbers come again")
    gap = float((empirical - law.function(ordered))[is_last].abs().max())
    if gap > bound + 1 / len(ordered):
        limit = f"up to {bound:.4f} allowed"
        raise MismatchError(f"{what}: the distribution is off by {gap:.4f} ({limit})")


def _check_independence(bits: torch.Tensor, share: float, what: str) -> None:
    """Raise MismatchError if numbers depend on those at a distance, such as in a tile before.

    The covariance of the bits at each distance is compared with 0. The pairs at a distance are two
    sets in which no number comes twice, so that Hoeffding's inequality holds for each.
    """
    count = len(bits)
    size = 2 ** math.ceil(math.log2(2 * count))  # without a circle
    spectrum = torch.fft.rfft(bits.double() - share, n=size)
    distances = torch.arange(1, count // 2 + 1)
    pairs = count - distances
    covariances = torch.fft.irfft(spectrum.abs() ** 2, n=size)[distances] / pairs
    bounds = torch.sqrt(math.log(2 * count / ERROR_PROBABILITY) / pairs)
    worst = int((covariances.abs() - bounds).argmax())
    if covariances[worst].abs() > bounds[worst]:
        detail = f"covariance {covariances[worst]:.4f}, up to {bounds[worst]:.4f} allowed"
        raise MismatchError(f"{what}: numbers {worst + 1} apart depend on each other ({detail})")


def _normal(mean: float, deviation: float) -> Distribution:
    return Distribution(lambda x: 0.5 * (1 + torch.erf((x - mean) / (deviation * math.sqrt(2)))))


def _uniform(low: float, high: float) -> Distribution:
    return Distribution(lambda x: ((x - low) / (high - low)).clamp(0, 1))


def _integers(low: int, high: int) -> Distribution:
    return Distribution(lambda x: ((x.floor() - low + 1) / (high - low)).clamp(0, 1))


def _permutation(count: int) -> Distribution:
    return Distribution(_integers(0, count).function, has_each_once=True)


def _table(probabilities: torch.Tensor) -> Distribution:
    """Return the law of whole numbers from 0 with these probabilities."""
    sums = probabilities.double().cumsum(0)
    return Distribution(lambda x: sums[x.long().clamp(0, len(sums) - 1)])


def _pairs_of_four(device: str) -> torch.Tensor:
    """Draw pairs of different numbers below 4, and return 4 * first + second."""
    pairs = torch.multinomial(_WEIGHTS.expand(NUMBERS, 4).contiguous().to(device), 2).cpu()
    return 4 * pairs[:, 0] + pairs[:, 1]


def _filled(value: float, device: str, *shape: int) -> torch.Tensor:
    return torch.full(shape or (NUMBERS,), float(value)).to(device)


def _in_place(
    what: str, fill: Callable[[torch.Tensor], object], law: Law, start: float = 0
) -> tuple[tuple[str, Draw, Law], ...]:
    """Return the laws of a function that fills a tensor: a whole one, and every second number."""

    def whole(device: str) -> torch.Tensor:
        numbers = _filled(start, device)
        fill(numbers)
        return numbers

    def every_second(device: str) -> torch.Tensor:
        pairs = _filled(start, device, NUMBERS, 2)
        fill(pairs[:, 0])
        if not bool((pairs[:, 1].cpu() == start).all()):
            raise MismatchError(f"{what}: numbers beside those of a view have changed")
        return pairs[:, 0]

    return (what, whole, law), (f"{what} of every second number", every_second, law)


def _zeros(device: str) -> torch.Tensor:
    return torch.zeros(NUMBERS, dtype=torch.int64).to(device)


def _uniform_numbers(dtype: torch.dtype, *limits: float) -> tuple[str, Draw, Law]:
    def draw(device: str) -> torch.Tensor:
        return torch.zeros(NUMBERS, dtype=dtype).to(device).uniform_(*limits)

    return f"uniform_{limits or '()'} of {dtype}", draw, Range(*(limits or (0, 1)))


_POISSON = _table(
    torch.tensor(
        [3.0**k * math.exp(-3) / math.factorial(k) for k in range(40)]
    )  # below 1e-23 above
)
_GEOMETRIC = Distribution(lambda x: 1 - 0.7 ** x.floor().clamp(min=0))


def _dropout(probability: float) -> tuple[str, Draw, Law]:
    def draw(device: str) -> torch.Tensor:
        return functional.dropout(_filled(1, device), probability, True)  # noqa: FBT003 - torch's own

    law = Share(0, probability, 1 / (1 - probability))
    return f"dropout with p={probability}", draw, law


def _alpha_dropout(probability: float) -> tuple[str, Draw, Law]:
    """Alpha dropout sets numbers to -1.7581 and scales all, so that mean and variance stay 0 and 1.

    Source: G. Klambauer et al., "Self-Normalizing Neural Networks", 2017, section "New dropout".
    """
    lowest = -1.7580993408473766
    scale = 1 / math.sqrt((1 - probability) * (1 + probability * lowest**2))
    shift = -scale * lowest * probability

    def draw(device: str) -> torch.Tensor:
        return functional.alpha_dropout(_filled(1, device), probability, True)  # noqa: FBT003 - torch's own

    law = Share(scale * lowest + shift, probability, scale + shift)
    return f"alpha dropout with p={probability}", draw, law


def _channel_dropout(
    function: Callable[[torch.Tensor, float, bool], torch.Tensor], *sizes: int
) -> tuple[str, Draw, Law]:
    def draw(device: str) -> torch.Tensor:
        result = function(_filled(1, device, 1000, 101, *sizes), 0.3, True)  # noqa: FBT003 - torch's own
        return result.cpu().flatten(2)[..., 0]

    return "dropout of channels with p=0.3", draw, Share(0, 0.3, 1 / 0.7)


LAWS: Mapping[str, tuple[tuple[str, Draw, Law], ...]] = {
    "bernoulli": (
        ("bernoulli(0.3)", lambda d: torch.bernoulli(_filled(0.3, d)), Share(1, 0.3, 0)),
        ("bernoulli_(0.3) of int64", lambda d: _zeros(d).bernoulli_(0.3), Share(1, 0.3, 0)),
        *_in_place("bernoulli_(0.3)", lambda t: t.bernoulli_(0.3), Share(1, 0.3, 0), 0.5),
    ),
    "uniform": (
        *_in_place("uniform_(-2, 5)", lambda t: t.uniform_(-2, 5), _uniform(-2, 5)),
        *(
            _uniform_numbers(dtype, *limits)
            for dtype in (torch.bfloat16, torch.float16, torch.float32)
            for limits in ((), (-2.0, 5.0))
        ),
    ),
    "normal": (("normal", lambda d: torch.normal(_filled(1, d), _filled(2, d)), _normal(1, 2)),),
    "normal.number_mean": (("normal", lambda d: torch.normal(1.0, _filled(2, d)), _normal(1, 2)),),
    "normal.in_place": _in_place("normal_", lambda t: t.normal_(1, 2), _normal(1, 2)),
    "randn": (("randn", lambda d: torch.randn(NUMBERS, device=d), _normal(0, 1)),),
    "randn_like": (("randn_like", lambda d: torch.randn_like(_filled(0, d)), _normal(0, 1)),),
    "rand_like": (
        ("rand_like", lambda d: torch.rand_like(_filled(0, d)), _uniform(0, 1)),
        ("rand", lambda d: torch.rand(NUMBERS, device=d), _uniform(0, 1)),
    ),
    "randint": (
        ("randint(0, 10)", lambda d: torch.randint(0, 10, (NUMBERS,), device=d), _integers(0, 10)),
        *_in_place("random_(0, 10)", lambda t: t.random_(0, 10), _integers(0, 10)),
        (
            "random_(-2**40, 2**40)",
            lambda d: _zeros(d).random_(-_LONG, _LONG),
            _integers(-_LONG, _LONG),
        ),
        ("randperm", lambda d: torch.randperm(NUMBERS, device=d), _permutation(NUMBERS)),
    ),
    "randint_like": (
        ("randint_like", lambda d: torch.randint_like(_filled(0, d), 0, 10), _integers(0, 10)),
    ),
    "exponential": (
        *_in_place(
            "exponential_(1.5)",
            lambda t: t.exponential_(1.5),
            Distribution(lambda x: 1 - torch.exp(-1.5 * x.clamp(min=0))),
        ),
        # Like randperm, without an OpInfo of its own.
        ("poisson(3)", lambda d: torch.poisson(_filled(3, d)), _POISSON),
    ),
    "cauchy": _in_place(
        "cauchy_(1, 2)",
        lambda t: t.cauchy_(1, 2),
        Distribution(lambda x: 0.5 + torch.atan((x - 1) / 2) / math.pi),
    ),
    "log_normal": _in_place(
        "log_normal_(0, 1)",
        lambda t: t.log_normal_(0, 1),
        Distribution(lambda x: 0.5 * (1 + torch.erf(x.clamp(min=1e-300).log() / math.sqrt(2)))),
    ),
    "geometric": (
        *_in_place("geometric_(0.3)", lambda t: t.geometric_(0.3), _GEOMETRIC),
        ("geometric_(0.3) of int64", lambda d: _zeros(d).geometric_(0.3), _GEOMETRIC),
    ),
    "multinomial": (
        (
            "multinomial with weights 1, 2, 3, 4",
            lambda d: torch.multinomial(_WEIGHTS.to(d), NUMBERS, replacement=True),
            _table(_WEIGHTS / 10),
        ),
        (
            "multinomial with weights 1, 2, 3, 4 without replacement",
            _pairs_of_four,
            _table(
                (_WEIGHTS[:, None] * _WEIGHTS / (10 - _WEIGHTS)[:, None] / 10)
                .fill_diagonal_(0)
                .flatten()
            ),
        ),
    ),
    "nn.functional.dropout": (_dropout(0.3), _dropout(0.75)),
    "nn.functional.alpha_dropout": (_alpha_dropout(0.3),),
    "nn.functional.dropout2d": (_channel_dropout(functional.dropout2d, 2, 2),),
    "nn.functional.dropout3d": (_channel_dropout(functional.dropout3d, 1, 2, 2),),
    "nn.functional.rrelu": (
        (
            "rrelu(0.1, 0.5) of -1",
            lambda d: functional.rrelu(_filled(-1, d), 0.1, 0.5, True),  # noqa: FBT003 - torch's own
            _uniform(-0.5, -0.1),
        ),
    ),
}
"""For each random operator: what is drawn, how, and the law of the numbers."""
