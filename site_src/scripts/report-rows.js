// Shows the tests of a report, one page of rows at a time, and reads only the files that have these rows.
// The address has the filters and the page: ?outcome=failed&suite=operators&text=conv&rows=2

import { element, setText } from "./elements.js";
import { counted, number } from "./numbers.js";
import { countOf, intervalsOf, partsOf, sliceOf } from "./report-rows-model.js";
import { externalLink, outcomeParts, signsOf, testLink } from "./result-elements.js";
import { Shards } from "./shards.js";
import { searchFiles } from "./shards-search.js";
import { unreadable } from "./shards-view.js";

const ROWS_PER_PAGE = 100;
const FILTERS = ["outcome", "suite", "text"];

export function startReportRows(form) {
  new ReportRows(form).start();
}

class ReportRows {
  constructor(form) {
    const article = form.closest("article");
    this.form = form;
    this.status = form.querySelector(".filters-state");
    this.box = article.querySelector("[data-part=rows]");
    this.body = this.box.querySelector("tbody");
    this.errorBox = article.querySelector("[data-part=trouble]");
    this.pages = article.querySelector("[data-part=pages]");
    this.signs = signsOf(article);
    this.shards = new Shards(form.dataset.rows);
    this.requestCount = 0;
  }

  /** Start when the table is visible, or at once if the address has filters. */
  start() {
    this.form.hidden = false;
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.setState({ ...Object.fromEntries(new FormData(this.form)), rows: 1 }, true));
    this.pages.addEventListener("click", ({ target }) => {
      const step = Number(target.closest("button")?.dataset.step ?? 0);
      if (step) this.setState({ ...this.state, rows: this.state.rows + step }, false);
    });
    addEventListener("popstate", () => this.readAddress());
    const hasFilters = FILTERS.some((name) => new URLSearchParams(location.search).get(name));
    const observer = new IntersectionObserver((entries) => {
      if (!hasFilters && !entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      this.readAddress();
    });
    observer.observe(this.form);
  }

  readAddress() {
    const query = new URLSearchParams(location.search);
    const rows = Number(query.get("rows"));
    this.state = { rows: Number.isInteger(rows) && rows > 0 ? rows : 1 };
    for (const name of FILTERS) {
      const control = this.form.elements[name];
      control.value = query.get(name) ?? "";
      if (control.selectedIndex === -1) control.selectedIndex = 0; // the value does not exist
      this.state[name] = control.value;
    }
    this.show();
  }

  setState(state, replace) {
    this.state = state;
    const parameters = Object.entries(state).filter(([name, value]) => value !== "" && !(name === "rows" && value === 1));
    const query = new URLSearchParams(parameters).toString();
    history[replace ? "replaceState" : "pushState"](null, "", (query ? `?${query}` : location.pathname) + location.hash);
    this.show();
  }

  async show() {
    const request = ++this.requestCount;
    const isCurrent = () => request === this.requestCount;
    this.errorBox.replaceChildren();
    setText(this.status, "Loading the tests…");
    try {
      const index = await this.shards.index();
      const intervals = intervalsOf(index.ranges, this.state);
      if (!isCurrent()) return;
      if (this.state.text.trim()) await this.showSearch(index, intervals, isCurrent);
      else await this.showPage(index, intervals, isCurrent);
    } catch (error) {
      if (!isCurrent()) return;
      setText(this.status, "");
      this.errorBox.replaceChildren(unreadable(error, () => this.show()));
    }
  }

  async showPage(index, intervals, isCurrent) {
    const total = countOf(intervals);
    this.state.rows = Math.min(this.state.rows, Math.max(1, Math.ceil(total / ROWS_PER_PAGE))); // an address can have a page after the last
    const first = (this.state.rows - 1) * ROWS_PER_PAGE;
    const rows = await this.rowsOf(partsOf(index.files, sliceOf(intervals, first, ROWS_PER_PAGE)));
    if (!isCurrent()) return;
    this.draw(rows);
    this.updatePageButtons(first > 0, first + ROWS_PER_PAGE < total);
    setText(this.status, total ? `Tests ${number(first + 1)}–${number(first + rows.length)} of ${number(total)}.` : "No test has this outcome in this suite.");
  }

  async rowsOf(parts) {
    const files = await Promise.all(parts.map(({ name }) => this.shards.file(name)));
    return files.flatMap(({ rows }, index) => rows.slice(parts[index].first, parts[index].end));
  }

  /** Search the files of the selected outcome and suite until the matching rows fill a page. */
  async showSearch(index, intervals, isCurrent) {
    const words = this.state.text.trim().toLowerCase();
    const parts = partsOf(index.files, intervals);
    const read = async (someParts) => (await this.rowsOf(someParts)).filter(({ name }) => name.toLowerCase().includes(words));
    const show = (rows, sentence) => {
      this.draw(rows);
      setText(this.status, sentence);
    };
    const conclusion = (count) => `${counted(count, "test")} found in ${number(countOf(intervals))}.`;
    this.updatePageButtons(false, false);
    await searchFiles(parts, read, { maxRecords: ROWS_PER_PAGE, isCurrent, show, conclusion });
  }

  updatePageButtons(hasPrevious, hasNext) {
    this.pages.hidden = !hasPrevious && !hasNext;
    const [previous, next] = this.pages.querySelectorAll("button");
    previous.setAttribute("aria-disabled", String(!hasPrevious)); // unlike `disabled`, it keeps the focus
    next.setAttribute("aria-disabled", String(!hasNext));
    previous.dataset.step = hasPrevious ? "-1" : "0";
    next.dataset.step = hasNext ? "1" : "0";
  }

  draw(rows) {
    this.box.hidden = rows.length === 0;
    this.body.replaceChildren(...rows.map((row) => this.newRow(row)));
  }

  newRow(test) {
    const tableRow = element("tr");
    const outcome = outcomeParts(test.outcome, this.signs, "expected" in this.form.dataset);
    if (test.reason) outcome.push(" ", element("span", "note", test.reason));
    if (test.known_issue) outcome.push(" ", externalLink(test.known_issue, "known issue"));
    const rawStatus = test.raw_status ? element("code", "", test.raw_status) : "";
    const cells = [testLink(test, this.form.dataset.results), test.settings ?? "", outcome, rawStatus];
    for (const value of cells) tableRow.insertCell().append(...[value].flat());
    return tableRow;
  }
}
