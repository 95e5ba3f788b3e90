// "Paste an error message": the answer that fits it, open if it is clearly the right one, or the nearest ones, closed.
// Without this script the page lists every question.

import { answers, query } from "./question-search.js";

const PAUSE = 150; // milliseconds without typing
const MOST = 3; // answers shown
const LONGEST_ADDRESS = 1000; // characters; of a longer message the address keeps the words that were found

export function startQuestions(form) {
  const page = new Questions(form);
  const { text, platform } = form.elements;
  let waiting = 0;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => page.ask(), PAUSE);
  };
  text.addEventListener("focus", () => page.load().catch(() => {}), { once: true });
  text.addEventListener("input", soon);
  platform.addEventListener("input", () => page.ask());
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("popstate", () => page.readAddress());
  form.hidden = false;
  page.readAddress();
}

class Questions {
  constructor(form) {
    const box = form.parentElement.querySelector(".questions");
    this.form = form;
    this.box = box;
    this.state = form.querySelector("[role=status]");
    this.results = box.querySelector(".question-results");
    this.add = box.querySelector(".question-add");
    this.groups = [...box.querySelectorAll(".question-group")].map((group) => ({
      group,
      help: group.querySelector(".question-help"),
      items: [...group.querySelectorAll(".question")],
    }));
    this.items = new Map(this.groups.flatMap(({ items }) => items).map((item) => [item.dataset.question, item]));
    this.index = null;
    this.opened = null; // by this script, and not by the reader
  }

  load() {
    this.index ??= read(this.form.dataset.questions);
    return this.index;
  }

  readAddress() {
    const wanted = new URLSearchParams(location.search);
    const { text, platform } = this.form.elements;
    text.value = wanted.get("text") ?? "";
    platform.value = wanted.get("platform") ?? "";
    if (platform.selectedIndex === -1) platform.selectedIndex = 0; // a platform that does not exist
    return this.ask(false);
  }

  async ask(keep = true) {
    const { text, platform } = this.form.elements;
    const message = text.value.trim();
    let index = null;
    try {
      if (message) index = await this.load();
    } catch (error) {
      this.index = null; // the next letter tries again
      console.info("questions:", error);
      if (keep) this.keepInAddress(message, { terms: {} });
      return this.showGroups(platform.value, "The search index could not be read. Select your platform to see its questions.");
    }
    if (message !== text.value.trim()) return undefined; // the reader typed on meanwhile
    if (keep) this.keepInAddress(message, index);
    if (!message) return this.showGroups(platform.value, "");
    return this.showFound(answers(index, message, platform.value), platform.value);
  }

  showFound({ found, named, close, opened }, platform) {
    const shown = found.map(({ question }) => this.items.get(question)).filter((item) => item && fits(item, platform));
    if (shown.length === 0) return this.showGroups(platform, this.nothing(platform));
    const items = shown.slice(0, MOST);
    this.putBack();
    for (const { group } of this.groups) group.hidden = true;
    const asked = platform ? [platform] : [...named].slice(0, MOST);
    this.results.replaceChildren(...items, ...asked.map((id) => this.helpOf(id)).filter(Boolean), this.add);
    this.results.hidden = false;
    this.open(opened && this.items.get(opened));
    const nearest = items.length === 1 ? "The nearest answer is listed." : `The nearest ${items.length} answers are listed.`;
    const unsure = `${items.length === 1 ? "1 answer" : `${items.length} answers`} may fit, best match first.`;
    this.state.textContent = opened ? `Answer found. ${nearest}` : close ? `No answer is certain. ${unsure}` : `No answer here. ${nearest}`;
    return undefined;
  }

  /** All questions, or those of one platform, with the place where to ask below them. */
  showGroups(platform, words) {
    this.putBack();
    this.results.hidden = true;
    this.open(null);
    let shown = 0;
    for (const { group, items } of this.groups) {
      group.hidden = Boolean(platform) && group.dataset.platform !== platform;
      if (!group.hidden) shown += items.length;
    }
    this.state.textContent = words || `Showing ${shown} of ${this.items.size} questions.`;
  }

  nothing(platform) {
    if (!platform) return "No answer matches this message. Select your platform to see its questions and support channels.";
    const name = this.form.elements.platform.selectedOptions[0].text;
    return `No answer matches this message. These are all questions about ${name}. Support channels are listed below them.`;
  }

  helpOf(platform) {
    return this.groups.find(({ group }) => group.dataset.platform === platform)?.help?.cloneNode(true);
  }

  /** Each question stands where the page had it. */
  putBack() {
    for (const { group, help, items } of this.groups) help ? help.before(...items) : group.append(...items);
    this.box.append(this.add);
    this.results.replaceChildren();
  }

  open(item) {
    if (this.opened && this.opened !== item) this.opened.open = false;
    if (item && !item.open) {
      item.open = true;
      this.opened = item;
    }
    if (!item) this.opened = null;
  }

  keepInAddress(message, index) {
    const platform = this.form.elements.platform.value;
    const wanted = new URLSearchParams();
    if (message) wanted.set("text", message.length > LONGEST_ADDRESS ? knownWords(message, index) : message);
    if (platform) wanted.set("platform", platform);
    const words = wanted.toString();
    history.replaceState(null, "", (words ? `?${words}` : location.pathname) + location.hash);
  }
}

function fits(item, platform) {
  return !platform || [platform, "any"].includes(item.dataset.platform);
}

/** The words of a message that lead to a question; pairs follow from them. */
function knownWords(message, index) {
  const known = [...query(message)].filter((term) => !term.includes(" ") && Object.hasOwn(index.terms, term));
  return known.join(" ").slice(0, LONGEST_ADDRESS);
}

async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} for ${address}`);
  return answer.json();
}
