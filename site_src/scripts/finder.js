// Answers the form "Which card do you have?" with install commands while the reader types. Without this script, the form
// opens the table of all hardware.

import { startCopying } from "./copying.js";
import { Cards, SHORTEST } from "./finder-model.js";
import { OtherWays } from "./finder-others.js";
import { MOST_CHARACTERS } from "./finder-reading.js";
import { answerBox, helpBox, nearBox, otherBox } from "./finder-view.js";
import { element, link, say, sayCount, sentences } from "./elements.js";
import { readJson } from "./json-files.js";
import { number } from "./numbers.js";
import { olderRelease } from "./selector-messages.js";
import { readSelector } from "./selector-rows.js";
import { architectureOfBrowser, nameOfSystem } from "./selector.js";
import { shownWishes, Wishes } from "./selector-wishes.js";

const MOST_ANSWERS = 6;
const LONGEST_QUOTED = 80;
const LONGEST_ERROR = 1000; // characters at its end, where the error is
const ERROR = /\w*(?:error|exception)\b *:|^traceback\b/im;
const LONGEST_IN_ADDRESS = 200; // characters; a longer query is not kept in the address

/** Makes the finder's form work; answers at once if the form or the address has a query. */
export function startFinder(form) {
  const finder = new Finder(form);
  const input = form.elements.card;
  startCopying(form);
  input.addEventListener("input", () => finder.ask());
  input.addEventListener("focus", () => finder.load().catch(() => {}), { once: true });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    finder.ask();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    finder.ask();
  });
  document.addEventListener("change", ({ target }) => {
    if (["os", "arch", "python"].includes(target.name) && input.value.trim()) finder.ask();
  });
  input.value = input.value.replace(/\n+$/, ""); // from pressing Enter before this script was loaded
  if (input.value.trim()) finder.ask();
  else finder.readAddress();
  addEventListener("popstate", () => finder.readAddress());
}

/** The finder of one form: loads its data on first use and shows the answers. */
class Finder {
  constructor(form) {
    this.form = form;
    this.status = form.querySelector("[role=status]");
    this.answers = form.querySelector("[data-part=answers]");
    this.data = null;
    this.isLoaded = false;
    this.turn = 0; // number of the latest query; results of earlier queries are dropped
  }

  /** Returns a promise of the data that the finder needs; reads it once. */
  load() {
    this.data ??= readAll(this.form.dataset).catch((error) => {
      this.data = null; // the next use tries again
      throw error;
    });
    return this.data;
  }

  /** Asks the query of the address, on the page whose address has it; a query that is too long for the address stays in the form. */
  readAddress() {
    if (!ownsAddress()) return;
    const input = this.form.elements.card;
    const query = new URLSearchParams(location.search).get("card") ?? "";
    if (query === queryInAddress(input.value.trim())) return;
    input.value = query.slice(0, MOST_CHARACTERS);
    this.ask();
  }

  /** Reads the query in the form and shows its answers. */
  async ask() {
    const turn = (this.turn += 1);
    await new Promise((resolve) => setTimeout(resolve)); // a text of several lines fires one event for each line
    if (turn !== this.turn) return undefined;
    const query = this.form.elements.card.value.trim();
    keepInAddress(query);
    if (!query) return this.show("", []);
    let data = null;
    if (!this.isLoaded) this.status.textContent = say("Searching…"); // the data of all hardware takes a moment
    try {
      data = await this.load();
      this.isLoaded = true;
    } catch (error) {
      if (turn !== this.turn) return undefined;
      return this.show(...this.#failed(error));
    }
    if (turn !== this.turn) return undefined; // the query changed in the meantime
    const answer = await this.#answer(data, query).catch((error) => this.#failed(error));
    if (turn !== this.turn) return undefined;
    const [status, boxes] = answer;
    return this.show(status, [...errorLink(this.form, query), ...boxes]);
  }

  /** Returns the status text and the elements to show if the data could not be loaded. */
  #failed(error) {
    console.info("card finder:", error);
    return [say("The finder could not load its data. The table of all hardware has the same answers."), [allHardware(this.form)]];
  }

