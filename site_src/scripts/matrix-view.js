// Draws a matrix of results: the head with the visible columns, the rows of one page, and the links to the other pages.
// Names come from vendors: they are inserted as text and as values of attributes, never as markup.

import { element } from "./elements.js";
import { linkedPages, range } from "./matrix-model.js";

// How many cells are drawn at once, but at least so many rows, to fill a screen. The next frame draws the others.
const CELLS_AT_ONCE = 1_500;
const MIN_ROWS_AT_ONCE = 30;

export class MatrixView {
  constructor(table, signs, results) {
    this.table = table;
    this.body = table.tBodies[0];
    this.signs = signs;
    this.results = results;
    this.cellCache = new Map();
    this.frame = 0;
    this.timer = 0;
  }

  /** Show only the columns with these indexes, and mark the one that is sorted. */
  head(columns, columnIndexes, { sort, order }) {
    const visibleColumns = new Set(columnIndexes);
    const [groupRow, headRow] = this.table.tHead.rows;
    const spans = new Map();
    for (const [index, column] of columns.entries()) {
      headRow.cells[index + 1].hidden = !visibleColumns.has(index);
      spans.set(column.like, (spans.get(column.like) ?? 0) + visibleColumns.has(index));
    }
    for (const [index, span] of [...spans.values()].entries()) {
      const group = groupRow.cells[index + 1];
      group.hidden = span === 0;
      if (span) group.colSpan = span;
    }
    for (const button of headRow.querySelectorAll("[data-sort]")) {
      const headCell = button.closest("th");
      if (button.dataset.sort === sort) headCell.setAttribute("aria-sort", order);
      else headCell.removeAttribute("aria-sort");
    }
  }

  /** Draw the rows of these tests, the first ones at once. */
  rows(columns, columnIndexes, tests) {
    const rowsOf = (someTests) => {
      const fragment = document.createDocumentFragment();
      for (const test of someTests) fragment.append(this.#row(columns, columnIndexes, test));
      return fragment;
    };
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    const atOnce = Math.max(MIN_ROWS_AT_ONCE, Math.ceil(CELLS_AT_ONCE / Math.max(1, columnIndexes.length)));
    this.body.replaceChildren(rowsOf(tests.slice(0, atOnce)));
    const laterTests = tests.slice(atOnce);
    if (laterTests.length === 0) return;
    this.frame = requestAnimationFrame(() => {
      this.timer = setTimeout(() => this.body.append(rowsOf(laterTests)));
    });
  }

  /** Make the first column as wide as the longest of all names, so that other rows do not change its width. */
  keepWidth(names) {
    const context = document.createElement("canvas").getContext("2d");
    context.font = getComputedStyle(this.body.querySelector("th a") ?? this.body).font;
    const widest = names.reduce((width, name) => Math.max(width, context.measureText(name).width), 0);
    this.table.style.setProperty("--matrix-names", `${Math.ceil(widest)}px`);
  }

  #row(columns, columnIndexes, test) {
    const address = this.results + test.address;
    const row = element("tr", "result-row");
    const headCell = element("th");
    headCell.scope = "row";
    const nameLink = element("a", "", test.name);
    nameLink.href = address;
    headCell.append(nameLink);
    row.append(headCell);
    for (const index of columnIndexes) {
      const cell = this.#cell(columns[index], index, test.outcomes[index]).cloneNode(true);
      if (cell.firstChild) cell.firstChild.href = address + columns[index].evidence;
      row.append(cell);
    }
    return row;
  }

  /** A cell to clone: cells of one column with the same outcome differ only in the address of their link. */
  #cell(column, index, outcome) {
    const key = `${index} ${outcome}`;
    if (!this.cellCache.has(key)) this.cellCache.set(key, this.#newCell(column, outcome));
    return this.cellCache.get(key);
  }

  /** A new cell with a single element in it, or none without evidence, as thousands of cells are drawn in one frame. */
  #newCell(column, outcome) {
    const cell = element("td");
    if (outcome === null) return cell;
    const isExpected = column.kind === "baseline";
    const sign = this.signs.get(outcome);
    const { words, expected } = sign.parentElement.dataset;
    const label = isExpected ? expected : words;
    const inner = element("a", `${sign.className}${isExpected ? " is-expected" : ""}`, sign.textContent);
    inner.setAttribute("aria-label", label);
    inner.href = "";
    inner.title = `${column.name}, ${column.like}: ${label}${isExpected ? ", not run" : ""}`;
    cell.append(inner);
    return cell;
  }
}

/** Draw the links to the pages of rows; `address` returns the address of a page number. With one page, hide the box. */
export function drawPages(box, pages, current, total, address) {
  const list = element("ul");
  let lastNumber = 0;
  for (const page of linkedPages(pages, current)) {
    if (page.number > lastNumber + 1) list.append(element("li", "note", "…"));
    lastNumber = page.number;
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
