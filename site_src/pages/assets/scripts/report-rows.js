// All tests of a report: a page of rows at a time, read from the files that have them. The choice stands in the address:
// ?outcome=failed&suite=operators&text=conv&rows=2

import { element, link, setText } from "./elements.js";
import { addressOf, folderOf } from "./compare-reports-model.js";
import { number } from "./matrix-model.js";
import { countOf, intervalsOf, partsOf, sliceOf } from "./report-rows-model.js";
import { Shards } from "./shards.js";
import { unreadable } from "./shards-view.js";

const ROWS = 100; // a page
const AT_ONCE = 4; // files that a search reads side by side
const NAMES = ["outcome", "suite", "text"];

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
    this.trouble = article.querySelector("[data-part=trouble]");
    this.pages = article.querySelector("[data-part=pages]");
    this.signs = new Map([...article.querySelectorAll("[data-part=signs] [data-outcome]")].map((sign) => [sign.dataset.outcome, sign]));
    this.shards = new Shards(form.dataset.rows);
    this.asked = 0;
  }

  /** Nothing is read before the table comes into sight, unless the address asks for a part of it. */
  start() {
    this.form.hidden = false;
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.go({ ...Object.fromEntries(new FormData(this.form)), rows: 1 }, true));
    this.pages.addEventListener("click", ({ target }) => {
      const step = Number(target.closest("button")?.dataset.step ?? 0);
      if (step) this.go({ ...this.state, rows: this.state.rows + step }, false);
    });
    addEventListener("popstate", () => this.read());
    const asks = NAMES.some((name) => new URLSearchParams(location.search).get(name));
    const sight = new IntersectionObserver((seen) => {
      if (!asks && !seen.some(({ isIntersecting }) => isIntersecting)) return;
      sight.disconnect();
      this.read();
    });
    sight.observe(this.form);
  }

  read() {
    const query = new URLSearchParams(location.search);
    const rows = Number(query.get("rows"));
    this.state = { rows: Number.isInteger(rows) && rows > 0 ? rows : 1 };
    for (const name of NAMES) {
      const control = this.form.elements[name];
      control.value = query.get(name) ?? "";
      if (control.selectedIndex === -1) control.selectedIndex = 0; // there is no such value
      this.state[name] = control.value;
    }
    this.show();
  }

  go(state, replace) {
    this.state = state;
    const set = Object.entries(state).filter(([name, value]) => value !== "" && !(name === "rows" && value === 1));
    const query = new URLSearchParams(set).toString();
    history[replace ? "replaceState" : "pushState"](null, "", (query ? `?${query}` : location.pathname) + location.hash);
    this.show();
  }

  async show() {
    const asked = ++this.asked;
    const wanted = () => asked === this.asked;
    this.trouble.replaceChildren();
    setText(this.status, "Loading the tests…");
    try {
      const index = await this.shards.index();
      const intervals = intervalsOf(index.ranges, this.state);
      if (!wanted()) return;
      if (this.state.text.trim()) await this.search(index, intervals, wanted);
      else await this.page(index, intervals, wanted);
    } catch (error) {
      if (!wanted()) return;
      setText(this.status, "");
      this.trouble.replaceChildren(unreadable(error, () => this.show()));
    }
  }

  async page(index, intervals, wanted) {
    const total = countOf(intervals);
    const first = Math.min(this.state.rows - 1, Math.max(0, Math.ceil(total / ROWS) - 1)) * ROWS;
    const rows = await this.rowsOf(partsOf(index.files, sliceOf(intervals, first, ROWS)));
    if (!wanted()) return;
    this.draw(rows);
    this.turning(first > 0, first + ROWS < total);
    setText(this.status, total ? `Tests ${number(first + 1)}–${number(first + rows.length)} of ${number(total)}.` : "No test has this outcome in this suite.");
  }

  async rowsOf(parts) {
    const files = await Promise.all(parts.map(({ name }) => this.shards.file(name)));
    return files.flatMap(({ rows }, place) => rows.slice(parts[place].first, parts[place].end));
  }

  /** Looks through the files of the chosen outcome and suite until a page of rows is found. */
  async search(index, intervals, wanted) {
    const words = this.state.text.trim().toLowerCase();
    const parts = partsOf(index.files, intervals);
    const found = [];
    for (let read = 0; read < parts.length && found.length <= ROWS; read += AT_ONCE) {
      const rows = await this.rowsOf(parts.slice(read, read + AT_ONCE));
      if (!wanted()) return;
      found.push(...rows.filter(({ name }) => name.toLowerCase().includes(words)));
      this.draw(found.slice(0, ROWS));
      setText(this.status, `Searched ${number(Math.min(read + AT_ONCE, parts.length))} of ${number(parts.length)} files…`);
    }
    this.turning(false, false);
    if (found.length > ROWS) setText(this.status, `The first ${ROWS} tests found. Type more of the name to see others.`);
    else setText(this.status, `${number(found.length)} ${found.length === 1 ? "test" : "tests"} found in ${number(countOf(intervals))}.`);
  }

  turning(back, forth) {
    this.pages.hidden = !back && !forth;
    const [previous, next] = this.pages.querySelectorAll("button");
    previous.setAttribute("aria-disabled", String(!back)); // they keep the focus
    next.setAttribute("aria-disabled", String(!forth));
    previous.dataset.step = back ? "-1" : "0";
    next.dataset.step = forth ? "1" : "0";
  }

  draw(rows) {
    this.box.hidden = rows.length === 0;
    this.body.replaceChildren(...rows.map((row) => this.row(row)));
  }

  row(test) {
    const made = element("tr");
    const name = link(`${this.form.dataset.results}${folderOf(test.suite)}/tests/`, `${test.suite}/${test.name}`);
    addressOf(test).then((address) => (name.href = this.form.dataset.results + address));
    const outcome = document.createDocumentFragment();
    outcome.append(this.signs.get(test.outcome).firstElementChild.cloneNode(true), ` ${test.outcome.replaceAll("-", " ")}`);
    if (test.reason) outcome.append(" ", element("span", "note", test.reason));
    if (/^https?:\/\//.test(test.known_issue ?? "")) {
      const issue = link(test.known_issue, "known issue");
      issue.rel = "nofollow noopener noreferrer";
      outcome.append(" ", issue);
    }
    const raw = test.raw_status ? element("code", "", test.raw_status) : "";
    for (const value of [name, test.settings ?? "", outcome, raw]) made.insertCell().append(value);
    return made;
  }
}
