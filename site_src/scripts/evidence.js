// Shows the result behind a cell of a table beside the table: its log, inputs, environment and command. The panel holds what
// the page of the test says, so it is read from that page, or from the files of a suite whose tests do not all fit on pages.

import { element, link } from "./elements.js";
import { signsOf } from "./result-elements.js";
import { Shards } from "./shards.js";
import { resultItem } from "./suite-tests-view.js";

const panels = new Map();

/** Shows the result behind a cell. Rejects if it cannot be read. */
export function showEvidence(cell) {
  const box = cell.closest(".matrix-box");
  if (!panels.has(box)) panels.set(box, new EvidencePanel(box));
  return panels.get(box).open(cell);
}

class EvidencePanel {
  constructor(box) {
    this.dialog = element("dialog", "evidence-panel");
    this.dialog.setAttribute("aria-labelledby", "evidence-title");
    this.dialog.addEventListener("keydown", ({ key }) => key === "Escape" && this.close());
    box.after(this.dialog);
    this.pages = new Map();
  }

  /** Shows the result to which the cell links. */
  async open(cell) {
    this.cell = cell;
    const address = new URL(cell.href);
    const row = cell.closest("tr").querySelector("th a");
    const title = element("h2", "", "");
    title.id = "evidence-title";
    title.tabIndex = -1;
    title.append(link(row.href, row.textContent));
    const close = element("button", "matrix-clear", "Close");
    close.type = "button";
    close.addEventListener("click", () => this.close());
    const head = element("div", "evidence-head");
    head.append(title, close);
    const list = element("ul", "evidence");
    list.append(element("li", "", `${cell.title}. Loading…`));
    this.dialog.replaceChildren(head, list);
    if (!this.dialog.open) this.dialog.show();
    title.focus();
    const item = await this.item(address);
    if (this.cell === cell) list.replaceChildren(item); // else the reader has selected another one
  }

  close() {
    this.dialog.close();
    this.cell?.focus();
  }

  /** The list item of a result, whose address is that of a page and the id of the result on it. */
  async item(address) {
    const id = decodeURIComponent(address.hash.slice(1));
    const page = await this.page(address.href.split("#")[0]);
    const found = page.getElementById(id);
    const item = found ? document.importNode(found, true) : await itemOfFiles(page, id, address);
    item.removeAttribute("id");
    for (const anchor of item.querySelectorAll("a[href]")) anchor.href = new URL(anchor.getAttribute("href"), address).href;
    return item;
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

/** The list item of a result that is not on its page, from the files that the page names. */
async function itemOfFiles(page, id, address) {
  const { tests, results } = page.querySelector("form[data-tests]").dataset;
  const shards = new Shards(new URL(tests, address).href);
  const anchor = id.split(".")[0];
  const [index, file] = await Promise.all([shards.index(), shards.holding(anchor)]);
  const result = file.tests[anchor].results.find((one) => one.id === id);
  return resultItem(result, index.reports[result.report], signsOf(page), results);
}
