// Filters of a list: which of its items are shown, said in words.
// data-filters names the items; a control named "text" looks into their words, others compare with data-<name>;
// marked data-at-least or data-at-most they compare numbers or days, and an item without one is not shown.
// A control marked data-order sorts the items by data-<its value>; one marked data-columns also hides the columns,
// elements of that selector, whose data-kind is another one.

import { say } from "./elements.js";

const SHOWN = {
  platforms: (numbers) => say("Showing {shown} of {all} platforms.", numbers),
  models: (numbers) => say("Showing {shown} of {all} models.", numbers),
  reports: (numbers) => say("Showing {shown} of {all} reports.", numbers),
  entries: (numbers) => say("Showing {shown} of {all} entries.", numbers),
};

export function startFilters(form) {
  const items = [...document.querySelectorAll(form.dataset.filters)];
  const state = form.querySelector(".filters-state");
  const words = new Map(items.map((item) => [item, item.textContent.toLowerCase()]));
  const order = form.querySelector("[data-order]");
  const columns = form.querySelector("[data-columns]");
  const update = () => {
    const wanted = [...new FormData(form)].filter(([name, value]) => value.trim() !== "" && name !== order?.name);
    if (order) sort(items, order.value);
    if (columns) showColumns(columns);
    const shown = items.filter((item) => wanted.every(([name, value]) => matches(item, words, form.elements[name], value)));
    const keep = new Set(shown);
    for (const item of items) item.hidden = !keep.has(item);
    // What was asked for does not stay in a closed fold.
    if (wanted.length) for (const item of shown) item.parentElement.closest("details")?.setAttribute("open", "");
    if (columns?.value) for (const item of shown) item.querySelectorAll("details:has([data-kind]:not([hidden]))").forEach((fold) => (fold.open = true));
    state.textContent = SHOWN[form.dataset.noun]({ shown: shown.length, all: items.length });
  };
  form.hidden = false;
  if ("address" in form.dataset) {
    readAddress(form);
    keepInAddress(form, update);
  }
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  update();
}

/** With data-address the filters are kept in the address: ?text=bert&outcome=failed. */
export function readAddress(form) {
  const query = new URLSearchParams(location.search);
  for (const control of form.elements) {
    if (control.name) control.value = query.get(control.name) ?? "";
    if (control.selectedIndex === -1) control.selectedIndex = 0; // a value that does not exist
  }
}

/** Every choice goes into the address; one step back or forth in the history is taken from there. */
export function keepInAddress(form, update) {
  form.addEventListener("input", () => writeAddress(form));
  addEventListener("popstate", () => {
    readAddress(form);
    update();
  });
}

function writeAddress(form) {
  const set = [...new FormData(form)].filter(([, value]) => value !== "");
  const query = new URLSearchParams(set).toString();
  history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
}

/** Numbers by their size, days (2026-11-22) by their text, which has the same order. */
function compared(one, other) {
  const difference = Number(one) - Number(other);
  return Number.isNaN(difference) ? Number(one > other) - Number(one < other) : difference;
}

/** Without a value the items stand as the page has them; those without the attribute come last. */
function sort(items, name) {
  const place = new Map(items.map((item, index) => [item, index]));
  const compare = (a, b) => {
    const [one, other] = [a.dataset[name], b.dataset[name]];
    if (one === undefined || other === undefined) return (one === undefined) - (other === undefined);
    return compared(one, other);
  };
  const sorted = name ? [...items].sort((a, b) => compare(a, b) || place.get(a) - place.get(b)) : items;
  for (const item of sorted) item.parentElement.append(item);
}

function showColumns(control) {
  for (const cell of document.querySelectorAll(control.dataset.columns)) {
    cell.hidden = control.value !== "" && cell.dataset.kind !== control.value;
  }
}

function matches(item, words, control, value) {
  const { name } = control;
  if (name === "text") return words.get(item).includes(value.trim().toLowerCase());
  const own = item.dataset[name] ?? "";
  if ("atLeast" in control.dataset) return own !== "" && compared(own, value) >= 0;
  if ("atMost" in control.dataset) return own !== "" && compared(own, value) <= 0;
  return own.split("|").includes(value);
}
