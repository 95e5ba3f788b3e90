// Shows a test of a suite with all its results: reads the file that has the test when a reader follows a link to it or finds
// it by name. Pages have only the failures of runs. The address names the test: #test-alexnet-0123abcd

import { link, element, setText } from "./elements.js";
import { signsOf } from "./result-elements.js";
import { Shards } from "./shards.js";
import { searchShards } from "./shards-search.js";
import { unreadable } from "./shards-view.js";
import { testDetails } from "./suite-tests-view.js";

const MOST_LISTED = 30; // tests that are listed for a search
const LOADING = "Loading the test…";
const PAUSE = 200; // milliseconds without typing before a search starts

// The anchor of a test; the anchor of one of its results has a suffix after a period.
const TEST_ANCHOR = /^#(test-[a-z0-9-]+-[0-9a-f]{8})(\..*)?$/;

/** Makes the form that searches the tests of a suite work. */
export function startSuiteTests(form) {
  new SuiteTests(form).start();
}

class SuiteTests {
  constructor(form) {
    const article = form.closest("article");
    this.form = form;
    this.status = form.querySelector(".filters-state");
    this.foundBox = article.querySelector("[data-part=found]");
    this.box = article.querySelector("[data-part=test]");
    this.signs = signsOf(article);
    this.shards = new Shards(form.dataset.tests);
    this.testRequest = 0;
    this.searchRequest = 0;
    this.timer = 0;
  }

  start() {
    this.form.hidden = false;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.search();
    });
    this.form.elements.test.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.search(), PAUSE);
    });
    addEventListener("hashchange", () => this.show());
    this.show();
  }

  /** Draws the test that the address names. If the page has the test with its failures, all results replace them. */
  async show() {
    const [, anchor, result] = TEST_ANCHOR.exec(location.hash) ?? [];
    const request = ++this.testRequest;
    if (!anchor) {
      if (this.status.textContent === LOADING) setText(this.status, ""); // of a test that the reader left
      return;
    }
    setText(this.status, LOADING);
    try {
      const [index, file] = await Promise.all([this.shards.index(), this.shards.holding(anchor)]);
      if (request !== this.testRequest) return;
      const test = file?.tests[anchor];
      if (!test) {
        setText(this.status, "This test does not exist. Search for its name.");
        return;
      }
      const details = testDetails(anchor, test, index, this.signs, this.form.dataset.results);
      const existing = document.getElementById(anchor)?.closest("details.test");
      if (existing && !this.box.contains(existing)) {
        this.box.replaceChildren();
        existing.open = true;
        existing.querySelector(".evidence").replaceWith(details.querySelector(".evidence"));
      } else this.box.replaceChildren(details);
      setText(this.status, "");
      const target = document.getElementById(anchor + (result ?? ""));
      (target ?? existing ?? details).scrollIntoView();
      if (target) location.replace(location.hash); // the browser marks as target only what exists when it follows a link
    } catch (error) {
      if (request === this.testRequest) this.fail(error, () => this.show());
    }
  }

  /** Shows that a file could not be read, with a button that calls `retry`. */
  fail(error, retry) {
    setText(this.status, "");
    this.box.replaceChildren(unreadable(error, retry));
  }

  /** Lists the tests whose names contain the words in the form. */
  async search() {
    clearTimeout(this.timer);
    const request = ++this.searchRequest;
    const words = this.form.elements.test.value.trim().toLowerCase();
    this.foundBox.replaceChildren();
    setText(this.status, words ? "Searching…" : "");
    if (!words) return;
    const anchorStart = `test-${words.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}`;
    const matches = ({ tests }) => Object.entries(tests).filter(([, { name }]) => name.toLowerCase().includes(words));
    const show = (tests, sentence) => {
      this.showFound(tests);
      setText(this.status, sentence);
    };
    try {
      await searchShards(this.shards, anchorStart, matches, { maxRecords: MOST_LISTED, isCurrent: () => request === this.searchRequest, show });
    } catch (error) {
      if (request === this.searchRequest) this.fail(error, () => this.search());
    }
  }

  /** Lists links to tests, [anchor, test]. */
  showFound(tests) {
    const list = element("ul", "found-tests");
    for (const [anchor, { name }] of tests) {
      const item = element("li");
      item.append(link(`#${anchor}`, name));
      list.append(item);
    }
    this.foundBox.replaceChildren(list);
  }
}
