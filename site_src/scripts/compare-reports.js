// Compares two reports that a reader selects; the address keeps the reports and the filters of their differences.

import { compareReports, environmentDifferences, pairOf } from "./compare-reports-model.js";
import { countsTable, differenceList, environmentTable, paragraph, section } from "./compare-reports-view.js";
import { element, link, setText } from "./elements.js";
import { readJson } from "./json-files.js";
import { counted, number } from "./numbers.js";
import { signsOf } from "./result-elements.js";

const LONGEST_ID = 60; // characters of an unknown id that a message repeats

/** Makes the form that compares two reports work. */
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
    this.reports = new Map(); // promises of the reports that were read, by id
    this.request = 0; // number of the latest comparison; results of earlier ones are dropped
  }

  start() {
    for (const select of [this.form.elements.from, this.form.elements.to]) select.append(...optionsOf(this.rows));
    this.form.hidden = false;
    if (this.suggestions) this.suggestions.hidden = false;
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("change", () => this.choose());
    this.form.querySelector("[data-part=swap]").addEventListener("click", () => this.swap());
    addEventListener("popstate", () => this.readAddress());
    this.readAddress();
  }

  /** Compares the two reports that are selected in the form. */
  choose() {
    const { from, to } = Object.fromEntries(new FormData(this.form));
    this.setState({ from, to, suite: "", kind: "" });
  }

  /** Exchanges the first and the second report. */
  swap() {
    this.setState({ ...this.state, from: this.state.to, to: this.state.from });
    this.select();
  }

  /** Sets the state from the address. */
  readAddress() {
    const query = new URLSearchParams(location.search);
    this.state = Object.fromEntries(["from", "to", "suite", "kind"].map((name) => [name, query.get(name) ?? ""]));
    this.select();
    this.show();
  }

  /** Selects the reports of the state in the form. */
  select() {
    for (const name of ["from", "to"]) {
      const select = this.form.elements[name];
      select.value = this.state[name];
      if (select.selectedIndex === -1) select.selectedIndex = 0; // there is no such report
    }
  }

  /** Sets the state, adds it to the history and shows the comparison. */
  setState(state) {
    this.state = state;
    const filled = Object.entries(state).filter(([, value]) => value !== "");
    const query = new URLSearchParams(filled).toString();
    history.pushState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
    this.show();
  }

  /** Returns why the two reports of the state cannot be compared; "" if they can. */
  problem() {
    const { from, to } = this.state;
    const ids = this.rows.map(({ dataset }) => dataset.report);
    const unknown = [from, to].find((id) => id && !ids.includes(id));
    if (unknown) return `There is no report “${unknown.slice(0, LONGEST_ID)}”. Choose one from the list.`;
    if (!from || !to) return from || to ? "Choose the other report." : "Choose two reports.";
    return from === to ? "Choose two different reports." : "";
  }

  /** Reads the two reports of the state and draws their comparison, or shows why they cannot be compared. */
  async show() {
    const request = ++this.request;
    const problem = this.problem();
    setText(this.status, problem || "Loading both reports…");
    if (problem) {
      this.box.replaceChildren();
      return;
    }
    try {
      const [first, second] = await Promise.all([this.state.from, this.state.to].map((id) => this.load(id)));
      if (request === this.request) this.draw(first, second);
    } catch (error) {
      console.info("compare reports:", error);
      if (request !== this.request) return;
      this.box.replaceChildren(); // the last comparison would stand below the message
      setText(this.status, "A report could not be read. Reload the page to try again.");
    }
  }

  /** Returns a promise of a report; reads it once. */
  load(id) {
    if (!this.reports.has(id)) {
      const reading = readJson(`${this.form.dataset.data}${encodeURIComponent(id)}.json`);
      this.reports.set(id, reading);
      reading.catch(() => this.reports.delete(id)); // the next selection retries
    }
    return this.reports.get(id);
  }

  /** Draws the comparison of two reports, with filters that update its lists and the address. */
  draw(first, second) {
    const groups = Object.fromEntries([...this.signs].map(([outcome, sign]) => [outcome, sign.dataset.group]));
    const comparison = compareReports(first, second, groups, this.form.dataset.settings.split(" "));
    const pair = pairOf(first, second);
    const titles = Object.fromEntries(Object.entries(this.words.differences).map(([kind, byPair]) => [kind, byPair[pair]]));
    const filters = this.filterForm(comparison, titles);
    const lists = element("div");
    this.box.replaceChildren(this.reportLinks(), ...this.notes(first, second, comparison, pair), ...this.environment(first, second));
    if (comparison.unchanged.size) this.box.append(section("Differences", countsTable(comparison, titles)), filters, lists);
    const updateLists = () => this.showLists(lists, comparison, titles, filters, [first.kind, second.kind]);
    filters.addEventListener("change", () => {
      const { suite, kind } = Object.fromEntries(new FormData(filters));
      this.state = { ...this.state, suite, kind };
      const filled = Object.entries(this.state).filter(([, value]) => value !== "");
      history.replaceState(null, "", `?${new URLSearchParams(filled)}${location.hash}`);
      updateLists();
    });
    updateLists();
    setText(this.status, this.summary(comparison));
  }

  /** Returns how many tests differ and how many are unchanged, as a sentence. */
  summary({ differences, unchanged }) {
    if (!unchanged.size) return "The reports have no suite with the same settings in common.";
    const same = [...unchanged.values()].reduce((sum, count) => sum + count, 0);
    return `${counted(differences.length, "test")} ${differences.length === 1 ? "differs" : "differ"}, ${number(same)} ${same === 1 ? "is" : "are"} unchanged.`;
  }

  /** Returns a line with links to both reports. */
  reportLinks() {
    const line = paragraph("", "report-links");
    for (const [title, id] of [["First report: ", this.state.from], [" · Second report: ", this.state.to]]) {
      line.append(title, link(`${this.form.dataset.results}runs/${id}/`, id), " (", link(`${this.form.dataset.data}${id}.json`, "JSON"), ")");
    }
    return line;
  }

  /** Returns paragraphs on what the comparison means, and on what only one report has. */
  notes(first, second, comparison, pair) {
    const notes = [this.words.pairs[pair]];
    if (first.accelerator !== second.accelerator) notes.push("The reports are of different platforms.");
    for (const [which, missing] of [["first", comparison.onlyFirst], ["second", comparison.onlySecond]]) {
      const counts = missing.map(([name, tests]) => `${name}: ${counted(tests, "test")}`);
      if (counts.length) notes.push(`Only the ${which} report has: ${counts.join("; ")}.`);
    }
    return notes.filter(Boolean).map((text) => paragraph(text));
  }

  /** Returns the section on the environments of two reports, as a list. */
  environment(first, second) {
    const differences = environmentDifferences(first, second);
    const content = differences.length
      ? environmentTable(differences, ["First report", "Second report"])
      : paragraph("The reports state no differences.");
    return [section("Environment", content)];
  }

  /** Returns the form with the filters of the lists, set to the state. */
  filterForm(comparison, titles) {
    const form = element("form", "filters");
    form.setAttribute("aria-label", "Filter the differences");
    form.addEventListener("submit", (event) => event.preventDefault());
    const suites = [...comparison.unchanged.keys()].sort().map((suite) => [suite, suite]);
    const choices = { suite: ["Suite", suites], kind: ["Difference", Object.entries(titles)] };
    for (const [name, [title, options]] of Object.entries(choices)) {
      const select = element("select");
      select.name = name;
      select.append(new Option("any", ""), ...options.map(([value, text]) => new Option(text, value)));
      select.value = this.state[name];
      if (select.selectedIndex === -1) select.selectedIndex = 0;
      const label = element("label", "", `${title} `);
      label.append(select);
      form.append(label);
    }
    return form;
  }

  /** Shows in `box` the lists of the differences that match the filters; `reportKinds` are the kinds of both reports. */
  showLists(box, comparison, titles, filters, reportKinds) {
    const { suite, kind } = Object.fromEntries(new FormData(filters));
    const matching = comparison.differences.filter((diff) => (!suite || diff.test.suite === suite) && (!kind || diff.kind === kind));
    const lists = Object.entries(titles).map(([name, title]) => [title, matching.filter((diff) => diff.kind === name)]);
    const nonEmpty = lists.filter(([, tests]) => tests.length);
    box.replaceChildren(...nonEmpty.map(([title, tests]) => differenceList(title, tests, this.signs, this.form.dataset.results, reportKinds)));
    if (!nonEmpty.length) box.append(paragraph("No difference matches these filters."));
  }
}

/** Returns the reports as options, grouped by platform. */
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
