// Filters, sorts and pages the matrix of a suite's results, and keeps all three in the address.
// The page has the first rows. The data of all rows is loaded when the reader first uses the filters or the table.

import { opensHere } from "./elements.js";
import { readJson } from "./json-files.js";
import { filtersOf, isFiltered, pagesOf, prepare, queryOf, readState, select, sentence, sorted, unfiltered } from "./matrix-model.js";
import { drawPages, MatrixView } from "./matrix-view.js";
import { number } from "./numbers.js";

const LOAD_ERROR = "The data of this table could not be read. Try again, or use the static pages, which have all rows.";

const MAX_QUOTED = 40; // characters of the searched text that the status line repeats

export function startMatrix(form) {
  new Matrix(form).start();
}

class Matrix {
  constructor(form) {
    const article = form.closest("article");
    this.form = form;
    this.box = article.querySelector(".matrix-box");
    this.table = this.box.querySelector(".matrix");
    this.status = form.querySelector(".filters-state");
    this.empty = article.querySelector(".matrix-empty");
    this.pages = article.querySelector(".matrix-pages");
    this.clearButton = form.querySelector(".matrix-clear");
    this.sorters = [...this.table.querySelectorAll(".matrix-sort")];
    this.filterLinks = [...article.querySelectorAll("a[data-carry]")].map((link) => [link, link.href]);
    this.view = new MatrixView(this.table, signsOf(article), form.dataset.results);
    this.allowedValues = allowedValuesOf(form, this.sorters);
    this.rowsPerPage = Number(form.dataset.rowsOfAPage);
    this.data = null;
    this.loading = null;
    this.isWaiting = false;
    this.drawnQuery = ""; // the query of the rows on the page
    this.isTyping = false;
  }

  start() {
    this.form.hidden = false;
    for (const button of this.sorters) button.hidden = false;
    for (const area of [this.form, this.table.tHead, this.pages]) {
      for (const type of ["pointerenter", "focusin"]) area?.addEventListener(type, () => this.load().catch(() => {}));
    }
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", ({ target }) => this.filter(target.name === "text"));
    for (const button of [this.clearButton, this.empty.querySelector("button")]) {
      button.addEventListener("click", () => this.clearAll());
    }
    for (const button of this.sorters) {
      button.addEventListener("click", () => this.setState(sorted(this.state, button.dataset.sort)));
    }
    this.pages?.addEventListener("click", (event) => this.handlePageClick(event));
    addEventListener("popstate", () => this.readAddress());
    const earlyValues = [...new FormData(this.form)].filter(([, value]) => value);
    this.readAddress();
    if (earlyValues.length && !location.search) this.applyEarlyValues(earlyValues);
  }

  /** Apply the filters that the reader set before this script was loaded. */
  applyEarlyValues(earlyValues) {
    for (const [name, value] of earlyValues) this.form.elements.namedItem(name).value = value;
    this.filter(true);
  }

  /** Set the state from the address. An address without filters needs no data at first, as the page has those rows. */
  readAddress() {
    this.isTyping = false;
    this.state = readState(location.search, this.allowedValues);
    for (const name of ["text", "accelerator", "dtype", "outcome"]) {
      const control = this.form.elements.namedItem(name);
      if (control) control.value = this.state[name];
    }
    if (queryOf(this.state) !== this.drawnQuery) this.show();
  }

  filter(isTyping) {
    const filters = Object.fromEntries(new FormData(this.form));
    const replace = isTyping && this.isTyping; // consecutive typing is one entry of the browser's history
    this.setState({ ...this.state, ...filters, text: filters.text.trim(), page: 1 }, { replace });
    this.isTyping = isTyping;
  }

  clearAll() {
    if (!isFiltered(this.state)) return;
    const inEmpty = this.empty.contains(document.activeElement);
    this.setState(unfiltered(this.state));
    for (const control of this.form.elements) if (control.name) control.value = "";
    if (inEmpty) this.box.focus({ preventScroll: true }); // the focused button is now hidden
  }

