// Shows only the selected platforms of a table, at most four, and keeps them in the address: ?with=cuda,rocm.
// Without a selection all are shown. With data-usual, an address without `with` shows those platforms, and ?with= all.

import { say, sentences } from "./elements.js";

const MAX_PLATFORMS = 4;

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
  const showAddress = () => {
    const { chosen, complaints } = readAddress(boxes.map((box) => box.value), form.dataset.usual);
    show(form, table, boxes, chosen, complaints);
  };
  addEventListener("popstate", showAddress);
  showAddress();
}

function readAddress(platforms, defaultPlatforms = "") {
  const query = new URLSearchParams(location.search);
  const requested = query.has("with") ? query.getAll("with").join(",") : defaultPlatforms; // a form without scripts repeats the name
  const requestedIds = requested.split(",").filter(Boolean);
  const unknownIds = requestedIds.filter((id) => !platforms.includes(id));
  const validIds = [...new Set(requestedIds)].filter((id) => platforms.includes(id));
  const complaints = unknownIds.map((id) => say("There is no platform “{id}”; ignored.", { id: id.slice(0, 40) }));
  if (validIds.length > MAX_PLATFORMS)
    complaints.push(say("Only the first {count} platforms of the address are shown.", { count: MAX_PLATFORMS }));
  return { chosen: validIds.slice(0, MAX_PLATFORMS), complaints };
}

function show(form, table, boxes, chosen, complaints) {
  for (const box of boxes) {
    box.checked = chosen.includes(box.value);
    box.disabled = chosen.length >= MAX_PLATFORMS && !box.checked;
  }
  for (const cell of table.querySelectorAll("[data-platform]")) {
    cell.hidden = chosen.length > 0 && !chosen.includes(cell.dataset.platform);
  }
  const columns = chosen.length || boxes.length;
  for (const group of table.querySelectorAll("[scope=rowgroup]")) group.colSpan = columns + 1;
  table.classList.toggle("is-chosen", chosen.length > 0);
  form.querySelector(".filters-state").textContent = sentences([...complaints, statusText(chosen.length, boxes.length)]);
}

function statusText(count, total) {
  if (count === 0) return say("All {all} platforms are shown. Choose two to four.", { all: total });
  if (count === 1) return say("One platform is shown. Choose one to three more.");
  return count === MAX_PLATFORMS
    ? say("Four platforms are shown, which is the maximum.")
    : say("{count} platforms are shown.", { count });
}
