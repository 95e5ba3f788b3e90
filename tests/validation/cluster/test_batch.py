from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from accelerator_validation.case import Case
from accelerator_validation.cluster.batch import batches
from accelerator_validation.matrix import Matrix, TestFile
from accelerator_validation.worker import Job
from tests.validation.runs import matrix

FILES = (TestFile(path="test_a", covers="A."), TestFile(path="test_b", covers="B."))
MATRICES: dict[str, Matrix] = {
    "one": matrix([]).model_copy(update={"batch": 3}),
    "two": matrix([]).model_copy(update={"batch": 5, "files": FILES}),
}
JOB = Job("none", MATRICES, {"one": 1.0, "two": 1.0}, 1)
NAMES = st.tuples(
    st.sampled_from(["one", "two"]), st.sampled_from(["test_a.T::x", "test_b.T::x", "other"])
)


@given(st.lists(NAMES, max_size=60), st.integers(0, 8))
def test_each_case_is_in_one_batch_and_files_do_not_mix(
    names: list[tuple[str, str]], slots: int
) -> None:
    cases = [Case(suite, name, (("n", str(at)),)) for at, (suite, name) in enumerate(names)]
    found = list(batches("run", JOB, cases, slots))
    assert [case for batch in found for case in batch.cases] == cases
    for batch in found:
        ((suite, suite_matrix),) = batch.job.matrices.items()
        assert {case.suite for case in batch.cases} == {suite}
        assert len({suite_matrix.group(case.name) for case in batch.cases}) == 1
        assert len(batch.cases) <= suite_matrix.batch


def test_batches_are_smaller_towards_the_end() -> None:
    cases = [Case("one", f"test-{number}") for number in range(20)]
    sizes = [len(batch.cases) for batch in batches("run", JOB, cases, 2)]
    assert sizes == [3, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1]
