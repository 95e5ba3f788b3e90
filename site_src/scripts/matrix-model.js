// Decides which columns and tests of a matrix of results are shown, in which order, and writes a sentence about them.
// A state is what the address has: {text, accelerator, dtype, outcome, sort, order, page}. Nothing here uses the document.

import { number } from "./numbers.js";

const NAME = "name";
const FILTERS = ["text", "accelerator", "dtype", "outcome"];

export const NO_EVIDENCE = "no-evidence";
const NOT_PASSED = "not-passed";
const NOT_STATED = "not stated";

/** The state of an address. `allowedValues` has the values of each parameter; other values are ignored. */
export function readState(query, allowedValues) {
  const parameters = new URLSearchParams(query);
  const value = (name) => (allowedValues[name]?.includes(parameters.get(name)) ? parameters.get(name) : "");
  const page = Number(parameters.get("page"));
  const sort = value("sort") || NAME;
  return {
    text: (parameters.get("text") ?? "").trim().slice(0, 200),
    accelerator: value("accelerator"),
    dtype: value("dtype"),
    outcome: value("outcome"),
    sort,
    order: value("order") || defaultOrder(sort),
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

/** The query of a state without default values, such as `?text=bert&page=2`, or an empty string. */
export function queryOf(state, names = [...FILTERS, "sort", "order", "page"]) {
  const defaults = { sort: NAME, order: defaultOrder(state.sort), page: 1 };
  const parameters = names.filter((name) => state[name] !== (defaults[name] ?? "")).map((name) => [name, state[name]]);
  const query = new URLSearchParams(parameters).toString();
  return query && `?${query}`;
}

/** The query with only the filters of a state, for links to other tables. */
export const filtersOf = (state) => queryOf(state, FILTERS);

export const isFiltered = (state) => FILTERS.some((name) => state[name] !== "");

export const unfiltered = (state) => ({ ...state, text: "", accelerator: "", dtype: "", outcome: "", page: 1 });

/** The state after a click on the button that sorts by `id`: another column in its default order, the same one reversed. */
export function sorted(state, id) {
  if (state.sort !== id) return { ...state, sort: id, order: defaultOrder(id), page: 1 };
  return { ...state, order: state.order === "ascending" ? "descending" : "ascending", page: 1 };
}

/** Names from A to Z; columns by severity, the worst first. */
function defaultOrder(sort) {
  return sort === NAME ? "ascending" : "descending";
}

/** The table of the data file, with lower-case names to search in and the severity of each outcome: higher is worse. */
export function prepare(matrix, worstFirst) {
  const severity = new Map(worstFirst.map((outcome, index) => [outcome, worstFirst.length - index]));
  return { columns: matrix.columns, tests: matrix.tests, severity, names: matrix.tests.map((test) => test.name.toLowerCase()) };
}

/** What a state shows: indexes of columns, sorted tests, the sorting, and in `silent` how many tests without evidence are left out. */
export function select(table, state) {
  const columns = columnsOf(table.columns, state);
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  const namedTests = table.tests.filter((_, index) => words.every((word) => table.names[index].includes(word)));
  const matchingTests = namedTests.filter((test) => columns.some((column) => matchesFilters(test.outcomes[column], state)));
  const sorting = sortingOf(table.columns, columns, state);
  const silent = state.outcome ? 0 : namedTests.length - matchingTests.length;
  return { columns, tests: ordered(table, matchingTests, sorting), sorting, silent };
}

function columnsOf(columns, { accelerator, dtype }) {
  const isShown = (column) =>
    (!accelerator || column.accelerator === accelerator) && (!dtype || (column.dtype || NOT_STATED) === dtype);
  return [...columns.keys()].filter((index) => isShown(columns[index]));
}

/** Whether a cell matches the filters. If only accelerator or data type are set, any cell with a result does. */
function matchesFilters(outcome, state) {
  if (state.outcome === NO_EVIDENCE) return outcome === null;
  if (state.outcome === NOT_PASSED) return outcome !== null && outcome !== "passed";
  if (state.outcome) return outcome === state.outcome;
  return outcome !== null || !(state.accelerator || state.dtype);
}

/** What the rows are sorted by: a column, or the name if the column is not shown; then `columnIndex` is -1. */
function sortingOf(columns, shownColumns, { sort, order }) {
  const columnIndex = columns.findIndex(({ id }) => id === sort);
  return sort === NAME || shownColumns.includes(columnIndex) ? { sort, order, columnIndex } : { sort: NAME, order: "ascending", columnIndex: -1 };
}

/** Sort tests, which come in the order of names. Tests without evidence in the column are last in both orders. */
function ordered({ severity }, tests, { order, columnIndex }) {
  if (columnIndex < 0) return order === "ascending" ? tests : [...tests].reverse();
  const direction = order === "ascending" ? 1 : -1;
  const rank = (test) => (test.outcomes[columnIndex] === null ? Infinity : direction * severity.get(test.outcomes[columnIndex]));
  const ranked = tests.map((test) => [rank(test), test]);
  return ranked.sort(([first], [second]) => (first === second ? 0 : first - second)).map(([, test]) => test);
}

/** The pages of `count` rows with `rows` on each: number, first and last row, all from 1. */
export function pagesOf(count, rows) {
  const pageCount = Math.max(1, Math.ceil(count / rows));
  return Array.from({ length: pageCount }, (_, n) => ({ number: n + 1, first: n * rows + 1, last: Math.min(count, (n + 1) * rows) }));
}

/** The pages that a page links to: the first, the last and those at distances of 1, 2, 4, 8 …, as Python's `linked_pages` returns. */
export function linkedPages(pages, current) {
  const isLinked = (distance) => Number.isInteger(Math.log2(distance));
  return pages.filter(({ number }) => number === 1 || number === pages.length || number === current || isLinked(Math.abs(number - current)));
}

/** "Showing 61 of 2,190 tests: XPU, bfloat16, not passed." `words` has a function for each filter. */
export function sentence({ count, total, rows, silent, columns, page, state, sorting, words }) {
  const filterWords = FILTERS.filter((name) => state[name]).map((name) => words[name](state[name]));
  const suffix = filterWords.length ? `: ${filterWords.join(", ")}` : "";
  const sentences = [];
  if (count === 0) sentences.push(`None of ${number(total)} tests is shown${suffix}.`);
  else if (count <= rows && count === total) sentences.push(`Showing all ${number(total)} tests${suffix}.`);
  else if (count <= rows) sentences.push(`Showing ${number(count)} of ${number(total)} tests${suffix}.`);
  else if (count === total) sentences.push(`Showing ${range(page)} of ${number(total)} tests${suffix}.`);
  else sentences.push(`Showing ${range(page)} of ${number(count)} tests found, of ${number(total)}${suffix}.`);
  if (columns === 0) sentences.push("No column matches both filters.");
  else if (silent > 0) sentences.push(`${number(silent)} without evidence there ${silent === 1 ? "is" : "are"} left out.`);
  if (count && sorting.columnIndex >= 0)
    sentences.push(`Sorted by ${words.column(sorting.columnIndex)}, ${sorting.order === "descending" ? "worst" : "best"} first.`);
  else if (count && sorting.order === "descending") sentences.push("Sorted from Z to A.");
  return sentences.join(" ");
}

export const range = (page) => `${number(page.first)}–${number(page.last)}`;
