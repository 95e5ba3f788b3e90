// Filters the table of models: rows by words, columns by platform, cells by evidence. Keeps the filters in the address.

import { listed, say, sentences } from "./elements.js";
import { keepInAddress, readAddress } from "./filters.js";
import { number } from "./numbers.js";

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
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean); // some names of "Llama-3.1-8B" are like llama_v31_8b
  for (const cell of table.querySelectorAll("[data-platform]")) {
    cell.hidden = platform !== "" && cell.dataset.platform !== platform;
  }
  for (const cell of table.tBodies[0].querySelectorAll("[data-platform]")) {
    cell.classList.toggle("is-filtered", evidence !== "" && cell.dataset.basis !== evidence);
  }
  const rows = [...table.tBodies[0].rows];
  const rowsWith = (someWords) => rows.filter((row) => isShown(row, someWords, Boolean(platform || evidence)));
  const exactRows = rowsWith(words);
  const shownRows = exactRows.length === 0 && words.length > 1 ? rowsWith(words.slice(0, 1)) : exactRows;
  for (const row of rows) row.hidden = !shownRows.includes(row);
  table.parentElement.hidden = shownRows.length === 0;
  empty.hidden = shownRows.length > 0;
  const reason = shownRows.length > exactRows.length ? say("No family matches all words. The first word matches these.") : "";
  form.querySelector(".filters-state").textContent = sentences([reason, sentence(form, shownRows.length, rows.length)].filter(Boolean));
}

/** Whether a row has all words and, if a platform or the evidence is selected, a cell that matches. */
function isShown(row, words, hasCellFilter) {
  const rowText = row.dataset.words.toLowerCase();
  const cells = [...row.querySelectorAll("[data-basis]")];
  return words.every((word) => rowText.includes(word)) &&
    (!hasCellFilter || cells.some((cell) => !cell.hidden && !cell.classList.contains("is-filtered")));
}

/** The status line: how many families are shown, and the selected filters. */
function sentence(form, count, total) {
  const activeSelects = [...form.querySelectorAll("select")].filter(({ value }) => value);
  const words = listed(activeSelects.map((select) => select.selectedOptions[0].textContent));
  const values = { shown: number(count), all: number(total), words };
  if (count < total) return words ? say("Showing {shown} of {all} families: {words}.", values) : say("Showing {shown} of {all} families.", values);
  return words ? say("Showing all {all} families: {words}.", values) : say("Showing all {all} families.", values);
}
