"""Reads a suite's matrix from a YAML file: the suite's tests, parameters, tolerances and limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from itertools import product
from typing import Annotated

from pydantic import Field, model_validator

from accelerator_reports.files.fields import Id, Line, Paragraph, StrictModel, validation_error
from accelerator_reports.files.problem import Problem, ProblemsError
from accelerator_reports.files.yaml_file import parse_yaml, validate
from accelerator_reports.outcomes import RunLevel
from accelerator_reports.report import Tolerance
from accelerator_reports.suite_names import SuiteKind
from accelerator_reports.validation_file import Check, DeployRecipe

SUITES_PACKAGE = "accelerator_validation.suites"

AxisText = Annotated[str, Field(min_length=1, max_length=60)]
Combination = Mapping[str, str]


class Deployment(StrictModel):
    """A platform's recipe to build or deploy its software, and the check that shows it worked."""

    recipe: DeployRecipe
    """The recipe: a script or a Dockerfile."""
    check: Check
    """The check, which runs after the recipe."""


class TestFile(StrictModel):
    """A file of PyTorch's own tests in a checkout of PyTorch."""

    __test__ = False  # to pytest it looks like a class of tests

    path: Line
    """The path in PyTorch's folder of tests, without `.py`: `nn/test_pooling`."""
    covers: Line
    """The subject that the tests in the file cover."""
    usual: bool = True
    """Whether the file runs if no files are named."""

    @property
    def container(self) -> str:
        """The prefix of the names of the file's tests: `nn.test_pooling`."""
        return self.path.replace("/", ".")


def find_test_file(name: str, files: Iterable[TestFile]) -> TestFile | None:
    """Return the file that contains the test `name`, or None if no file does.

    `name` is the name of a test, `test_ops.TestCommon::test_out`, or of a file, `test_ops`.
    """
    container = f"{name.partition('::')[0]}."
    matching_files = [file for file in files if container.startswith(f"{file.container}.")]
    return max(matching_files, key=lambda file: len(file.path), default=None)


class LevelSettings(StrictModel):
    """What a level of a suite changes."""

    default: Mapping[Id, tuple[AxisText, ...]] = Field(default_factory=dict)
    """The values that run by default, by axis."""
    settings: Mapping[Id, int] = Field(default_factory=dict)
    """Numbers by name that the module uses."""


class Matrix(StrictModel):
    """A test suite. Its tests are run with each combination of parameters that is not excluded.

    An axis is a parameter with several possible values, such as `dtype`.
    """

    kind: SuiteKind
    """The kind of the suite."""
    module: Line
    """The Python module that lists the suite's tests and runs them."""
    description: Paragraph
    """The description of the suite."""
    packages: tuple[Line, ...] = ()
    """The packages that the module imports besides torch, by their module names."""
    axes: Mapping[Id, Annotated[tuple[AxisText, ...], Field(min_length=1)]] = Field(
        default_factory=dict
    )
    """The possible values of each axis, by the name of the parameter."""
    default: Mapping[Id, tuple[AxisText, ...]] = Field(default_factory=dict)
    """The values that run by default, by axis. Of an axis that is absent here, all values run."""
    exclude: tuple[Mapping[Id, AxisText], ...] = ()
    """Combinations of parameters that are never run. The key `name` is the test's name."""
    tests: tuple[Line, ...] = ()
    """The names of the tests; empty if the module lists them."""
    tolerances: Mapping[Id, Tolerance] = Field(default_factory=dict)
    """The allowed differences by data type. The key `training` is for gradients."""
    unchecked: Mapping[Line, Line] = Field(default_factory=dict)
    """Why the results of a test cannot be compared, by test name. The outcome of such a test is at
    best `executed`, never `passed`."""
    own_verdict: bool = False
    """Whether its tests use their own assertions instead of this project's comparison."""
    files: tuple[TestFile, ...] = ()
    """The test files of a PyTorch checkout. A worker process runs tests of one file only."""
    timeout_s: Annotated[float, Field(gt=0)] = 120
    """The time limit of one test in seconds."""
    batch: Annotated[int, Field(ge=1)] = 50
    """The maximum number of tests that a worker takes at once."""
    settings: Mapping[Id, int] = Field(default_factory=dict)
    """Numbers by name that the module uses, such as `samples`."""
    levels: Mapping[RunLevel, LevelSettings] = Field(default_factory=dict)
    """What each level changes. A suite without levels is the same at each level."""
    level: RunLevel | None = None
    """The level of the run, if the suite has levels."""

    deployments: Mapping[str, Deployment] = Field(default_factory=dict)
    """The platform's recipes by test name, for the suite `deploy`."""
    given: Mapping[str, str] = Field(default_factory=dict)
    """Values that a run sets for this suite, by name, such as the folder of a checkout."""

    @model_validator(mode="after")
    def _check_defaults(self) -> Matrix:
        for name, values in self.default.items():
            if unknown := set(values) - set(self.axes.get(name, ())):
                remedy = f"{name} has: {', '.join(self.axes.get(name, ())) or 'no axis'}"
                raise validation_error(
                    f"default: {name} cannot be {', '.join(sorted(unknown))}", remedy
                )
        return self

    def at_level(self, level: RunLevel) -> Matrix:
        """Return the matrix with the default values and settings of a level."""
        if level not in self.levels:
            return self
        changes = self.levels[level]
        update = {
            "level": level,
            "default": {**self.default, **changes.default},
            "settings": {**self.settings, **changes.settings},
        }
        return self.model_copy(update=update)

    def combinations(self, only: Mapping[str, Iterable[str]]) -> Iterator[Combination]:
        """Yield the combinations to run: `{"dtype": "float32", "mode": "training"}`.

        `only` has the values to run by axis. Of an axis that `only` lacks, the default values run.
        """
        axis_values = [
            [v for v in values if v in set(only.get(name, self.default.get(name, values)))]
            for name, values in self.axes.items()
        ]
        for values in product(*axis_values):
            yield dict(zip(self.axes, values, strict=True))

    def group(self, name: str) -> str:
        """Return the group of a test. A worker process runs tests of one group only.

        In a suite with `files`, the group of a test is the `TestFile.container` of its file. In a
        suite without `files`, the group of every test is "".
        """
        file = find_test_file(name, self.files)
        return file.container if file else ""

    def excludes(self, name: str, combination: Combination) -> bool:
        """Return whether a test with these parameters is never run."""
        parameter_items = {**combination, "name": name}.items()
        return any(set(excluded.items()) <= parameter_items for excluded in self.exclude)


