// Shows the answers to a pasted error message: opens the one that declares the message, and lists others that may fit.
// Without this script the page lists all questions by platform, closed.

import { say, sayCount, sentences } from "./elements.js";
import { readJson } from "./json-files.js";
import { answers, lastError } from "./question-search.js";

const TYPING_PAUSE_MS = 150; // without typing
const MAX_HELP_PLATFORMS = 3; // platforms whose support channels are shown
const MAX_ADDRESS_LENGTH = 1000; // characters; of a longer message, the address has only the last error

export function startQuestions(form) {
  const page = new Questions(form);
  const { text, platform } = form.elements;
  let timer = 0;
  const askSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => page.ask(), TYPING_PAUSE_MS);
  };
  text.addEventListener("focus", () => page.load().catch(() => {}), { once: true });
  text.addEventListener("input", askSoon);
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
    this.status = form.querySelector("[role=status]");
    this.results = box.querySelector(".question-results");
    this.add = box.querySelector(".question-add");
    this.groups = [...box.querySelectorAll(".question-group")].map((group) => ({
      group,
      help: group.querySelector(".question-help"),
      items: [...group.querySelectorAll(".question")],
    }));
    this.items = new Map(this.groups.flatMap(({ items }) => items).map((item) => [item.dataset.question, item]));
    this.index = null;
    this.openedItem = null; // opened by this script, not by the reader
  }

  /** A promise of the search index. */
  load() {
    this.index ??= readJson(this.form.dataset.questions).catch((error) => {
      this.index = null; // the next use tries again
      throw error;
    });
    return this.index;
  }

  readAddress() {
    const parameters = new URLSearchParams(location.search);
    const { text, platform } = this.form.elements;
    const message = parameters.get("text") ?? "";
    if (message !== messageInAddress(text.value.trim())) text.value = message; // the address of a long message has only a part of it
    platform.value = parameters.get("platform") ?? "";
    if (platform.selectedIndex === -1) platform.selectedIndex = 0; // the platform does not exist
    return this.ask(false);
  }

  /** Show the answers to the message in the form, or the groups if there is none. */
  async ask(keepsInAddress = true) {
    const { text, platform } = this.form.elements;
    const message = text.value.trim();
    let index = null;
    try {
      if (message) index = await this.load();
    } catch (error) {
      console.info("questions:", error);
      if (message !== text.value.trim()) return undefined;
      if (keepsInAddress) this.keepInAddress(message);
      return this.showGroups(platform.value, say("The search index could not be read. Select your platform to see its questions."));
    }
    if (message !== text.value.trim()) return undefined; // the reader has typed more
    if (keepsInAddress) this.keepInAddress(message);
    if (!message) return this.showGroups(platform.value, "");
    return this.showAnswers(answers(index, message, platform.value), platform.value);
  }

  showAnswers({ found: questions, named, opened: openId, other: otherId }, platform) {
    const items = questions.map((question) => this.items.get(question)).filter(Boolean);
    const help = (platform ? [platform] : [...named]).slice(0, MAX_HELP_PLATFORMS).map((id) => this.helpOf(id)).filter(Boolean);
    const text = this.statusText(items.length, openId, otherId);
    if (items.length === 0) this.showGroups(platform, text);
    else {
      this.restoreQuestions();
      for (const { group } of this.groups) group.hidden = true;
    }
    this.results.replaceChildren(...items, ...help, this.add);
    this.results.hidden = false;
    this.open(openId && this.items.get(openId));
    this.status.textContent = text;
  }

  statusText(count, openId, otherId) {
    const othersText = sayCount("{count} other answer may fit.", "{count} other answers may fit.", count - 1);
    if (openId) return sentences([say("Answer found."), ...(count > 1 ? [othersText] : [])]);
    if (otherId)
      return say("The answer to this message is about {one}, not {other}.", { one: this.nameOf(otherId.split("/")[0]), other: this.nameOf() });
    const noMatch = say("No answer matches this message.");
    if (count > 0) return sentences([noMatch, sayCount("{count} answer may fit.", "{count} answers may fit.", count)]);
    if (this.nameOf()) return sentences([noMatch, say("These are all questions about {platform}.", { platform: this.nameOf() })]);
    return sentences([noMatch, say("Select your platform to see its questions and support channels.")]);
  }

  /** The name of a platform, by default the selected one; an empty value if none is selected. */
  nameOf(id = this.form.elements.platform.value) {
    return id && [...this.form.elements.platform.options].find(({ value }) => value === id)?.text;
  }

  /** Show the groups of all platforms, closed, or only that of the selected platform, open. */
  showGroups(platform, text) {
    this.restoreQuestions();
    this.results.hidden = true;
    this.open(null);
    let shownCount = 0;
    for (const { group, items } of this.groups) {
      group.hidden = Boolean(platform) && group.dataset.platform !== platform;
      group.open = group.dataset.platform === platform;
      if (!group.hidden) shownCount += items.length;
    }
    this.status.textContent = text || say("Showing {shown} of {all} questions.", { shown: shownCount, all: this.items.size });
  }

  helpOf(platform) {
    return this.groups.find(({ group }) => group.dataset.platform === platform)?.help?.cloneNode(true);
  }

  /** Move all questions back to their groups. */
  restoreQuestions() {
    for (const { group, help, items } of this.groups) help ? help.before(...items) : group.append(...items);
    this.box.append(this.add);
    this.results.replaceChildren();
  }

  open(item) {
    if (this.openedItem && this.openedItem !== item) this.openedItem.open = false;
    if (item && !item.open) {
      item.open = true;
      this.openedItem = item;
    }
    if (!item) this.openedItem = null;
  }

  keepInAddress(message) {
    const platform = this.form.elements.platform.value;
    const parameters = new URLSearchParams();
    if (message) parameters.set("text", messageInAddress(message));
    if (platform) parameters.set("platform", platform);
    const query = parameters.toString();
    history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
  }
}

/** The part of a message that the address has. */
function messageInAddress(message) {
  return message.length > MAX_ADDRESS_LENGTH ? lastError(message).slice(0, MAX_ADDRESS_LENGTH) : message;
}
