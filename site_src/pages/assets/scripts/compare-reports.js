// Compares any two reports: which two, and what of the differences is shown, is kept in the address.

import { compareReports, environmentDifferences, pairOf } from "./compare-reports-model.js";
import { countsTable, differenceList, environmentTable, paragraph, section } from "./compare-reports-view.js";
import { element, link, setText } from "./elements.js";
import { number } from "./matrix-model.js";

const LONG = 60; // more of a nonsense id need not be repeated

export function startReportComparison(form) {
  new ReportComparison(form).start();
}

class ReportComparison {
  constructor(form) {
    const article = form.closest("article");
    this.form = form;
    this.rows = [...(document.getElementById(form.dataset.reports)?.tBodies[0].rows ?? [])];
    this.box = article.querySelector("[data-part=comparison]");
    this.suggestions = article.querySelector("[data-part=suggestions]");
    this.status = form.querySelector(".filters-state");
    this.words = JSON.parse(form.dataset.words);
    this.signs = signsOf(article);
    this.reports = new Map(); // what was read already, by id
    this.asked = 0; // the last comparison asked for: an answer that comes late is dropped
  }

  start() {
    for (const select of [this.form.elements.from, this.form.elements.to]) select.append(...optionsOf(this.rows));
    this.form.hidden = false;
    if (this.suggestions) this.suggestions.hidden = false;
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("change", () => this.choose());
    this.form.querySelector("[data-part=swap]").addEventListener("click", () => this.swap());
    addEventListener("popstate", () => this.read());
    this.read();
  }

  choose() {
    const { from, to } = Object.fromEntries(new FormData(this.form));
    this.go({ from, to, suite: "", kind: "" });
  }

  swap() {
    this.go({ ...this.state, from: this.state.to, to: this.state.from });
    this.select();
  }

  /** Takes the state from the address. */
  read() {
    const query = new URLSearchParams(location.search);
    this.state = Object.fromEntries(["from", "to", "suite", "kind"].map((name) => [name, query.get(name) ?? ""]));
    this.select();
    this.show();
  }

  select() {
    for (const name of ["from", "to"]) {
      const select = this.form.elements[name];
      select.value = this.state[name];
      if (select.selectedIndex === -1) select.selectedIndex = 0; // there is no such report
    }
  }

  go(state) {
    this.state = state;
    const set = Object.entries(state).filter(([, value]) => value !== "");
    const query = new URLSearchParams(set).toString();
    history.pushState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
    this.show();
  }

  /** Why the two reports of the state cannot be compared; nothing where they can. */
  complaint() {
    const { from, to } = this.state;
    const known = this.rows.map(({ dataset }) => dataset.report);
    const unknown = [from, to].find((id) => id && !known.includes(id));
    if (unknown) return `There is no report “${unknown.slice(0, LONG)}”. Choose one from the list.`;
    if (!from || !to) return from || to ? "Choose the other report." : "Choose two reports.";
    return from === to ? "Choose two different reports." : "";
  }

  async show() {
    const asked = ++this.asked;
    const complaint = this.complaint();
    setText(this.status, complaint || "Loading both reports…");
    if (complaint) {
      this.box.replaceChildren();
      return;
    }
    try {
      const [first, second] = await Promise.all([this.state.from, this.state.to].map((id) => this.load(id)));
      if (asked === this.asked) this.draw(first, second);
    } catch (error) {
      console.info("compare reports:", error);
      if (asked === this.asked) setText(this.status, "A report could not be read. Reload the page to try again.");
    }
  }

  load(id) {
    if (!this.reports.has(id)) {
      const reading = readReport(`${this.form.dataset.data}${encodeURIComponent(id)}.json`);
      this.reports.set(id, reading);
      reading.catch(() => this.reports.delete(id)); // the next choice tries again
    }
    return this.reports.get(id);
  }

