// Shows the history of a test on a platform: searches for tests by name, and reads only the file that has the selected test.
// The address has the selection: ?platform=xpu-runs&test=torchbench/hf_Bert

import { element, link, opensHere, setText } from "./elements.js";
import { counted } from "./numbers.js";
import { signsOf } from "./result-elements.js";
import { placeOf, Shards } from "./shards.js";
import { searchShards } from "./shards-search.js";
import { unreadable } from "./shards-view.js";
import { coursesOf, nameOf } from "./test-history-model.js";
import { changesTable, picture } from "./test-history-view.js";

const MAX_RESULTS = 30; // listed tests of a search
const SEARCH_DELAY_MS = 200; // after the last key
const MAX_QUOTED = 60;

export function startTestHistory(form) {
  new TestHistory(form).start();
}

class TestHistory {
  constructor(form) {
    const article = form.closest("article");
    this.form = form;
    this.status = form.querySelector(".filters-state");
    this.resultList = article.querySelector("[data-part=found]");
    this.box = article.querySelector("[data-part=history]");
    this.signs = signsOf(article);
    this.settings = form.dataset.settings.split(" ");
    this.folders = new Map();
    this.requestCount = 0;
    this.timer = 0;
  }

  start() {
    const { platform, test } = this.form.elements;
    this.form.hidden = false;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.search();
    });
    platform.addEventListener("change", () => this.setState({ platform: platform.value, test: "" }));
    test.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.search(), SEARCH_DELAY_MS);
    });
    this.resultList.addEventListener("click", (event) => this.handleResultClick(event));
    addEventListener("popstate", () => this.readAddress());
    this.readAddress();
  }

  readAddress() {
    const query = new URLSearchParams(location.search);
    const { platform, test } = this.form.elements;
    const platformId = query.get("platform") || platform.options[0].value;
    platform.value = platformId;
    const isKnown = platform.selectedIndex !== -1;
    if (!isKnown) platform.selectedIndex = 0;
    this.state = { platform: platform.value, test: isKnown ? query.get("test") ?? "" : "" };
    test.value = nameOf(this.state.test);
    if (isKnown) this.show();
    else this.clear(`There is no history “${platformId.slice(0, MAX_QUOTED)}”. Choose a platform from the list.`);
  }

  setState(state) {
    this.state = state;
    const parameters = Object.entries(state).filter(([, value]) => value !== "");
    history.pushState(null, "", `?${new URLSearchParams(parameters)}${location.hash}`);
    this.form.elements.test.value = nameOf(state.test);
    this.show();
  }

  handleResultClick(event) {
    const testLink = event.target.closest("a[data-test]");
    if (!testLink || !opensHere(event)) return;
    event.preventDefault();
    this.setState({ ...this.state, test: testLink.dataset.test });
    this.box.focus();
  }

  /** The files of the selected platform. */
  shards() {
    const { platform } = this.state;
    if (!this.folders.has(platform)) this.folders.set(platform, new Shards(`${this.form.dataset.data}${platform}/`));
    return this.folders.get(platform);
  }

  /** Remove what is shown, drop the results of earlier requests and searches, and set the status. Returns the number of the new request. */
  clear(status) {
    clearTimeout(this.timer);
    this.resultList.replaceChildren();
    this.box.replaceChildren();
    setText(this.status, status);
    return ++this.requestCount;
  }

  /** Draw the test of the state, or say how many tests there are if none is selected. */
  async show() {
    const { test } = this.state;
    const request = this.clear(test ? "Loading the history…" : "Loading the list of tests…");
    try {
      const shards = this.shards();
      const index = await shards.index();
      const file = test ? await shards.holding(test) : null;
      if (request !== this.requestCount) return;
      if (!test) setText(this.status, `${counted(index.tests, "test")} in ${counted(index.reports.length, "report")}. Type part of a test name.`);
      else if (file && Object.hasOwn(file.tests, test)) this.draw(index, file.tests[test]);
      else setText(this.status, `No report of this platform has the test “${nameOf(test).slice(0, MAX_QUOTED)}”.`);
    } catch (error) {
      if (request === this.requestCount) this.fail(error, () => this.show());
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
    setText(this.status, `${counted(courses.length, "setting")} in ${counted(index.reports.length, "report")}.`);
  }

  /** Search the files for tests until enough are found, starting with the file whose names begin like the typed words. */
  async search() {
    clearTimeout(this.timer);
    const request = ++this.requestCount;
    const words = this.form.elements.test.value.trim().toLowerCase();
    this.box.replaceChildren();
    if (!words) {
      this.state.test = "";
      this.show();
      return;
    }
    try {
      await this.searchFiles(words, () => request === this.requestCount);
    } catch (error) {
      if (request === this.requestCount) this.fail(error, () => this.search());
    }
  }

  /** List the tests whose name contains the words, while `isCurrent` returns true. */
  async searchFiles(words, isCurrent) {
    const matchingKeys = ({ tests }) => Object.keys(tests).filter((key) => nameOf(key).toLowerCase().includes(words));
    const show = (keys, sentence) => {
      this.list(keys);
      setText(this.status, sentence);
    };
    await searchShards(this.shards(), words, matchingKeys, { maxRecords: MAX_RESULTS, isCurrent, show });
  }

  list(keys) {
    const items = keys.map((key) => {
      const item = element("li");
      const testLink = link(`?${new URLSearchParams({ ...this.state, test: key })}`, nameOf(key));
      testLink.dataset.test = key;
      item.append(testLink);
      return item;
    });
    const box = element("ul", "found-tests");
    box.append(...items);
    this.resultList.replaceChildren(box);
  }
}
