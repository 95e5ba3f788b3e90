"""Makes an OpInfo's samples on the CPU, and copies the tensors that belong on the device to it.

PyTorch's own tests make samples on the device, but keep some arguments on the CPU, such as the
indices of `tensor_split`. Here, the OpInfo's function gets the name of the device, but its tensors
are made on the CPU. The tensors that would be on the device are marked, and `on_device` copies
them. So every device gets the same numbers. Making samples does not run functions on the device,
where a function may be missing or may crash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from itertools import islice
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.testing._internal.opinfo.core import SampleInput
from torch.utils._pytree import tree_leaves, tree_map

from accelerator_validation.suites.result_comparison import all_leaves, is_leaf, value_text

WIDER_TYPES = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}
"""The wider data types for references: more precise, and computed by other code."""

_MARK_ATTRIBUTE = "_belongs_on_the_device"
_CPU = "cpu"
_MAX_TEXT_CHARS = 200

_DEVICE_GETTER = torch.Tensor.device.__get__


def placed_samples(
    make_samples: Callable[..., Iterable[SampleInput]],
    device: str,
    dtype: torch.dtype,
    number: int,
    *,
    requires_grad: bool,
) -> list[SampleInput]:
    """Return the first `number` samples that an OpInfo creates for a device.

    `make_samples` is the OpInfo's function. The samples' tensors are on the CPU. Those that belong
    on the device are marked. Exceptions of the function are passed on.
    """
    with nullcontext() if is_cpu(device) else _MarkingMode(device):
        return list(islice(make_samples(device, dtype, requires_grad=requires_grad), number))


def mark_all(sample: SampleInput) -> SampleInput:
    """Mark all tensors of a sample, so that `on_device` copies all of them. Return the sample."""
    for value in sample_values(sample):
        _mark_tensor(value)
    return sample


def on_device(sample: SampleInput, device: str) -> SampleInput:
    """Return a copy of a sample with its marked tensors on a device, and the others on the CPU."""

    def move_value(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if not is_marked(value):
            return value.detach().requires_grad_(value.requires_grad)
        return copy_tensor(value, device, value.dtype).requires_grad_(value.requires_grad)

    return map_sample(sample, move_value)


def on_cpu(
    sample: SampleInput,
    device: str,
    copy: Callable[[torch.Tensor], torch.Tensor] = lambda value: value,
) -> SampleInput:
    """Return a copy of a sample, with `cpu` instead of `device` in arguments that name a device.

    `copy` returns what stands for a tensor.
    """

    def replace_device(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return mark_like(copy(value), value)
        return _device_like(value, _CPU) if _names_device(value, device) else value

    return map_sample(sample, replace_device)


def widen_sample(sample: SampleInput) -> SampleInput:
    """Return a copy of a sample in which data types are replaced by `WIDER_TYPES`.

    This applies to tensors and to arguments that are data types.
    """

    def widen_value(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.dtype in WIDER_TYPES:
            wide_copy = copy_tensor(value, _CPU, WIDER_TYPES[value.dtype])
            return wide_copy.requires_grad_(value.requires_grad)
        return WIDER_TYPES.get(value, value) if isinstance(value, torch.dtype) else value

    return map_sample(sample, widen_value)


def expected_device(sample: SampleInput, device: str) -> str | None:
    """Return the device type on which a sample's results must be, or None if it is unclear.

    It is the type of the device that an argument names. Without such an argument, it is the type of
    `device`, if tensors of the sample belong there.
    """
    values = sample_values(sample)
    named_devices = [
        value for value in values if isinstance(value, torch.device) or _names_device(value, device)
    ]
    named_devices += [sample.kwargs["device"]] if sample.kwargs.get("device") else []
    types = {str(torch.device(value).type) for value in named_devices}
    if not types and any(is_marked(value) for value in values):
        types = {str(torch.device(device).type)}
    return types.pop() if len(types) == 1 else None


def is_marked(value: object) -> bool:
    """Return whether a value is a tensor that is marked to be copied to the device."""
    return isinstance(value, torch.Tensor) and hasattr(value, _MARK_ATTRIBUTE)


def marked(value: torch.Tensor) -> torch.Tensor:
    """Mark a tensor to be copied to the device, and return it."""
    setattr(value, _MARK_ATTRIBUTE, True)
    return value


def mark_like(value: torch.Tensor, original: torch.Tensor) -> torch.Tensor:
    """Mark a tensor if `original` is marked, and return it.

    It requires gradients if that does and its data type can have some.
    """
    if is_marked(original):
        marked(value)
    has_gradients = original.requires_grad and (value.is_floating_point() or value.is_complex())
    return value if value is original else value.requires_grad_(has_gradients)


def copy_tensor(value: torch.Tensor, device: str, dtype: torch.dtype) -> torch.Tensor:
    """Return a copy of a tensor on a device, in a data type.

    A view is copied with its storage and strides. If the device cannot create the view, the copy is
    contiguous.
    """
    source = value.detach()
    if source.layout is not torch.strided or source.is_quantized or _fills_its_memory(source):
        return source.to(device, dtype, copy=True)
    memory = torch.empty(0, dtype=source.dtype).set_(source.untyped_storage())
    try:
        device_memory = memory.to(device, dtype, copy=True)
        return device_memory.as_strided(source.size(), source.stride(), source.storage_offset())
    except Exception:  # noqa: BLE001 - a view that a device lacks is no fault of the operator
        return source.to(device, dtype, copy=True)


def is_cpu(device: str) -> bool:
    """Return whether a device is the CPU."""
    return str(torch.device(device).type) == _CPU


def sample_text(sample: SampleInput) -> str:
    """Return a text that describes a sample: `float32[2, 3], dim=1`."""
    keyword_texts = [f"{name}={value_text(value)}" for name, value in sample.kwargs.items()]
    value_texts = [value_text(value) for value in (sample.input, *sample.args)]
    text = ", ".join([*value_texts, *keyword_texts])
    return text if len(text) <= _MAX_TEXT_CHARS else f"{text[:_MAX_TEXT_CHARS]}…"


class _MarkingMode(TorchFunctionMode):
    """A mode in which torch's functions for a device run on the CPU, and mark their results."""

    def __init__(self, device: str) -> None:
        super().__init__()
        self._device = device

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func is torch.device:
            return func(*args, **kwargs)
        marked_inputs = [value for value in tree_leaves((args, kwargs)) if is_marked(value)]
        if func == _DEVICE_GETTER:
            return torch.device(self._device) if marked_inputs else func(*args)
        requested_device = self._requested_device(func, args, kwargs)
        result = func(*self._with_cpu_device(args), **self._with_cpu_device(kwargs))
        if requested_device is None:
            return tree_map(_mark_tensor, result) if marked_inputs else result
        inputs = {id(value) for value in tree_leaves((args, kwargs))}
        cloned_result = tree_map(lambda value: _clone_if_input(value, inputs), result)
        return cloned_result if is_cpu(requested_device) else tree_map(_mark_tensor, cloned_result)

    def _requested_device(self, func: Any, args: Any, kwargs: dict[str, Any]) -> str | None:
        """Return the device that a call of the function `func` names, or None."""
        if func is torch.Tensor.cpu:
            return _CPU
        device = kwargs.get("device")
        if device is None and func is torch.Tensor.to:
            device = next((v for v in args[1:] if isinstance(v, torch.device | str)), None)
        return None if device is None else str(device)

    def _with_cpu_device(self, values: Any) -> Any:
        return tree_map(
            lambda v: _device_like(v, _CPU) if _names_device(v, self._device) else v, values
        )


