// The history of a test: a reader chooses a platform and finds a test, and the browser reads the one file that has it.
// The choice stands in the address: ?platform=xpu-runs&test=torchbench/hf_Bert

import { element, link, setText } from "./elements.js";
import { number } from "./matrix-model.js";
import { placeOf, Shards } from "./shards.js";
import { search } from "./shards-search.js";
import { unreadable } from "./shards-view.js";
import { coursesOf, nameOf } from "./test-history-model.js";
import { changesTable, picture } from "./test-history-view.js";

const MOST = 30; // tests that are listed for a search
const PATIENCE = 200; // milliseconds without a key until a search begins
const LONG = 60;

export function startTestHistory(form) {
  new TestHistory(form).start();
}

class TestHistory {
  constructor(form) {
    const article = form.closest("article");
    this.form = form;
    this.status = form.querySelector(".filters-state");
    this.found = article.querySelector("[data-part=found]");
    this.box = article.querySelector("[data-part=history]");
    this.signs = new Map([...article.querySelectorAll("[data-part=signs] [data-outcome]")].map((sign) => [sign.dataset.outcome, sign]));
    this.settings = form.dataset.settings.split(" ");
    this.folders = new Map();
    this.asked = 0;
    this.timer = 0;
  }

  start() {
    const { platform, test } = this.form.elements;
    this.form.hidden = false;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.search();
    });
    platform.addEventListener("change", () => this.go({ platform: platform.value, test: "" }));
    test.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.search(), PATIENCE);
    });
    this.found.addEventListener("click", (event) => this.choose(event));
    addEventListener("popstate", () => this.read());
    this.read();
  }

  read() {
    const query = new URLSearchParams(location.search);
    this.state = { platform: query.get("platform") ?? "", test: query.get("test") ?? "" };
    const { platform, test } = this.form.elements;
    if (this.state.platform) platform.value = this.state.platform;
    if (platform.selectedIndex === -1) {
      platform.selectedIndex = 0;
      setText(this.status, `There is no history “${this.state.platform.slice(0, LONG)}”. Choose a platform from the list.`);
      return;
    }
    this.state.platform = platform.value;
    test.value = this.state.test && nameOf(this.state.test);
    this.show();
  }

  go(state) {
    this.state = state;
    const set = Object.entries(state).filter(([, value]) => value !== "");
    history.pushState(null, "", `?${new URLSearchParams(set)}${location.hash}`);
    this.form.elements.test.value = state.test && nameOf(state.test);
    this.show();
  }

  choose(event) {
    const chosen = event.target.closest("a[data-test]");
    if (!chosen || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    this.go({ ...this.state, test: chosen.dataset.test });
    this.box.focus();
  }

  shards() {
    const { platform } = this.state;
    if (!this.folders.has(platform)) this.folders.set(platform, new Shards(`${this.form.dataset.data}${platform}/`));
    return this.folders.get(platform);
  }

  /** Draws the test of the state; without one, says how many there are. */
  async show() {
    const asked = ++this.asked;
    const { test } = this.state;
    this.found.replaceChildren();
    this.box.replaceChildren();
    setText(this.status, test ? "Loading the history…" : "Loading the list of tests…");
    try {
      const shards = this.shards();
      const index = await shards.index();
      const file = test ? await shards.holding(test) : null;
      if (asked !== this.asked) return;
      if (!test) setText(this.status, `${number(index.tests)} tests in ${number(index.reports.length)} reports. Type part of a test name.`);
      else if (file?.tests[test]) this.draw(index, file.tests[test]);
      else setText(this.status, `No report of this platform has the test “${nameOf(test).slice(0, LONG)}”.`);
    } catch (error) {
      if (asked === this.asked) this.fail(error, () => this.show());
    }
  }

  fail(error, retry) {
    setText(this.status, "");
    this.box.replaceChildren(unreadable(error, retry));
  }

  draw(index, test) {
    const key = this.state.test;
    const courses = coursesOf(index, key, test, this.settings);
    const file = this.shards().folder + index.files[placeOf(index.files, key)][1];
    const source = element("p", "note");
    source.append("Read from ", link(file, file.split("/").at(-1)), ".");
    this.box.replaceChildren(element("h2", "", nameOf(key)), picture(index, courses, this.signs), changesTable(index, courses, this.signs, file, this.form.dataset.commits), source);
    setText(this.status, `${courses.length} ${courses.length === 1 ? "setting" : "settings"} in ${number(index.reports.length)} reports.`);
  }

  /** Looks through the files, first the one where the words would begin a name, until enough tests are found. */
  async search() {
    const asked = ++this.asked;
    const words = this.form.elements.test.value.trim().toLowerCase();
    this.box.replaceChildren();
    if (!words) {
      this.state.test = "";
      this.show();
      return;
    }
    try {
      await this.lookThrough(words, () => asked === this.asked);
    } catch (error) {
      if (asked === this.asked) this.fail(error, () => this.search());
    }
  }

  async lookThrough(words, wanted) {
    const fitting = ({ tests }) => Object.keys(tests).filter((key) => nameOf(key).toLowerCase().includes(words));
    const told = (found, sentence) => {
      this.list(found);
      setText(this.status, sentence);
    };
    await search(this.shards(), words, fitting, { most: MOST, wanted, told });
  }

  list(keys) {
    const items = keys.map((key) => {
      const item = element("li");
      const made = link(`?${new URLSearchParams({ ...this.state, test: key })}`, nameOf(key));
      made.dataset.test = key;
      item.append(made);
      return item;
    });
    const box = element("ul", "found-tests");
    box.append(...items);
    this.found.replaceChildren(box);
  }
}