def suite_names() -> list[str]:
    """Return the names of all built-in suites, sorted."""
    files = resources.files(SUITES_PACKAGE).iterdir()
    return sorted(f.name.removesuffix(".yaml") for f in files if f.name.endswith(".yaml"))


def read_matrix(suite: str) -> Matrix:
    """Return the matrix of a built-in suite. Raises ProblemsError if its YAML file is invalid."""
    path = f"{suite}.yaml"
    return parse_matrix(path, resources.files(SUITES_PACKAGE).joinpath(path).read_text("utf-8"))


def with_recipes(matrix: Matrix, recipes: Iterable[str], plain: Iterable[str] = ()) -> Matrix:
    """Return a copy of the matrix with `recipes` as the values of the axis `recipe`.

    `recipes` has the names of ExecuTorch recipes. `plain` has the names of the recipes for which
    `Recipe.is_plain` is true. A recipe runs only on request if `matrix` lists it as a value of the
    axis, but not as a default value. All other recipes run by default. If no recipe would run by
    default, all recipes do. A matrix without the axis is returned unchanged.
    """
    if "recipe" not in matrix.axes:
        return matrix
    values, listed_recipes = tuple(recipes), matrix.axes["recipe"]
    opt_in_recipes = set(listed_recipes) - set(matrix.default.get("recipe", listed_recipes))
    default_recipes = tuple(value for value in values if value not in opt_in_recipes)
    update = {
        "axes": {**matrix.axes, "recipe": values},
        "default": {**matrix.default, "recipe": default_recipes or values},
        "given": {**matrix.given, "plain": ",".join(plain)},
    }
    return matrix.model_copy(update=update)


def plain_recipes(matrix: Matrix) -> frozenset[str]:
    """Return the names of the matrix's recipes for which `Recipe.is_plain` is true.

    `with_recipes` stores these names in a matrix. If a matrix has no stored names, the result is
    the single name `plain`.
    """
    return frozenset(filter(None, matrix.given.get("plain", "plain").split(",")))


def parse_matrix(path: str, text: str) -> Matrix:
    """Return the matrix that a YAML text defines; `path` names the file in error messages.

    Raises ProblemsError, which lists all problems, if the text is invalid.
    """
    file, problems = parse_yaml(path, text)
    if file is None or problems:
        raise ProblemsError(problems or [Problem(path, 1, "the value is empty", "enter a value")])
    matrix, problems = validate(Matrix, file)
    if matrix is None:
        raise ProblemsError(problems)
    return matrix
