// Filters and sorts the items of a list, and shows how many match.
// The attribute data-filters of the form selects the items. A control named "text" searches the text of the items; other
// controls compare their value with the item's data-<name>. Controls with data-at-least or data-at-most compare numbers or
// days; an item without a value does not match. Controls with data-of-device ask for one device that matches all of them, of the
// list in the item's data-devices. A control with data-columns also hides the elements of that selector whose data-kind is
// not its value.

import { say } from "./elements.js";

const SHOWN = {
  platforms: (counts) => say("Showing {shown} of {all} platforms.", counts),
  models: (counts) => say("Showing {shown} of {all} models.", counts),
  reports: (counts) => say("Showing {shown} of {all} reports.", counts),
  entries: (counts) => say("Showing {shown} of {all} entries.", counts),
};

/** Makes the filters of a list work, and applies those that are set. */
export function startFilters(form) {
  const items = [...document.querySelectorAll(form.dataset.filters)];
  const status = form.querySelector(".filters-state");
  const itemTexts = new Map(items.map((item) => [item, item.textContent.toLowerCase()]));
  const kindMenu = form.querySelector("[data-columns]");
  const update = () => {
    const activeFilters = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
    if (kindMenu) showColumns(kindMenu);
    const hits = items.filter((item) => matchesAll(item, itemTexts.get(item), activeFilters.map(([name, value]) => [form.elements[name], value])));
    const hitSet = new Set(hits);
    for (const item of items) item.hidden = !hitSet.has(item);
    // Open the folds that hide matching items.
    if (activeFilters.length) for (const item of hits) item.parentElement.closest("details")?.setAttribute("open", "");
    if (kindMenu?.value) for (const item of hits) item.querySelectorAll("details:has([data-kind]:not([hidden]))").forEach((fold) => (fold.open = true));
    status.textContent = SHOWN[form.dataset.noun]({ shown: hits.length, all: items.length });
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

/** Sets the controls of a form from the address, such as ?text=bert&outcome=failed. */
export function readAddress(form) {
  const query = new URLSearchParams(location.search);
  for (const control of form.elements) {
    if (control.name) control.value = query.get(control.name) ?? "";
    if (control.selectedIndex === -1) control.selectedIndex = 0; // there is no such option
  }
}

/** Writes every change to the address; when the reader goes back or forward, reads the address and calls `update`. */
export function keepInAddress(form, update) {
  form.addEventListener("input", () => writeAddress(form));
  addEventListener("popstate", () => {
    readAddress(form);
    update();
  });
}

/** Writes the values of a form to the address. */
function writeAddress(form) {
  const filled = [...new FormData(form)].filter(([, value]) => value !== "");
  const query = new URLSearchParams(filled).toString();
  history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
}

/** Compares two values: numbers by size, days (2026-11-22) as texts, which sort the same way. */
function compareValues(first, second) {
  const difference = Number(first) - Number(second);
  return Number.isNaN(difference) ? Number(first > second) - Number(first < second) : difference;
}

/** Hides the columns of other kinds than the control's value; without a value, shows all. */
function showColumns(control) {
  for (const cell of document.querySelectorAll(control.dataset.columns)) {
    cell.hidden = control.value !== "" && cell.dataset.kind !== control.value;
  }
}

/** Returns whether an item, whose text is in lower case, matches the values of all controls. */
function matchesAll(item, text, filters) {
  const isOfDevice = ([control]) => "ofDevice" in control.dataset;
  const ofDevice = filters.filter(isOfDevice);
  const matchesItem = filters
    .filter((filter) => !isOfDevice(filter))
    .every(([control, value]) => (control.name === "text" ? text.includes(value.trim().toLowerCase()) : matches(item.dataset, control, value)));
  if (!matchesItem || !ofDevice.length) return matchesItem;
  return JSON.parse(item.dataset.devices ?? "[]").some((device) => ofDevice.every(([control, value]) => matches(device, control, value)));
}

/** Returns whether the data of an item or of a device match the value of a control. */
function matches(data, control, value) {
  const itemValue = String(data[control.name] ?? "");
  if ("atLeast" in control.dataset) return itemValue !== "" && compareValues(itemValue, value) >= 0;
  if ("atMost" in control.dataset) return itemValue !== "" && compareValues(itemValue, value) <= 0;
  return itemValue.split("|").includes(value);
}
