// Shows what is behind a cell of a table beside the table: the section, the row or the result to which the cell links. It is
// read from that page, or from the files with the suite's tests if the page does not have it.

import { element, link, say } from "./elements.js";
import { signsOf } from "./result-elements.js";
import { Shards } from "./shards.js";
import { resultItem } from "./suite-tests-view.js";

const panels = new Map();

/** Shows what a link of a cell leads to. Rejects if it cannot be read. `closed` is called when the reader closes it. */
export function showEvidence(cell, column = "", closed = () => {}) {
  const box = cell.closest(".matrix-box, .grid-scroll");
  if (!panels.has(box)) panels.set(box, new EvidencePanel(box));
  return panels.get(box).open(cell, column, closed);
}

class EvidencePanel {
  constructor(box) {
    this.dialog = element("dialog", "evidence-panel");
    this.dialog.setAttribute("aria-labelledby", "evidence-title");
    addEventListener("keydown", ({ key }) => key === "Escape" && this.dialog.open && this.close());
    box.after(this.dialog);
    this.pages = new Map();
  }

  async open(cell, column, closed) {
    this.cell = cell;
    this.closed = closed;
    const row = cell.closest("tr").querySelector("th");
    const rowLink = row.querySelector("a");
    const title = element("h2");
    title.id = "evidence-title";
    title.tabIndex = -1;
    title.append(rowLink ? link(rowLink.href, rowLink.textContent) : row.textContent, column && ` · ${column}`);
    const close = element("button", "matrix-clear", say("Close"));
    close.type = "button";
    close.addEventListener("click", () => this.close());
    const head = element("div", "evidence-head");
    head.append(title, close);
    const body = element("div", "evidence-body", say("Loading…"));
    const whole = element("p", "note");
    whole.append(link(cell.href, say("Open the page")));
    this.dialog.replaceChildren(head, body, whole);
    if (!this.dialog.open) this.dialog.show();
    title.focus({ preventScroll: true });
    const found = await this.content(new URL(cell.href));
    if (this.cell === cell) body.replaceChildren(...found); // else the reader has selected another one
  }

  close() {
    this.dialog.close();
    this.closed();
    this.cell?.focus();
  }

  /** What an address leads to: the address is that of a page and the id of an element on it. */
  async content(address) {
    const id = decodeURIComponent(address.hash.slice(1));
    let page = await this.page(address.href.split("#")[0]);
    const moved = page.querySelector("[data-moved]");
    if (moved) {
      address = new URL(moved.getAttribute("href"), address);
      page = await this.page(address.href);
    }
    const found = page.getElementById(id);
    const parts = found ? partsOf(found).map((part) => document.importNode(part, true)) : [inList(...(await itemsOfFiles(page, id, address)))];
    for (const part of parts) {
      for (const one of [part, ...part.querySelectorAll("[id]")]) one.removeAttribute("id");
      for (const anchor of part.querySelectorAll("a[href]")) anchor.href = new URL(anchor.getAttribute("href"), address).href;
    }
    return parts;
  }

  /** The document of a page, read once. */
  page(address) {
    if (!this.pages.has(address)) {
      const reading = fetch(address).then(async (response) => {
        if (!response.ok) throw new Error(`${address}: ${response.status}`);
        return new DOMParser().parseFromString(await response.text(), "text/html");
      });
      reading.catch(() => this.pages.delete(address));
      this.pages.set(address, reading);
    }
    return this.pages.get(address);
  }
}

/** A heading with its section, or an element within a copy of the list or table that it is a part of. */
function partsOf(found) {
  if (/^H[1-6]$/.test(found.tagName)) {
    const parts = [];
    for (let next = found.nextElementSibling; next && !(/^H[1-6]$/.test(next.tagName) && next.tagName <= found.tagName); next = next.nextElementSibling) parts.push(next);
    return parts;
  }
  if (found.matches("li")) return [inList(found.cloneNode(true))];
  const whole = found.closest("table, dl");
  if (!whole || found === whole) return [found];
  const copy = whole.cloneNode(false);
  const head = whole.querySelector(":scope > thead");
  if (head) copy.append(head.cloneNode(true));
  copy.append(found.cloneNode(true));
  return [copy];
}

function inList(...items) {
  const list = element("ul", "evidence");
  list.append(...items);
  return list;
}

/** The list items of a result, or of all results of a test, from the files that the page names. */
async function itemsOfFiles(page, id, address) {
  const { tests, results } = page.querySelector("form[data-tests]").dataset;
  const shards = new Shards(new URL(tests, address).href);
  const anchor = id.split(".")[0];
  const [index, file] = await Promise.all([shards.index(), shards.holding(anchor)]);
  const test = file.tests[anchor];
  const found = test.results.filter((one) => id === anchor || id === anchor + one.id);
  return found.map((result) => resultItem(anchor, test, result, index, signsOf(page), results));
}
