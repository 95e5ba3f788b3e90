"""Measures how much of an ExecuTorch program is delegated to a backend: nodes, operators, sizes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from accelerator_reports.files.wording import count

_IGNORED_NODES = ("executorch_call_delegate", "getitem")
_MOST_NAMED = 6


@dataclass(frozen=True)
class Delegation:
    """The operators that a program delegates to a backend, and those that it does not.

    `delegated_calls` and `undelegated_calls` have the number of calls by operator name.
    `delegates` is the number of delegates.
    """

    delegated_calls: Counter[str]
    undelegated_calls: Counter[str]
    delegates: int

    @property
    def metrics(self) -> dict[str, tuple[float, str]]:
        """The value and the unit of each metric about delegates, by metric name.

        The metrics are `delegates`, `delegated_nodes`, `undelegated_nodes`, `delegated_operators`,
        `undelegated_operators` and, if there are nodes, `delegated_share`: the share of nodes in
        delegates, from 0 to 1.
        """
        nodes = self.delegated_calls.total() + self.undelegated_calls.total()
        share = (
            {"delegated_share": (round(self.delegated_calls.total() / nodes, 4), "1")}
            if nodes
            else {}
        )
        return {
            "delegates": (self.delegates, "1"),
            "delegated_nodes": (self.delegated_calls.total(), "1"),
            "undelegated_nodes": (self.undelegated_calls.total(), "1"),
            "delegated_operators": (len(self.delegated_calls), "1"),
            "undelegated_operators": (len(self.undelegated_calls), "1"),
            **share,
        }

    @property
    def aten_names(self) -> tuple[str, ...]:
        """The sorted names of the ATen operators in delegates, without overloads: `add`."""
        full_names = (name for name in self.delegated_calls if name.startswith("aten::"))
        names = {name.removeprefix("aten::").partition(".")[0] for name in full_names}
        return tuple(sorted(names))

    def extent_sentence(self) -> str:
        """Return `Lowered, not run: 2 delegates with 5 of 7 nodes.`, with the actual numbers.

        The sentence is for a program that was lowered, but cannot be run here.
        """
        delegated_nodes = self.delegated_calls.total()
        all_nodes = delegated_nodes + self.undelegated_calls.total()
        delegates_text = count(self.delegates, "delegate")
        return f"Lowered, not run: {delegates_text} with {delegated_nodes} of {all_nodes} nodes."

    def undelegated_sentence(self) -> str | None:
        """Return a sentence about the operators outside of delegates, or None if there are none."""
        if not self.undelegated_calls:
            return None
        names = [
            f"{name} {calls}×" if calls > 1 else name
            for name, calls in self.undelegated_calls.most_common(_MOST_NAMED)
        ]
        if len(self.undelegated_calls) > _MOST_NAMED:
            names.append(f"{len(self.undelegated_calls) - _MOST_NAMED} more")
        return f"Not delegated: {', '.join(names)}."


def measure_delegation(edge: Any) -> Delegation:
    """Return which operators of a lowered program are inside and outside of delegates.

    `edge` is an `EdgeProgramManager` made with `generate_etrecord`. If the backend's passes replace
    an operator, the original operator is counted.
    """
    all_operators = _operator_calls([edge._etrecord.edge_dialect_program])  # noqa: SLF001 - no other way to it
    programs = [edge.exported_program(method) for method in sorted(edge.methods)]
    undelegated_operators = _operator_calls(programs)
    delegate_count = sum(
        str(node.target) == "executorch_call_delegate"
        for program in programs
        for node in program.graph.nodes
    )
    return Delegation(all_operators - undelegated_operators, undelegated_operators, delegate_count)


def _operator_calls(programs: list[Any]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for program in programs:
        for node in program.graph.nodes:
            if node.op == "call_function":
                name = _operator_name(node.target)
                if name not in _IGNORED_NODES:
                    counts[name] += 1
    return counts


def _operator_name(target: Any) -> str:
    schema = getattr(target, "_schema", None)
    if schema is None:
        return str(getattr(target, "__name__", target))
    return f"{schema.name}.{schema.overload_name}" if schema.overload_name else str(schema.name)


def program_sizes(program: Any) -> dict[str, tuple[float, str]]:
    """Return the sizes of a finished program as metrics: the value and unit by metric name.

    - `pte_size`: the size of the program's file in kB.
    - `delegate_blobs`: the number of delegates in the file.
    - `delegate_size`: the size of all delegates in kB, including weights stored outside of them.
    - `planned_memory`: the memory in kB that ExecuTorch plans for tensors that are not constant.
    """
    program_data = program.executorch_program
    blob_bytes = sum(len(item.data) for item in program_data.backend_delegate_data)
    planned_bytes = sum(sum(plan.non_const_buffer_sizes) for plan in program_data.execution_plan)
    return {
        "pte_size": (len(program.buffer) / 1000, "kB"),
        "delegate_blobs": (len(program_data.backend_delegate_data), "1"),
        "delegate_size": ((blob_bytes + _named_data_bytes(program)) / 1000, "kB"),
        "planned_memory": (planned_bytes / 1000, "kB"),
    }


def _named_data_bytes(program: Any) -> int:
    """Return the size in bytes of the data, such as weights, that a program stores for delegates.

    The data is stored by name, outside of the delegates.
    """
    named_data = getattr(program, "_named_data", None)
    return sum(len(data) for data in getattr(named_data, "buffers", ()) if isinstance(data, bytes))
