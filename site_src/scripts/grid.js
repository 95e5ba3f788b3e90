// The grid's script: search, columns, differences, order, keys, and the evidence of a cell beside the grid. The address holds
// what differs from the page as it is without it: ?text=…&with=cuda,rocm&sort=cuda&differences=on&basis=run&at=llama@cuda

import { element, opensHere, say, sentences } from "./elements.js";
import { number } from "./numbers.js";

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -Infinity], End: [0, Infinity] };

/** Makes the grid of a form work, and shows what the address asks for. */
export function startGrid(form) {
  new Grid(form);
}

class Grid {
  constructor(form) {
    this.form = form;
    this.box = form.closest(".grid-box");
    this.table = this.box.querySelector("table.grid-table");
    this.heads = [...this.table.querySelectorAll("[data-column]")];
    this.rows = [...this.table.querySelectorAll("[data-row]")];
    this.bodies = [...this.table.tBodies];
    this.ids = this.heads.map((head) => head.dataset.column);
    this.usual = this.box.dataset.shown?.split(",") ?? this.ids;
    this.bases = [...this.box.querySelectorAll("input[name=basis]")];
    this.hiding = document.head.appendChild(element("style"));
    this.texts = new Map(this.rows.map((row) => [row, `${row.cells[0].textContent} ${row.dataset.words ?? ""}`.toLowerCase()]));
    this.places = new Map(this.rows.map((row) => [row, row.parentElement]));
    form.hidden = false;
    this.addSorting();
    this.listen();
    this.read();
    this.show();
    if (this.state.at) this.open(this.cellAt(this.state.at));
  }

  addSorting() {
    for (const head of this.heads) {
      const button = element("button", "grid-sort");
      button.type = "button";
      button.title = say("Sort by {column}", { column: head.textContent.trim() });
      button.setAttribute("aria-label", button.title);
      button.addEventListener("click", () => this.change({ sort: this.state.sort === head.dataset.column ? "" : head.dataset.column }));
      head.firstElementChild.append(button);
    }
  }