  handlePageClick(event) {
    const link = event.target.closest("a[data-page]");
    if (!link || !opensHere(event)) return;
    event.preventDefault();
    this.setState({ ...this.state, page: Number(link.dataset.page) });
    this.box.focus({ preventScroll: true });
    this.box.scrollIntoView({ block: "nearest" });
  }

  setState(state, { replace = false } = {}) {
    this.isTyping = false;
    this.state = state;
    const address = location.pathname + queryOf(state) + location.hash;
    history[replace ? "replaceState" : "pushState"](null, "", address);
    this.show();
  }

  /** Draw the state: at once if the data is loaded, so that it is in the next frame. */
  show() {
    for (const [link, href] of this.filterLinks) link.href = href + filtersOf(this.state);
    if (this.data) {
      this.draw();
      return;
    }
    if (!this.isWaiting) this.drawWhenLoaded();
  }

  /** Load the data, then draw the state as it is by then. */
  async drawWhenLoaded() {
    this.isWaiting = true;
    this.status.textContent = "Loading the table…";
    try {
      await this.load();
      this.draw();
    } catch (error) {
      console.info("matrix:", error);
      this.status.textContent = LOAD_ERROR;
    }
    this.isWaiting = false;
  }

  load() {
    this.loading ??= readMatrix(this.form, this.table).catch((error) => {
      this.loading = null; // the next use tries again
      throw error;
    });
    return this.loading.then((data) => {
      if (this.data !== data) this.view.keepWidth(data.tests.map(({ name }) => name));
      this.data = data;
    });
  }

  draw() {
    const { columns, tests, sorting, silent } = select(this.data, this.state);
    const pages = pagesOf(tests.length, this.rowsPerPage);
    const page = pages[this.state.page - 1] ?? pages[0];
    this.box.scrollTop = 0; // before anything changes: afterwards it would need a layout of its own
    this.view.head(this.data.columns, columns, sorting);
    this.view.rows(this.data.columns, columns, tests.slice(page.first - 1, page.last));
    this.box.hidden = tests.length === 0;
    this.empty.hidden = tests.length > 0;
    const address = (pageNumber) => queryOf({ ...this.state, page: pageNumber }) || location.pathname;
    if (this.pages) drawPages(this.pages, pages, page.number, number(tests.length), address);
    this.clearButton.setAttribute("aria-disabled", String(!isFiltered(this.state))); // unlike `disabled`, it keeps the focus
    const counts = { count: tests.length, rows: this.rowsPerPage, total: this.data.tests.length, silent, columns: columns.length };
    this.status.textContent = sentence({ ...counts, page, sorting, state: this.state, words: this.filterWords() });
    this.drawnQuery = queryOf(this.state);
  }

  /** Functions that return the words for each filter and for a column, as the page shows them. */
  filterWords() {
    const selectedText = (name) => () => this.form.elements.namedItem(name).selectedOptions[0].textContent;
    return {
      text: (text) => `“${text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text}”`,
      accelerator: selectedText("accelerator"),
      dtype: selectedText("dtype"),
      outcome: selectedText("outcome"),
      column: (index) => `${this.data.columns[index].name}, ${this.data.columns[index].like}`,
    };
  }
}

/** Fetch the data of the table, and check that it has the columns of the page. */
async function readMatrix({ dataset }, table) {
  const { matrices } = await readJson(dataset.matrix);
  const matrix = matrices.find(({ mode }) => mode === dataset.mode);
  const columnCount = table.tHead.rows[1].cells.length - 1;
  if (matrix?.columns.length !== columnCount) throw new Error("the data is of another day than the page");
  return prepare(matrix, dataset.worstFirst.split(" "));
}

/** The sign of each outcome, an element of the legend. */
function signsOf(article) {
  const items = [...article.querySelectorAll(".matrix-legend [data-outcome]")];
  return new Map(items.map((item) => [item.dataset.outcome, item.querySelector(".outcome")]));
}

/** The values that each URL parameter may have. */
function allowedValuesOf(form, sorters) {
  const allowedValues = { sort: sorters.map(({ dataset }) => dataset.sort), order: ["ascending", "descending"] };
  for (const select of form.querySelectorAll("select")) allowedValues[select.name] = [...select.options].map(({ value }) => value);
  return allowedValues;
}