  draw(first, second) {
    const groups = Object.fromEntries([...this.signs].map(([outcome, sign]) => [outcome, sign.dataset.group]));
    const found = compareReports(first, second, groups, this.form.dataset.settings.split(" "));
    const pair = pairOf(first, second);
    const words = Object.fromEntries(Object.entries(this.words.differences).map(([kind, ofPair]) => [kind, ofPair[pair]]));
    const filters = this.filters(found, words);
    const lists = element("div");
    this.box.replaceChildren(this.about(), ...this.notes(first, second, found, pair), ...this.environment(first, second));
    if (found.unchanged.size) this.box.append(section("Differences", countsTable(found, words)), filters, lists);
    const listed = () => this.list(lists, found, words, filters);
    filters.addEventListener("change", () => {
      const { suite, kind } = Object.fromEntries(new FormData(filters));
      this.state = { ...this.state, suite, kind };
      const set = Object.entries(this.state).filter(([, value]) => value !== "");
      history.replaceState(null, "", `?${new URLSearchParams(set)}${location.hash}`);
      listed();
    });
    listed();
    setText(this.status, this.sentence(found));
  }

  sentence({ differences, unchanged }) {
    if (!unchanged.size) return "The reports have no suite with the same settings in common.";
    const same = [...unchanged.values()].reduce((sum, count) => sum + count, 0);
    return `${number(differences.length)} tests differ, ${number(same)} are unchanged.`;
  }

  about() {
    const made = paragraph("", "report-links");
    for (const [title, id] of [["First report: ", this.state.from], [" · Second report: ", this.state.to]]) {
      made.append(title, link(`${this.form.dataset.results}runs/${id}/`, id), " (", link(`${this.form.dataset.data}${id}.json`, "JSON"), ")");
    }
    return made;
  }

  notes(first, second, found, pair) {
    const notes = [this.words.pairs[pair]];
    if (first.accelerator !== second.accelerator) notes.push("The reports are of different platforms.");
    for (const [which, only] of [["first", found.onlyFirst], ["second", found.onlySecond]]) {
      const named = only.map(([name, tests]) => `${name}: ${number(tests)} ${tests === 1 ? "test" : "tests"}`);
      if (named.length) notes.push(`Only the ${which} report has: ${named.join("; ")}.`);
    }
    return notes.filter(Boolean).map((text) => paragraph(text));
  }

  environment(first, second) {
    const differences = environmentDifferences(first, second);
    const part = differences.length
      ? environmentTable(differences, ["First report", "Second report"])
      : paragraph("The reports state no differences.");
    return [section("Environment", part)];
  }

  /** The filters of the lists, with what the address asks for. */
  filters(found, words) {
    const made = element("form", "filters");
    made.setAttribute("aria-label", "Filter the differences");
    made.addEventListener("submit", (event) => event.preventDefault());
    const suites = [...found.unchanged.keys()].sort().map((suite) => [suite, suite]);
    const choices = { suite: ["Suite", suites], kind: ["Difference", Object.entries(words)] };
    for (const [name, [title, options]] of Object.entries(choices)) {
      const select = element("select");
      select.name = name;
      select.append(new Option("any", ""), ...options.map(([value, text]) => new Option(text, value)));
      select.value = this.state[name];
      if (select.selectedIndex === -1) select.selectedIndex = 0;
      const label = element("label", "", `${title} `);
      label.append(select);
      made.append(label);
    }
    return made;
  }

  list(box, found, words, filters) {
    const { suite, kind } = Object.fromEntries(new FormData(filters));
    const fitting = found.differences.filter((one) => (!suite || one.test.suite === suite) && (!kind || one.kind === kind));
    const lists = Object.entries(words).map(([name, title]) => [title, fitting.filter((one) => one.kind === name)]);
    const shown = lists.filter(([, tests]) => tests.length);
    box.replaceChildren(...shown.map(([title, tests]) => differenceList(title, tests, this.signs, this.form.dataset.results)));
    if (!shown.length) box.append(paragraph("No difference matches these filters."));
  }
}

async function readReport(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} for ${address}`);
  return answer.json();
}

/** The reports as options, under the names of their platforms. */
function optionsOf(rows) {
  const groups = new Map();
  for (const { dataset } of rows) {
    const group = groups.get(dataset.platform) ?? element("optgroup");
    group.label = dataset.platform;
    group.append(new Option(`${dataset.platform} · ${dataset.words}`, dataset.report));
    groups.set(dataset.platform, group);
  }
  return [...groups.values()];
}

/** The sign of each outcome; its data-group is what the outcome says of the product. */
function signsOf(article) {
  const items = [...article.querySelectorAll("[data-part=signs] [data-outcome]")];
  return new Map(items.map((item) => [item.dataset.outcome, item]));
}
