// The matrix of a suite: filters, sorting and pages of rows, all kept in the address.
// The page holds the first rows already; the data of the others is loaded at the reader's first touch.

import { filtersOf, isFiltered, number, pagesOf, prepare, queryOf, readState, select, sentence, sorted, unfiltered } from "./matrix-model.js";
import { drawPages, MatrixView } from "./matrix-view.js";

const FAILED = "The data of this table could not be read. Try again, or use the static pages, which have all rows.";

const LONG = 40; // more of what is looked for need not be repeated

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
    this.clear = form.querySelector(".matrix-clear");
    this.sorters = [...this.table.querySelectorAll(".matrix-sort")];
    this.carriers = [...article.querySelectorAll("a[data-carry]")].map((link) => [link, link.href]);
    this.view = new MatrixView(this.table, signsOf(article), form.dataset.results);
    this.known = knownOf(form, this.sorters);
    this.rows = Number(form.dataset.rowsOfAPage);
    this.data = null;
    this.loading = null;
    this.waiting = false;
    this.drawn = ""; // the address of what is on the page
    this.typing = false;
  }

  start() {
    this.form.hidden = false;
    for (const button of this.sorters) button.hidden = false;
    for (const part of [this.form, this.table.tHead, this.pages]) {
      for (const touch of ["pointerenter", "focusin"]) part?.addEventListener(touch, () => this.load().catch(() => {}));
    }
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", ({ target }) => this.filter(target.name === "text"));
    for (const button of [this.clear, this.empty.querySelector("button")]) {
      button.addEventListener("click", () => this.clearAll());
    }
    for (const button of this.sorters) {
      button.addEventListener("click", () => this.go(sorted(this.state, button.dataset.sort)));
    }
    this.pages?.addEventListener("click", (event) => this.turn(event));
    addEventListener("popstate", () => this.read());
    const early = [...new FormData(this.form)].filter(([, value]) => value);
    this.read();
    if (early.length && !location.search) this.takeOver(early);
  }

  /** What the reader chose before this script had come counts. */
  takeOver(early) {
    for (const [name, value] of early) this.form.elements.namedItem(name).value = value;
    this.filter(true);
  }

  /** Takes the state from the address; an address that asks for nothing needs no data at first. */
  read() {
    this.typing = false;
    this.state = readState(location.search, this.known);
    for (const name of ["text", "accelerator", "dtype", "outcome"]) {
      const control = this.form.elements.namedItem(name);
      if (control) control.value = this.state[name];
    }
    if (queryOf(this.state) !== this.drawn) this.show();
  }

  filter(typing) {
    const chosen = Object.fromEntries(new FormData(this.form));
    const replace = typing && this.typing; // what is typed in one go is one step back
    this.go({ ...this.state, ...chosen, text: chosen.text.trim(), page: 1 }, { replace });
    this.typing = typing;
  }

  clearAll() {
    if (!isFiltered(this.state)) return;
    const inEmpty = this.empty.contains(document.activeElement);
    this.go(unfiltered(this.state));
    for (const control of this.form.elements) if (control.name) control.value = "";
    if (inEmpty) this.box.focus({ preventScroll: true }); // the button is gone with its sentence
  }

  turn(event) {
    const link = event.target.closest("a[data-page]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.go({ ...this.state, page: Number(link.dataset.page) });
    this.box.focus({ preventScroll: true });
    this.box.scrollIntoView({ block: "nearest" });
  }

  go(state, { replace = false } = {}) {
    this.typing = false;
    this.state = state;
    const address = location.pathname + queryOf(state) + location.hash;
    history[replace ? "replaceState" : "pushState"](null, "", address);
    this.show();
  }

  /** Draws the state; at once where the data is here, so that it is in the next frame. */
  show() {
    for (const [link, href] of this.carriers) link.href = href + filtersOf(this.state);
    if (this.data) {
      this.draw();
      return;
    }
    if (!this.waiting) this.wait();
  }

  /** Draws what is asked for when the data is there, however often that changes until then. */
  async wait() {
    this.waiting = true;
    this.status.textContent = "Loading the table…";
    try {
      await this.load();
      this.draw();
    } catch (error) {
      console.info("matrix:", error);
      this.status.textContent = FAILED;
    }
    this.waiting = false;
  }

  load() {
    this.loading ??= read(this.form, this.table).catch((error) => {
      this.loading = null; // the next touch tries again
      throw error;
    });
    return this.loading.then((data) => {
      if (this.data !== data) this.view.keepWidth(data.tests.map(({ name }) => name));
      this.data = data;
    });
  }

  draw() {
    const { columns, tests, sorting, silent } = select(this.data, this.state);
    const pages = pagesOf(tests.length, this.rows);
    const page = pages[this.state.page - 1] ?? pages[0];
    this.box.scrollTop = 0; // before anything changes: afterwards it would cost a layout of its own
    this.view.head(this.data.columns, columns, sorting);
    this.view.rows(this.data.columns, columns, tests.slice(page.first - 1, page.last));
    this.box.hidden = tests.length === 0;
    this.empty.hidden = tests.length > 0;
    const address = (wanted) => queryOf({ ...this.state, page: wanted }) || location.pathname;
    if (this.pages) drawPages(this.pages, pages, page.number, number(tests.length), address);
    this.clear.setAttribute("aria-disabled", String(!isFiltered(this.state))); // it keeps the focus
    const counts = { count: tests.length, rows: this.rows, total: this.data.tests.length, silent, columns: columns.length };
    this.status.textContent = sentence({ ...counts, page, sorting, state: this.state, words: this.words() });
    this.drawn = queryOf(this.state);
  }

  /** How the choices are called on the page. */
  words() {
    const chosen = (name) => () => this.form.elements.namedItem(name).selectedOptions[0].textContent;
    return {
      text: (text) => `“${text.length > LONG ? `${text.slice(0, LONG)}…` : text}”`,
      accelerator: chosen("accelerator"),
      dtype: chosen("dtype"),
      outcome: chosen("outcome"),
      column: (place) => `${this.data.columns[place].name}, ${this.data.columns[place].like}`,
    };
  }
}

async function read({ dataset }, table) {
  const answer = await fetch(dataset.matrix);
  if (!answer.ok) throw new Error(`${answer.status} for ${dataset.matrix}`);
  const { matrices } = await answer.json();
  const found = matrices.find(({ mode }) => mode === dataset.mode);
  const columns = table.tHead.rows[1].cells.length - 1;
  if (found?.columns.length !== columns) throw new Error("the data is of another day than the page");
  return prepare(found, dataset.worstFirst.split(" "));
}

/** The sign of each outcome, from the legend. */
function signsOf(article) {
  const items = [...article.querySelectorAll(".matrix-legend [data-outcome]")];
  return new Map(items.map((item) => [item.dataset.outcome, item.querySelector(".outcome")]));
}

/** The values that an address may give to each name. */
function knownOf(form, sorters) {
  const known = { sort: sorters.map(({ dataset }) => dataset.sort), order: ["ascending", "descending"] };
  for (const select of form.querySelectorAll("select")) known[select.name] = [...select.options].map(({ value }) => value);
  return known;
}
