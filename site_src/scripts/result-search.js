// Searches all test results with questions such as "cuda:pass cpu:fail". The address has the question: ?question=cuda:pass+cpu:fail

import { element } from "./elements.js";
import { keepInAddress, readAddress } from "./filters.js";
import { readJson } from "./json-files.js";
import { counted } from "./numbers.js";
import { outcomeParts, scrollingTable, signsOf, testLink } from "./result-elements.js";
import { answer, QuestionError } from "./result-search-model.js";

const MOST_ROWS = 100;
const LOAD_ERROR = "The results could not be read. Try again, or query the data with SQL.";

export function startResultSearch(form) {
  const article = form.closest("article");
  const status = form.querySelector(".filters-state");
  const box = article.querySelector("[data-part=found]");
  const signs = signsOf(article);
  let loading = null;
  const load = () => (loading ??= readJson(form.dataset.data).catch((error) => ((loading = null), Promise.reject(error))));

  const update = async () => {
    const question = form.elements.question.value;
    box.replaceChildren();
    form.elements.question.removeAttribute("aria-invalid");
    status.textContent = question.trim() ? "Loading the results…" : "";
    if (!question.trim()) return;
    try {
      const rows = answer(await load(), question);
      if (question !== form.elements.question.value) return; // the reader typed on
      const shown = rows.slice(0, MOST_ROWS);
      status.textContent = counted(rows.length, "test") + (rows.length > shown.length ? `. The first ${MOST_ROWS} are shown; add words to the question.` : ".");
      if (shown.length) box.append(scrollingTable("Found tests", ["Test", "Results"], shown.map((row) => cells(row, form.dataset.results, signs)), "found-tests-table"));
    } catch (error) {
      if (question !== form.elements.question.value) return;
      const isQuestion = error instanceof QuestionError;
      if (isQuestion) form.elements.question.setAttribute("aria-invalid", "true");
      else console.info("result search:", error);
      status.textContent = isQuestion ? error.message : LOAD_ERROR;
    }
  };

  form.hidden = false;
  readAddress(form);
  keepInAddress(form, update);
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  update();
}

/** The cells of a found test: a link to it with its mode, and its results by platform. */
function cells({ suite, mode, name, results }, pages, signs) {
  const list = element("ul", "found-results");
  const found = distinct(results);
  for (const { platform, kind, outcome, parameters } of found) {
    const item = element("li");
    const isOnly = found.filter((other) => other.platform === platform).length === 1;
    item.append(`${platform} `, ...outcomeParts(outcome, signs, kind === "baseline"), isOnly ? "" : ` (${parameters.join("; ")})`);
    list.append(item);
  }
  return [[testLink({ suite, name }, pages), mode ? `, ${mode}` : ""], list];
}

/** The results by platform and outcome. What several columns say is listed once, with the parameters of all. */
function distinct(results) {
  const found = new Map();
  for (const result of results) {
    const key = [result.platform, result.kind === "baseline", result.outcome].join();
    if (!found.has(key)) found.set(key, { ...result, parameters: [] });
    const { parameters } = found.get(key);
    if (!parameters.includes(result.parameters)) parameters.push(result.parameters);
  }
  return [...found.values()];
}
