// The tests of a suite that do not stand on a page: whoever follows a link to one, or finds it by its name, reads the
// one file that has it. The address holds the choice: #test-alexnet-0123abcd

import { link, element, setText } from "./elements.js";
import { Shards } from "./shards.js";
import { search } from "./shards-search.js";
import { unreadable } from "./shards-view.js";
import { testDetails } from "./suite-tests-view.js";

const MOST = 30; // tests that are listed for a search
const PATIENCE = 200; // milliseconds without a key until a search begins

// What the id of a test is made of; that of one of its results goes on after a point.
const TEST = /^#(test-[a-z0-9-]+-[0-9a-f]{8})(\..*)?$/;

export function startSuiteTests(form) {
  new SuiteTests(form).start();
}

class SuiteTests {
  constructor(form) {
    const article = form.closest("article");
    this.form = form;
    this.status = form.querySelector(".filters-state");
    this.found = article.querySelector("[data-part=found]");
    this.box = article.querySelector("[data-part=test]");
    this.signs = new Map([...article.querySelectorAll("[data-part=signs] [data-outcome]")].map((sign) => [sign.dataset.outcome, sign]));
    this.shards = new Shards(form.dataset.tests);
    this.asked = 0;
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
      this.timer = setTimeout(() => this.search(), PATIENCE);
    });
    addEventListener("hashchange", () => this.show());
    this.show();
  }

  /** Draws the test that the address names, unless the page has it. */
  async show() {
    const [, anchor, result] = TEST.exec(location.hash) ?? [];
    const there = anchor && document.getElementById(anchor);
    if (!anchor || (there && !this.box.contains(there))) return;
    const asked = ++this.asked;
    setText(this.status, "Loading the test…");
    try {
      const [index, file] = await Promise.all([this.shards.index(), this.shards.holding(anchor)]);
      if (asked !== this.asked) return;
      const test = file?.tests[anchor];
      if (!test) {
        setText(this.status, "This test does not exist. Search for its name.");
        return;
      }
      const details = testDetails(anchor, test, index.reports, this.signs, this.form.dataset.results);
      this.box.replaceChildren(details);
      setText(this.status, "");
      (document.getElementById(anchor + (result ?? "")) ?? details).scrollIntoView();
    } catch (error) {
      if (asked === this.asked) this.fail(error, () => this.show());
    }
  }

  fail(error, retry) {
    setText(this.status, "");
    this.box.replaceChildren(unreadable(error, retry));
  }

  async search() {
    const asked = ++this.asked;
    const words = this.form.elements.test.value.trim().toLowerCase();
    this.found.replaceChildren();
    setText(this.status, words ? "Searching…" : "");
    if (!words) return;
    const begin = `test-${words.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}`;
    const fitting = ({ tests }) => Object.entries(tests).filter(([, { name }]) => name.toLowerCase().includes(words));
    const told = (found, sentence) => {
      this.list(found);
      setText(this.status, sentence);
    };
    try {
      await search(this.shards, begin, fitting, { most: MOST, wanted: () => asked === this.asked, told });
    } catch (error) {
      if (asked === this.asked) this.fail(error, () => this.search());
    }
  }

  list(tests) {
    const list = element("ul", "found-tests");
    for (const [anchor, { name }] of tests) {
      const item = element("li");
      item.append(link(`#${anchor}`, name));
      list.append(item);
    }
    this.found.replaceChildren(list);
  }
}