def _mark_tensor(value: Any) -> Any:
    return marked(value) if isinstance(value, torch.Tensor) else value


def _clone_if_input(value: Any, inputs: set[int]) -> Any:
    """Return a copy of `value` if it is an input of a function call, else `value` itself.

    `inputs` has the ids (`id()`) of the call's inputs. So marking the result does not mark an input
    of the call.
    """
    return value.clone() if isinstance(value, torch.Tensor) and id(value) in inputs else value


def _names_device(value: object, device: str) -> bool:
    if isinstance(value, torch.device):
        return bool(value == torch.device(device))
    return isinstance(value, str) and value == device


def _device_like(value: object, device: str) -> object:
    return torch.device(device) if isinstance(value, torch.device) else device


def _fills_its_memory(value: torch.Tensor) -> bool:
    """Return whether a tensor fills its whole storage, so that `Tensor.to` can copy it.

    The result is also true for conjugate and negative views, because their storage has other
    numbers.
    """
    if value.is_conj() or value.is_neg():  # its memory holds the unconjugated numbers
        return True
    return bool(value.untyped_storage().nbytes() == value.numel() * value.element_size())


def map_sample(sample: SampleInput, change: Callable[[Any], Any]) -> SampleInput:
    """Return a copy of a sample in which `change` has replaced each value.

    The order is that of `sample_values`. A tensor that comes twice is one tensor in the copy, too.
    """
    known: dict[int, Any] = {}

    def changed(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return change(value)
        if id(value) not in known:
            known[id(value)] = change(value)
        return known[id(value)]

    first, args, kwargs = _mapped((sample.input, tuple(sample.args), sample.kwargs), changed)
    return with_arguments(sample, first, args, kwargs)


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Do what `tree_map` does, which takes a third of the time of a test of an operator."""
    kind = type(value)
    if kind is tuple or kind is list:
        return kind([_mapped(item, change) for item in value])
    if kind is dict:
        return {key: _mapped(item, change) for key, item in value.items()}
    return change(value) if is_leaf(value) else tree_map(change, value)


def with_arguments(
    sample: SampleInput, first: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> SampleInput:
    """Return a copy of a sample with another input and other arguments."""
    return SampleInput(
        first,
        args=args,
        kwargs=kwargs,
        output_process_fn_grad=sample.output_process_fn_grad,
        broadcasts_input=sample.broadcasts_input,
        name=sample.name,
    )


def sample_values(sample: SampleInput) -> list[Any]:
    """Return all values of a sample: its input, arguments and keyword arguments."""
    return all_leaves((sample.input, sample.args, sample.kwargs))
