// Draws a matrix: which columns of the head are there, the rows of one page, the links to the other pages.
// Names come from vendors: they are put in as text and as attributes' values, never as markup.

import { element } from "./elements.js";
import { linkedPages, NO_EVIDENCE, range } from "./matrix-model.js";

// So many cells are drawn at once, but never fewer rows than a screen shows; the others after the frame that shows them.
const CELLS_AT_ONCE = 1_500;
const LEAST_AT_ONCE = 30;

export class MatrixView {
  constructor(table, signs, results) {
    this.table = table;
    this.body = table.tBodies[0];
    this.signs = signs;
    this.results = results;
    this.cells = new Map();
    this.frame = 0;
    this.later = 0;
  }

  /** Shows only the columns at `places`, and says which one is sorted, and how. */
  head(columns, places, { sort, order }) {
    const kept = new Set(places);
    const [groups, heads] = this.table.tHead.rows;
    const spans = new Map();
    for (const [place, column] of columns.entries()) {
      heads.cells[place + 1].hidden = !kept.has(place);
      spans.set(column.like, (spans.get(column.like) ?? 0) + kept.has(place));
    }
    for (const [place, span] of [...spans.values()].entries()) {
      const group = groups.cells[place + 1];
      group.hidden = span === 0;
      if (span) group.colSpan = span;
    }
    for (const button of heads.querySelectorAll("[data-sort]")) {
      const head = button.closest("th");
      if (button.dataset.sort === sort) head.setAttribute("aria-sort", order);
      else head.removeAttribute("aria-sort");
    }
  }

  rows(columns, places, tests) {
    const draw = (some) => {
      const made = document.createDocumentFragment();
      for (const test of some) made.append(this.#row(columns, places, test));
      return made;
    };
    cancelAnimationFrame(this.frame);
    clearTimeout(this.later);
    const atOnce = Math.max(LEAST_AT_ONCE, Math.ceil(CELLS_AT_ONCE / Math.max(1, places.length)));
    this.body.replaceChildren(draw(tests.slice(0, atOnce)));
    const rest = tests.slice(atOnce);
    if (rest.length === 0) return;
    this.frame = requestAnimationFrame(() => {
      this.later = setTimeout(() => this.body.append(draw(rest)));
    });
  }

  /** Keeps the first column as wide as its longest name, whichever names are shown: nothing moves sideways. */
  keepWidth(names) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = getComputedStyle(this.body.querySelector("th a") ?? this.body).font;
    const widest = names.reduce((most, name) => Math.max(most, pen.measureText(name).width), 0);
    this.table.style.setProperty("--matrix-names", `${Math.ceil(widest)}px`);
  }

  #row(columns, places, test) {
    const address = this.results + test.address;
    const row = element("tr", "result-row");
    const head = element("th");
    head.scope = "row";
    const name = element("a", "", test.name);
    name.href = address;
    head.append(name);
    row.append(head);
    for (const place of places) {
      const cell = this.#cell(columns[place], place, test.outcomes[place]).cloneNode(true);
      if (cell.firstChild.href !== undefined) cell.firstChild.href = address + columns[place].evidence;
      row.append(cell);
    }
    return row;
  }

  /** A cell to be copied: all with one outcome in one column are alike but for their address. */
  #cell(column, place, outcome) {
    const key = `${place} ${outcome}`;
    if (!this.cells.has(key)) this.cells.set(key, this.#newCell(column, outcome));
    return this.cells.get(key);
  }

  /** One element a cell: four thousand cells are drawn within the frame after the reader's choice. */
  #newCell(column, outcome) {
    const words = (outcome ?? NO_EVIDENCE).replaceAll("-", " ");
    const sign = this.signs.get(outcome ?? NO_EVIDENCE);
    const shown = element(outcome === null ? "span" : "a", sign.className, sign.textContent);
    shown.setAttribute("aria-label", words);
    if (outcome === null) {
      shown.setAttribute("role", "img");
    } else {
      shown.href = "";
      shown.title = `${column.name}, ${column.like}: ${column.kind === "baseline" ? "expected, not run: " : ""}${words}`;
    }
    const cell = element("td");
    cell.append(shown);
    return cell;
  }
}

/** The links to the pages of rows; `address` gives that of a page. Where there is only one, there are none. */
export function drawPages(box, pages, current, total, address) {
  const list = element("ul");
  let last = 0;
  for (const page of linkedPages(pages, current)) {
    if (page.number > last + 1) list.append(element("li", "note", "…"));
    last = page.number;
    const item = element("li");
    const link = element("a", "", `${page.number === 1 ? "rows " : ""}${range(page)}`);
    link.href = address(page.number);
    link.dataset.page = page.number;
    if (page.number === current) link.setAttribute("aria-current", "page");
    item.append(link);
    list.append(item);
  }
  list.append(element("li", "note", `of ${total}`));
  box.replaceChildren(list);
  box.hidden = pages.length === 1;
}
