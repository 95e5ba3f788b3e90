// The table of models by platform: rows by words, columns by platform, cells by what they rest on. All is kept in the address.

import { listed, say, sentences } from "./elements.js";
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
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean); // "Llama-3.1-8B" is llama_v31_8b elsewhere
  for (const cell of table.querySelectorAll("[data-platform]")) {
    cell.hidden = platform !== "" && cell.dataset.platform !== platform;
  }
  for (const cell of table.tBodies[0].querySelectorAll("[data-platform]")) {
    cell.classList.toggle("is-filtered", evidence !== "" && cell.dataset.basis !== evidence);
  }
  const rows = [...table.tBodies[0].rows];
  const fitting = (asked) => rows.filter((row) => isShown(row, asked, Boolean(platform || evidence)));
  const all = fitting(words);
  const found = all.length === 0 && words.length > 1 ? fitting(words.slice(0, 1)) : all;
  for (const row of rows) row.hidden = !found.includes(row);
  table.parentElement.hidden = found.length === 0;
  empty.hidden = found.length > 0;
  const reason = found.length > all.length ? say("No family matches all words. The first word matches these.") : "";
  form.querySelector(".filters-state").textContent = sentences([reason, sentence(form, found.length, rows.length)].filter(Boolean));
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
