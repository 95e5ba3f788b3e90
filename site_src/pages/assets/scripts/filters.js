// Filters of a list: which of its items are shown, said in words.
// data-filters names the items; a control named "text" looks into their words, others compare with data-<name>.

export function startFilters(form) {
  const items = [...document.querySelectorAll(form.dataset.filters)];
  const state = form.querySelector(".filters-state");
  const words = new Map(items.map((item) => [item, item.textContent.toLowerCase()]));
  const update = () => {
    const wanted = [...new FormData(form)].filter(([, value]) => value.trim() !== "");
    const shown = items.filter((item) => wanted.every(([name, value]) => matches(item, words, name, value)));
    const keep = new Set(shown);
    for (const item of items) item.hidden = !keep.has(item);
    state.textContent = `Showing ${shown.length} of ${items.length} ${form.dataset.noun}.`;
  };
  form.hidden = false;
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  update();
}

function matches(item, words, name, value) {
  if (name === "text") return words.get(item).includes(value.trim().toLowerCase());
  return (item.dataset[name] ?? "").split("|").includes(value);
}