  listen() {
    const { form, table } = this;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => {
      const chosen = [...form.querySelectorAll("[name=with]:checked")].map((box) => box.value);
      this.change({ text: form.text.value, differences: Boolean(form.differences?.checked), columns: chosen.length ? chosen : this.usual });
    });
    form.querySelector("[data-all]").addEventListener("click", () => this.change({ columns: this.ids }));
    for (const box of this.bases) box.addEventListener("change", () => this.change({}));
    if ("panel" in this.box.dataset) table.addEventListener("click", (event) => this.clicked(event));
    table.addEventListener("keydown", (event) => this.moved(event));
    addEventListener("resize", () => this.fit());
    addEventListener("popstate", () => {
      this.read();
      this.show();
    });
    // One stop of the tab key; the arrows move on from it.
    table.querySelectorAll("tbody td > a").forEach((link, index) => (link.tabIndex = index ? -1 : 0));
  }

  read() {
    const query = new URLSearchParams(location.search);
    const asked = query.getAll("with").join(",").split(",").filter(Boolean);
    const known = this.ids.filter((id) => asked.includes(id) || asked.includes("all"));
    this.unknown = asked.filter((id) => id !== "all" && !this.ids.includes(id));
    this.state = {
      text: query.get("text") ?? "",
      columns: known.length ? known : this.usual,
      sort: this.ids.includes(query.get("sort")) ? query.get("sort") : "",
      differences: query.has("differences") && Boolean(this.form.differences),
      at: query.get("at") ?? "",
    };
    const bases = (query.get("basis") ?? "").split(",");
    const isFiltered = this.bases.some((box) => bases.includes(box.value));
    for (const box of this.bases) box.checked = !isFiltered || bases.includes(box.value);
  }

  write() {
    const { text, columns, sort, differences, at } = this.state;
    const query = new URLSearchParams(location.search); // the selector of the same page has its own
    for (const name of ["text", "with", "sort", "differences", "basis", "at"]) query.delete(name);
    const bases = this.bases.filter((box) => box.checked).map((box) => box.value);
    if (text) query.set("text", text);
    if (columns.join() !== this.usual.join()) query.set("with", columns.length === this.ids.length ? "all" : columns.join());
    if (sort) query.set("sort", sort);
    if (differences) query.set("differences", "on");
    if (bases.length < this.bases.length) query.set("basis", bases.join());
    if (at) query.set("at", at);
    const address = query.toString().replaceAll("%2C", ",").replace("%40", "@");
    history.replaceState(null, "", (address ? `?${address}` : location.pathname) + location.hash);
  }

  change(part) {
    this.unknown = [];
    Object.assign(this.state, part);
    this.show();
  }

  show() {
    const { text, columns, sort, differences } = this.state;
    this.form.text.value = text;
    if (this.form.differences) this.form.differences.checked = differences;
    for (const box of this.form.querySelectorAll("[name=with]")) box.checked = columns.includes(box.value);
    this.showColumns(new Set(columns));
    const { shown, reason } = this.matching();
    for (const row of this.rows) row.hidden = !shown.includes(row);
    this.order(sort);
    for (const link of this.box.querySelectorAll(".grid-presets a")) {
      link.toggleAttribute("aria-current", new URL(link.href).searchParams.get("with") === columns.join());
    }
    const count = columns.length < this.ids.length ? `${number(columns.length)} / ${number(this.ids.length)}` : "";
    this.form.querySelector("summary span").textContent = count;
    this.form.querySelector(".filters-state").textContent = sentences([...this.complaints(), ...reason, this.counted(shown.length)]);
    this.fit();
    this.write();
  }

  complaints() {
    return this.unknown.map((id) => say("There is no column “{id}”; ignored.", { id: id.slice(0, 40) }));
  }

  counted(shown) {
    const counts = { shown: number(shown), all: number(this.rows.length) };
    return shown < this.rows.length ? say("{shown} of {all} rows", counts) : say("{all} rows", counts);
  }

  /** The rows that have all words, differ if that is asked, and have evidence of a selected kind. */
  matching() {
    const words = this.state.text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean); // "Llama-3.1-8B" is two words or more
    const withWords = (some) => this.rows.filter((row) => some.every((word) => this.texts.get(row).includes(word)) && this.isShown(row));
    const exact = withWords(words);
    if (exact.length || words.length < 2) return { shown: exact, reason: [] };
    const shown = withWords(words.slice(0, 1));
    return { shown, reason: shown.length ? [say("No row matches all words. The first word matches these.")] : [] };
  }

  isShown(row) {
    const cells = this.shownIndexes().map((index) => row.cells[index]);
    const bases = this.bases.filter((box) => box.checked).map((box) => `.${box.value}`).join();
    const isOfBasis = bases && cells.some((cell) => cell.querySelector(bases));
    const differs = !this.state.differences || new Set(cells.map(look)).size > 1;
    const isWhole = this.bases.every((box) => box.checked) && this.state.columns.length === this.ids.length;
    const isFilled = isWhole || cells.some((cell) => cell.hasChildNodes());
    return differs && isFilled && (isOfBasis || this.bases.every((box) => box.checked));
  }

  shownIndexes() {
    return this.ids.flatMap((id, index) => (this.state.columns.includes(id) ? [index + 1] : []));
  }

  showColumns(shown) {
    const hidden = this.ids.flatMap((id, index) => (shown.has(id) ? [] : [`#${this.box.id} .grid-table tr:not([class]) > :nth-child(${index + 2})`]));
    this.hiding.textContent = hidden.length ? `${hidden.join()} { display: none }` : "";
    let next = 0;
    for (const title of this.table.querySelectorAll(".grid-groups > * + *")) {
      title.dataset.columns ??= title.colSpan;
      const count = this.ids.slice(next, (next += Number(title.dataset.columns))).filter((id) => shown.has(id)).length;
      title.hidden = count === 0;
      title.colSpan = count || 1;
    }
  }

  /** Sorts all rows by a column, the best first; without a column, puts them back into their groups. */
  order(id) {
    for (const head of this.heads) {
      if (head.dataset.column === id) head.setAttribute("aria-sort", "descending");
      else head.removeAttribute("aria-sort");
    }
    const index = this.ids.indexOf(id) + 1;
    const value = (row) => Number(row.cells[index].dataset.order ?? -Infinity);
    if (this.ordered !== id && (this.ordered || id)) {
      const rows = index ? [...this.rows].sort((a, b) => value(b) - value(a)) : this.rows;
      for (const row of rows) (index ? this.bodies[0] : this.places.get(row)).append(row);
    }
    this.ordered = id;
    for (const body of this.bodies) {
      const group = body.querySelector(".grid-group");
      if (group) group.hidden = Boolean(index) || ![...body.rows].some((row) => row.dataset.row && !row.hidden);
    }
  }

  /** Lets the page scroll if the whole width is visible, with the heads at the window's edge; else the grid scrolls by itself. */
  fit() {
    this.box.classList.remove("fits");
    this.box.classList.toggle("fits", this.table.offsetWidth <= this.table.parentElement.clientWidth + 1);
  }

  clicked(event) {
    const link = event.target.closest("td > a");
    if (!link || !opensHere(event)) return;
    event.preventDefault();
    this.open(link.parentElement);
  }

  cellAt(at) {
    const [row, column] = at.split("@");
    const index = this.ids.indexOf(column);
    return index < 0 ? undefined : this.rows.find((one) => one.dataset.row === row)?.cells[index + 1];
  }

  /** Shows what is behind a cell; if it cannot be read, opens the page. */
  async open(cell) {
    const link = cell?.querySelector("a");
    if (!link) return;
    const head = this.heads[cell.cellIndex - 1];
    this.table.querySelector(".is-open")?.classList.remove("is-open");
    cell.classList.add("is-open");
    this.state.at = `${cell.parentElement.dataset.row}@${head.dataset.column}`;
    this.write();
    try {
      const { showEvidence } = await import("./evidence.js");
      const reading = showEvidence(link, head.innerText.trim().split("\n")[0], () => this.closed(cell));
      this.fit();
      cell.scrollIntoView({ block: "nearest", inline: "nearest" });
      await reading;
    } catch {
      location.assign(link.href);
    }
  }

  closed(cell) {
    cell.classList.remove("is-open");
    this.state.at = "";
    this.write();
    this.fit();
  }

  moved(event) {
    const cell = event.target.closest("td");
    const step = STEPS[event.key];
    if (!step || !cell) return;
    event.preventDefault();
    const rows = [...this.table.querySelectorAll("[data-row]:not([hidden])")];
    const near = (list, from, by) => list[Math.max(0, Math.min(list.length - 1, list.indexOf(from) + by))];
    const next = near(rows, cell.parentElement, step[0]).cells[near(this.shownIndexes(), cell.cellIndex, step[1])];
    const target = next.querySelector("a") ?? next;
    for (const old of this.table.querySelectorAll("td[tabindex='0'], td [tabindex='0']")) old.tabIndex = -1;
    target.tabIndex = 0;
    target.focus();
  }
}

/** What a reader sees of a cell: its marks, whatever their evidence, and its words unless a mark says the same. */
function look(cell) {
  const marks = [...cell.querySelectorAll(".mark")];
  const isCounted = !marks.length || marks.some((mark) => mark.matches(".gap, .meter"));
  return marks.map((mark) => mark.className.replace(/\b(run|expected|stated) /, "")).join() + (isCounted ? cell.textContent.trim() : "");
}
