// What a matrix of results shows for a state: which columns, which tests, in which order, said in which words.
// A state is what the address says: {text, accelerator, dtype, outcome, sort, order, page}. Nothing here knows the page.

const NAME = "name";
const FILTERS = ["text", "accelerator", "dtype", "outcome"];

export const NO_EVIDENCE = "no-evidence";
const NOT_PASSED = "not-passed";
const NOT_STATED = "not stated";

/** The state that an address asks for; `known` has the values that each of its names may have, others are ignored. */
export function readState(query, known) {
  const asked = new URLSearchParams(query);
  const value = (name) => (known[name]?.includes(asked.get(name)) ? asked.get(name) : "");
  const page = Number(asked.get("page"));
  const sort = value("sort") || NAME;
  return {
    text: (asked.get("text") ?? "").trim().slice(0, 200),
    accelerator: value("accelerator"),
    dtype: value("dtype"),
    outcome: value("outcome"),
    sort,
    order: value("order") || usualOrder(sort),
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

/** The address of a state, without what is as usual: `?text=bert&page=2`, or nothing. */
export function queryOf(state, names = [...FILTERS, "sort", "order", "page"]) {
  const usual = { sort: NAME, order: usualOrder(state.sort), page: 1 };
  const set = names.filter((name) => state[name] !== (usual[name] ?? "")).map((name) => [name, state[name]]);
  const query = new URLSearchParams(set).toString();
  return query && `?${query}`;
}

/** What of a state also means something in another table. */
export const filtersOf = (state) => queryOf(state, FILTERS);

export const isFiltered = (state) => FILTERS.some((name) => state[name] !== "");

export const unfiltered = (state) => ({ ...state, text: "", accelerator: "", dtype: "", outcome: "", page: 1 });

/** The state after a click on what sorts by `id`: another column as usual, the same one the other way round. */
export function sorted(state, id) {
  if (state.sort !== id) return { ...state, sort: id, order: usualOrder(id), page: 1 };
  return { ...state, order: state.order === "ascending" ? "descending" : "ascending", page: 1 };
}

/** Names from A; columns by severity from the worst. */
function usualOrder(sort) {
  return sort === NAME ? "ascending" : "descending";
}

/** The table as the data file has it, made ready: names to search in, each outcome's place in the order of severity. */
export function prepare(matrix, worstFirst) {
  const severity = new Map(worstFirst.map((outcome, place) => [outcome, worstFirst.length - place]));
  return { columns: matrix.columns, tests: matrix.tests, severity, names: matrix.tests.map((test) => test.name.toLowerCase()) };
}

/** What a state shows: places of columns, tests in order and what orders them, how many lack evidence and are left out. */
export function select(table, state) {
  const columns = columnsOf(table.columns, state);
  const words = state.text.toLowerCase().split(/\s+/).filter(Boolean);
  const named = table.tests.filter((_, place) => words.every((word) => table.names[place].includes(word)));
  const found = named.filter((test) => columns.some((column) => fits(test.outcomes[column], state)));
  const sorting = sortingOf(table.columns, columns, state);
  const silent = state.outcome ? 0 : named.length - found.length;
  return { columns, tests: ordered(table, found, sorting), sorting, silent };
}

function columnsOf(columns, { accelerator, dtype }) {
  const fitting = (column) =>
    (!accelerator || column.accelerator === accelerator) && (!dtype || (column.dtype || NOT_STATED) === dtype);
  return [...columns.keys()].filter((place) => fitting(columns[place]));
}

/** Whether a cell is what a reader looks for. Of a chosen accelerator or type: the tests that it has a result of. */
function fits(outcome, state) {
  if (state.outcome === NO_EVIDENCE) return outcome === null;
  if (state.outcome === NOT_PASSED) return outcome !== null && outcome !== "passed";
  if (state.outcome) return outcome === state.outcome;
  return outcome !== null || !(state.accelerator || state.dtype);
}

/** What the rows are sorted by: names where the column is not shown. */
function sortingOf(columns, shown, { sort, order }) {
  const place = columns.findIndex(({ id }) => id === sort);
  return sort === NAME || shown.includes(place) ? { sort, order, place } : { sort: NAME, order: "ascending", place: -1 };
}

/** They come by name. By a column, what has no evidence is last, whichever way round. */
function ordered({ severity }, tests, { order, place }) {
  if (place < 0) return order === "ascending" ? tests : [...tests].reverse();
  const way = order === "ascending" ? 1 : -1;
  const rank = (test) => (test.outcomes[place] === null ? Infinity : way * severity.get(test.outcomes[place]));
  const ranked = tests.map((test) => [rank(test), test]);
  return ranked.sort(([one], [other]) => (one === other ? 0 : one - other)).map(([, test]) => test);
}

/** The pages of so many rows, each with as many as the static pages have: number, first and last row. */
export function pagesOf(count, rows) {
  const number = Math.max(1, Math.ceil(count / rows));
  return Array.from({ length: number }, (_, n) => ({ number: n + 1, first: n * rows + 1, last: Math.min(count, (n + 1) * rows) }));
}

/** The pages that a page links to: the first, the last and those at distances of 1, 2, 4, 8 …, as `linked_pages` in Python. */
export function linkedPages(pages, current) {
  const isLinked = (distance) => Number.isInteger(Math.log2(distance));
  return pages.filter(({ number }) => number === 1 || number === pages.length || number === current || isLinked(Math.abs(number - current)));
}

/** "Showing 61 of 2,190 tests: XPU, bfloat16, not passed." `words` has the words of each choice. */
export function sentence({ count, total, rows, silent, columns, page, state, sorting, words }) {
  const said = FILTERS.filter((name) => state[name]).map((name) => words[name](state[name]));
  const about = said.length ? `: ${said.join(", ")}` : "";
  const parts = [];
  if (count === 0) parts.push(`None of ${number(total)} tests is shown${about}.`);
  else if (count <= rows && count === total) parts.push(`Showing all ${number(total)} tests${about}.`);
  else if (count <= rows) parts.push(`Showing ${number(count)} of ${number(total)} tests${about}.`);
  else if (count === total) parts.push(`Showing ${range(page)} of ${number(total)} tests${about}.`);
  else parts.push(`Showing ${range(page)} of ${number(count)} tests found, of ${number(total)}${about}.`);
  if (columns === 0) parts.push("No column matches both filters.");
  else if (silent > 0) parts.push(`${number(silent)} without evidence there ${silent === 1 ? "is" : "are"} left out.`);
  if (count && sorting.place >= 0) parts.push(`Sorted by ${words.column(sorting.place)}, ${sorting.order === "descending" ? "worst" : "best"} first.`);
  else if (count && sorting.order === "descending") parts.push("Sorted from Z to A.");
  return parts.join(" ");
}

export const number = (value) => value.toLocaleString("en-US");

export const range = (page) => `${number(page.first)}–${number(page.last)}`;
