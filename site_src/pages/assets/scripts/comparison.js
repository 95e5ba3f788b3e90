// Two to four platforms of a table, kept in the address: ?with=cuda,rocm. None chosen: all are shown.
// With data-usual an address that says nothing shows those; ?with= shows all.

import { say, sentences } from "./elements.js";

const MOST = 4;

export function startComparison(form) {
  const table = document.getElementById(form.dataset.comparison);
  const boxes = [...form.querySelectorAll("input[name=with]")];
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.querySelector("[data-all]").addEventListener("click", () => {
    boxes.forEach((box) => (box.checked = false));
    form.dispatchEvent(new Event("change"));
  });
  form.addEventListener("change", () => {
    const chosen = boxes.filter((box) => box.checked).map((box) => box.value);
    history.replaceState(null, "", chosen.length || form.dataset.usual ? `?with=${chosen.join(",")}` : location.pathname);
    show(form, table, boxes, chosen, []);
  });
  const read = () => {
    const { chosen, complaints } = readAddress(boxes.map((box) => box.value), form.dataset.usual);
    show(form, table, boxes, chosen, complaints);
  };
  addEventListener("popstate", read);
  read();
}

function readAddress(known, usual = "") {
  const asked = (new URLSearchParams(location.search).get("with") ?? usual).split(",").filter(Boolean);
  const unknown = asked.filter((id) => !known.includes(id));
  const found = [...new Set(asked)].filter((id) => known.includes(id));
  const complaints = unknown.map((id) => say("There is no platform “{id}”; ignored.", { id: id.slice(0, 40) }));
  if (found.length > MOST) complaints.push(say("Only the first {count} platforms of the address are shown.", { count: MOST }));
  return { chosen: found.slice(0, MOST), complaints };
}

function show(form, table, boxes, chosen, complaints) {
  for (const box of boxes) {
    box.checked = chosen.includes(box.value);
    box.disabled = chosen.length >= MOST && !box.checked;
  }
  for (const cell of table.querySelectorAll("[data-platform]")) {
    cell.hidden = chosen.length > 0 && !chosen.includes(cell.dataset.platform);
  }
  const columns = chosen.length || boxes.length;
  for (const group of table.querySelectorAll("[scope=rowgroup]")) group.colSpan = columns + 1;
  table.classList.toggle("is-chosen", chosen.length > 0);
  form.querySelector(".filters-state").textContent = sentences([...complaints, state(chosen.length, boxes.length)]);
}

function state(count, all) {
  if (count === 0) return say("All {all} platforms are shown. Choose two to four.", { all });
  if (count === 1) return say("One platform is shown. Choose one to three more.");
  return count === MOST ? say("Four platforms are shown, which is the maximum.") : say("{count} platforms are shown.", { count });
}
