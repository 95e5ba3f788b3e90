// Filters of a list: which of its items are shown, said in words.
// data-filters names the items; a control named "text" looks into their words, others compare with data-<name>;
// marked data-at-least or data-at-most they compare numbers, and an item without the number is not shown.

export function startFilters(form) {
  const items = [...document.querySelectorAll(form.dataset.filters)];
  const state = form.querySelector(".filters-state");
  const words = new Map(items.map((item) => [item, item.textContent.toLowerCase()]));
  const update = () => {
    const wanted = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
    const shown = items.filter((item) => wanted.every(([name, value]) => matches(item, words, form.elements[name], value)));
    const keep = new Set(shown);
    for (const item of items) item.hidden = !keep.has(item);
    state.textContent = `Showing ${shown.length} of ${items.length} ${form.dataset.noun}.`;
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

function matches(item, words, control, value) {
  const { name } = control;
  if (name === "text") return words.get(item).includes(value.trim().toLowerCase());
  const own = item.dataset[name] ?? "";
  if ("atLeast" in control.dataset) return own !== "" && Number(own) >= Number(value);
  if ("atMost" in control.dataset) return own !== "" && Number(own) <= Number(value);
  return own.split("|").includes(value);
}
