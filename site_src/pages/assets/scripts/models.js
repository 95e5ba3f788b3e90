// The table of models by platform: rows by words, columns by platform, cells by what they rest on. All is kept in the address.

import { listed, say } from "./elements.js";
import { number } from "./matrix-model.js";
import { keepInAddress, readAddress } from "./filters.js";

export function startModels(form) {
  const table = document.getElementById(form.dataset.models);
  const empty = form.closest("article").querySelector(".matrix-empty");
  const update = () => show(form, table, empty);
  form.hidden = false;
  readAddress(form);
  keepInAddress(form, update);
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  update();
}

function show(form, table, empty) {
  const { text, platform, evidence } = Object.fromEntries(new FormData(form));
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  for (const cell of table.querySelectorAll("[data-platform]")) {
    cell.hidden = platform !== "" && cell.dataset.platform !== platform;
  }
  for (const cell of table.tBodies[0].querySelectorAll("[data-platform]")) {
    cell.classList.toggle("is-filtered", evidence !== "" && cell.dataset.basis !== evidence);
  }
  const rows = [...table.tBodies[0].rows];
  for (const row of rows) row.hidden = !isShown(row, words, Boolean(platform || evidence));
  const shown = rows.filter((row) => !row.hidden).length;
  table.parentElement.hidden = shown === 0;
  empty.hidden = shown > 0;
  form.querySelector(".filters-state").textContent = sentence(form, shown, rows.length);
}

/** A row is shown where its words fit, and, if a platform or the evidence is chosen, some cell does, too. */
function isShown(row, words, chosen) {
  const own = row.dataset.words.toLowerCase();
  const cells = [...row.querySelectorAll("[data-basis]")];
  return words.every((word) => own.includes(word)) && (!chosen || cells.some((cell) => !cell.hidden && !cell.classList.contains("is-filtered")));
}

function sentence(form, shown, total) {
  const chosen = [...form.querySelectorAll("select")].filter(({ value }) => value);
  const words = listed(chosen.map((select) => select.selectedOptions[0].textContent));
  const numbers = { shown: number(shown), all: number(total), words };
  if (shown < total) return words ? say("Showing {shown} of {all} families: {words}.", numbers) : say("Showing {shown} of {all} families.", numbers);
  return words ? say("Showing all {all} families: {words}.", numbers) : say("Showing all {all} families.", numbers);
}