  /** Returns the status text and the elements to show for a query: [text, elements]. */
  async #answer({ cards, rows, model, readerSystem }, query) {
    if ((query.slice(0, MOST_CHARACTERS).match(/[\p{Letter}\p{Number}]/gu) ?? []).length < SHORTEST) return [say("Type at least two letters or digits."), []];
    const system = selectedSystem(model, readerSystem);
    const runsHere = (platform, os) => Object.keys(model.offers(platform)).some((machine) => machine.includes(os ?? system.os));
    const { answers: hits, unknown } = cards.read(query, runsHere, system.os);
    const platforms = cards.platforms.map(({ platform }) => platform);
    const cpu = cards.platforms.find(({ isCpu }) => isCpu)?.platform;
    const { root, home = root } = this.form.dataset;
    const context = { root, home, model, system, platforms, cpu, openHere, query, answers: hits };
    const notListed = say("“{name}” is not in the list.", { name: shortened(unknown || query) });
    const others = hits.length === 0 || hits[0].guessed || hits[0].page ? (await this.#otherWays(cards, query)).map((entry) => otherBox(context, entry)) : [];
    if (others.length > 0 && !hits[0]?.page) return [say("There is no install command for “{name}” here.", { name: shortened(query) }), others.slice(0, MOST_ANSWERS)];
    if (hits.length === 0 && cards.reader.namesOnlyARelease(query)) return [say("Type the name of your hardware, too."), [releaseLink(this.form, olderRelease(model, cards.reader.read(query).release))]];
    if (hits.length === 0) return [notListed, [...nearBox(context, cards.nearest(query)), helpBox(context)]];
    const listed = hits.slice(0, MOST_ANSWERS);
    const platformIds = new Set([...listed.map(({ platform }) => platform), cpu].map((platform) => platform?.id));
    await Promise.all([...platformIds].filter((id) => id in model.data.offers).map((id) => rows.load(id)));
    const boxes = listed.map((answer, index) => answerBox(context, answer, index));
    if (hits[0].guessed) return [sentences([notListed, say("The vendor's pages list its hardware.")]), [...nearBox(context, cards.nearest(query)), ...boxes, helpBox(context)]];
    const cutNote = this.form.elements.card.value.length >= MOST_CHARACTERS ? [say("Only the first {count} characters were read.", { count: number(MOST_CHARACTERS) })] : [];
    const remarks = [...(unknown ? [notListed] : []), ...cutNote];
    boxes.push(...others);
    if (hits.length === 1) return [sentences([sayCount("{count} match.", "{count} matches.", 1), ...remarks]), boxes];
    const hint = hits.length > MOST_ANSWERS ? say("Showing the first {count}. Type more of the name to see fewer.", { count: MOST_ANSWERS }) : say("The best match is first.");
    return [sentences([sayCount("{count} match.", "{count} matches.", hits.length), hint, ...remarks]), boxes];
  }

  /** Returns the backends and runtimes that a typed query names; reads their list once. */
  async #otherWays(cards, query) {
    const { others } = this.form.dataset;
    if (!others || cards.reader.read(query).pasted) return [];
    this.others ??= readJson(others).then((data) => new OtherWays(data, cards.language)).catch((error) => {
      this.others = null; // the next use tries again
      throw error;
    });
    return (await this.others).find(query);
  }

  show(status, answers) {
    if (this.status.textContent !== status) this.status.textContent = status;
    this.answers.replaceChildren(...answers);
  }
}

/** Reads the hardware and the selector's rows, and detects the reader's system. */
async function readAll({ finder, install }) {
  const [cards, rows, architecture] = await Promise.all([readJson(finder), readSelector(install), architectureOfBrowser()]);
  const { model } = rows;
  const start = model.start(nameOfSystem());
  return { cards: new Cards(cards), rows, model, readerSystem: { os: start.os, arch: architecture ?? start.arch, isGuessed: nameOfSystem() !== start.os } };
}

/** Returns the system and Python that the reader selected in the selector on this page, or else the browser's system. */
function selectedSystem(model, readerSystem) {
  const wishes = ownsAddress() ? new Wishes() : shownWishes(model, location.search).wishes;
  const os = wishes.get("os");
  const python = wishes.get("python");
  if (!os) return { ...readerSystem, python };
  return { os, python, arch: wishes.get("arch") ?? (os === readerSystem.os ? readerSystem.arch : model.start(os).arch) };
}

/** Sets the selector on this page to a query; returns false if there is no selector. */
function openHere(query) {
  const selector = document.querySelector("form[data-selector]:not([data-platform])[data-ready]");
  if (!selector) return false;
  history.pushState(null, "", `?${query}`);
  dispatchEvent(new PopStateEvent("popstate"));
  selector.scrollIntoView();
  selector.querySelector("[data-part=script]").focus({ preventScroll: true });
  return true;
}

/** Cuts a long text for use in a message. */
function shortened(text) {
  return text.length > LONGEST_QUOTED ? `${text.slice(0, LONGEST_QUOTED)}…` : text;
}

/** Returns a link to the search for error messages if the query looks like one, as a list. */
function errorLink({ dataset }, query) {
  if (!ERROR.test(query)) return [];
  const line = element("p", "answer-links");
  line.append(link(`${dataset.root}questions/?${new URLSearchParams({ text: query.slice(-LONGEST_ERROR) })}`, say("Find this error message")));
  return [line];
}

/** Returns a paragraph with links for a release; `older` are parts on older releases. */
function releaseLink({ dataset }, older) {
  const line = element("p", "answer-links");
  line.append(...older, " ", link(`${dataset.root}versions/`, say("Platforms by PyTorch release")));
  return line;
}

/** Returns a paragraph with links to the list of all hardware. */
function allHardware(form) {
  const line = element("p", "answer-links");
  line.append(link(`${form.dataset.root}hardware/#all`, say("All hardware")), " ", link(`${form.dataset.root}hardware/#see`, say("How to identify your hardware")));
  return line;
}

/** Returns whether the address holds the finder's query, which is so on the hardware page. */
function ownsAddress() {
  return document.querySelector(".all-hardware") !== null;
}

/** Writes the query to the address on the hardware page; on other pages, the address belongs to the selector. */
function keepInAddress(query) {
  if (!ownsAddress()) return;
  const card = queryInAddress(query);
  history.replaceState(null, "", (card ? `?card=${encodeURIComponent(card)}` : location.pathname) + location.hash);
}

/** Returns the query that the address has: "" for one that is too long. */
function queryInAddress(query) {
  return query.length <= LONGEST_IN_ADDRESS ? query : "";
}
