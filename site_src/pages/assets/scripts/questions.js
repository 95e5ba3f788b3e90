// "Paste an error message": the answer that declares it, open, and others that may fit, closed. Without this script the
// page lists every question, closed, by platform.

import { say, sayCount, sentences } from "./elements.js";
import { answers, lastError } from "./question-search.js";

const PAUSE = 150; // milliseconds without typing
const MOST_HELP = 3; // platforms that a message names, with their support channels
const LONGEST_ADDRESS = 1000; // characters; of a longer message the address keeps the last error

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
      if (keep) this.keepInAddress(message);
      return this.showGroups(platform.value, say("The search index could not be read. Select your platform to see its questions."));
    }
    if (message !== text.value.trim()) return undefined; // the reader typed on meanwhile
    if (keep) this.keepInAddress(message);
    if (!message) return this.showGroups(platform.value, "");
    return this.showFound(answers(index, message, platform.value), platform.value);
  }

  showFound({ found, named, opened, other }, platform) {
    const items = found.map((question) => this.items.get(question)).filter(Boolean);
    const help = (platform ? [platform] : [...named]).slice(0, MOST_HELP).map((id) => this.helpOf(id)).filter(Boolean);
    const state = this.stateOf(items.length, opened, other);
    if (items.length === 0) this.showGroups(platform, state);
    else {
      this.putBack();
      for (const { group } of this.groups) group.hidden = true;
    }
    this.results.replaceChildren(...items, ...help, this.add);
    this.results.hidden = false;
    this.open(opened && this.items.get(opened));
    this.state.textContent = state;
  }

  stateOf(count, opened, other) {
    const others = sayCount("{count} other answer may fit.", "{count} other answers may fit.", count - 1);
    if (opened) return sentences([say("Answer found."), ...(count > 1 ? [others] : [])]);
    if (other) return say("The answer to this message is about {one}, not {other}.", { one: this.nameOf(other.split("/")[0]), other: this.nameOf() });
    const none = say("No answer matches this message.");
    if (count > 0) return sentences([none, sayCount("{count} answer may fit.", "{count} answers may fit.", count)]);
    if (this.nameOf()) return sentences([none, say("These are all questions about {platform}.", { platform: this.nameOf() })]);
    return sentences([none, say("Select your platform to see its questions and support channels.")]);
  }

  /** The name of a platform, or of the selected one, if any. */
  nameOf(id = this.form.elements.platform.value) {
    return id && [...this.form.elements.platform.options].find(({ value }) => value === id)?.text;
  }

  /** The closed groups of all platforms, or the open one of the selected platform, which ends with where to ask. */
  showGroups(platform, words) {
    this.putBack();
    this.results.hidden = true;
    this.open(null);
    let shown = 0;
    for (const { group, items } of this.groups) {
      group.hidden = Boolean(platform) && group.dataset.platform !== platform;
      group.open = group.dataset.platform === platform;
      if (!group.hidden) shown += items.length;
    }
    this.state.textContent = words || say("Showing {shown} of {all} questions.", { shown, all: this.items.size });
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

  keepInAddress(message) {
    const platform = this.form.elements.platform.value;
    const wanted = new URLSearchParams();
    if (message) wanted.set("text", message.length > LONGEST_ADDRESS ? lastError(message).slice(0, LONGEST_ADDRESS) : message);
    if (platform) wanted.set("platform", platform);
    const words = wanted.toString();
    history.replaceState(null, "", (words ? `?${words}` : location.pathname) + location.hash);
  }
}

async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} for ${address}`);
  return answer.json();
}
