// "Which card do you have?": commands while the reader types. Without this script the form leads to the table of all cards.

import { startCopying } from "./copying.js";
import { Cards, MOST_CHARACTERS, SHORTEST } from "./finder-model.js";
import { answerBox, helpBox, nearBox } from "./finder-view.js";
import { element, link, say, sayCount, sentences } from "./elements.js";
import { olderRelease } from "./selector-messages.js";
import { readSelector } from "./selector-rows.js";
import { architectureOfBrowser, nameOfSystem } from "./selector.js";

const MOST_ANSWERS = 6;
const LONGEST_QUOTED = 80;
const LONGEST_ERROR = 1000; // its last characters, which name the error
const ERROR = /\w*(?:error|exception)\b *:|^traceback\b/im;
const LONGEST_KEPT = 200; // characters of a query that stands in the address

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
  input.value = input.value.replace(/\n+$/, ""); // Enter, pressed before this script was there
  if (input.value.trim()) finder.ask();
  const asked = ownsAddress() && new URLSearchParams(location.search).get("card");
  if (asked) {
    input.value = asked.slice(0, MOST_CHARACTERS);
    finder.ask();
  }
}

class Finder {
  constructor(form) {
    this.form = form;
    this.status = form.querySelector("[role=status]");
    this.answers = form.querySelector("[data-part=answers]");
    this.data = null;
    this.turn = 0; // counts the questions: only the last one is answered
  }

  load() {
    this.data ??= readAll(this.form.dataset);
    return this.data;
  }

  async ask() {
    const turn = (this.turn += 1);
    await new Promise((go) => setTimeout(go)); // text of many lines brings an event for each line
    if (turn !== this.turn) return undefined;
    const query = this.form.elements.card.value.trim();
    keepInAddress(query);
    if (!query) return this.show("", []);
    let data = null;
    try {
      data = await this.load();
    } catch (error) {
      this.data = null; // the next letter tries again
      return this.show(...this.#failed(error));
    }
    if (turn !== this.turn) return undefined; // the reader typed on meanwhile
    const answer = await this.#answer(data, query).catch((error) => this.#failed(error));
    if (turn !== this.turn) return undefined;
    const [status, boxes] = answer;
    return this.show(status, [...errorLink(this.form, query), ...boxes]);
  }

  #failed(error) {
    console.info("card finder:", error);
    return [say("The finder could not load its data. The table of all hardware has the same answers."), [allHardware(this.form)]];
  }

  async #answer({ cards, rows, model, own }, query) {
    if ((query.slice(0, MOST_CHARACTERS).match(/[\p{Letter}\p{Number}]/gu) ?? []).length < SHORTEST) return [say("Type at least two letters or digits."), []];
    const system = selectedSystem(model, own);
    const runsHere = (platform, os) => Object.keys(model.offers(platform)).some((machine) => machine.includes(os ?? system.os));
    const { answers: found, unknown } = cards.read(query, runsHere, system.os);
    const platforms = cards.platforms.map(({ platform }) => platform);
    const cpu = cards.platforms.find(({ isCpu }) => isCpu)?.platform;
    const { root, home = root } = this.form.dataset;
    const context = { root, home, model, system, platforms, cpu, openHere, query, answers: found };
    const missing = say("“{name}” is not in the list.", { name: shortened(unknown || query) });
    if (found.length === 0 && cards.reader.namesOnlyARelease(query)) return [say("Type the name of your hardware, too."), [releaseLink(this.form, olderRelease(model, cards.reader.read(query).release))]];
    if (found.length === 0) return [missing, [...nearBox(context, cards.nearest(query)), helpBox(context)]];
    const leading = found.slice(0, MOST_ANSWERS);
    const needed = new Set([...leading.map(({ platform }) => platform), cpu].map((platform) => platform?.id));
    await Promise.all([...needed].filter((id) => id in model.data.offers).map((id) => rows.load(id)));
    const shown = leading.map((answer, place) => answerBox(context, answer, place));
    if (found[0].guessed) return [sentences([missing, say("The vendor's pages list its hardware.")]), [...nearBox(context, cards.nearest(query)), ...shown, helpBox(context)]];
    const cut = this.form.elements.card.value.length >= MOST_CHARACTERS ? [say("Only the first {count} characters were read.", { count: MOST_CHARACTERS.toLocaleString("en-US") })] : [];
    const also = [...(unknown ? [missing] : []), ...cut];
    if (found.length === 1) return [sentences([sayCount("{count} match.", "{count} matches.", 1), ...also]), shown];
    const more = found.length > MOST_ANSWERS ? say("Showing the first {count}. Type more of the name to see fewer.", { count: MOST_ANSWERS }) : say("The best match is first.");
    return [sentences([sayCount("{count} match.", "{count} matches.", found.length), more, ...also]), shown];
  }

  show(status, answers) {
    if (this.status.textContent !== status) this.status.textContent = status;
    this.answers.replaceChildren(...answers);
  }
}

/** The cards, the selector's rows and the reader's own machine. */
async function readAll({ finder, install }) {
  const [cards, rows, architecture] = await Promise.all([read(finder), readSelector(install), architectureOfBrowser()]);
  const { model } = rows;
  const start = model.start(nameOfSystem());
  return { cards: new Cards(cards), rows, model, own: { os: start.os, arch: architecture ?? start.arch, isGuessed: nameOfSystem() !== start.os } };
}

/** The system and Python that the reader selected in the selector of the same page, or else the browser's system. */
function selectedSystem(model, own) {
  const selected = new URLSearchParams(ownsAddress() ? "" : location.search);
  const os = selected.get("os");
  const python = selected.get("python") ?? undefined;
  if (!model.data.axes.os.some(([id]) => id === os)) return { ...own, python };
  return { os, python, arch: selected.get("arch") ?? (os === own.os ? own.arch : model.start(os).arch) };
}

async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return answer.json();
}

/** Set the selector of the same page; false where there is none. */
function openHere(query) {
  const selector = document.querySelector("form[data-selector]:not([data-platform])[data-ready]");
  if (!selector) return false;
  history.pushState(null, "", `?${query}`);
  dispatchEvent(new PopStateEvent("popstate"));
  selector.scrollIntoView();
  selector.querySelector("[data-part=script]").focus({ preventScroll: true });
  return true;
}

function shortened(text) {
  return text.length > LONGEST_QUOTED ? `${text.slice(0, LONGEST_QUOTED)}…` : text;
}

/** A link to the meaning of an error message, if the reader pasted one. */
function errorLink({ dataset }, query) {
  if (!ERROR.test(query)) return [];
  const line = element("p", "answer-links");
  line.append(link(`${dataset.root}questions/?text=${encodeURIComponent(query.slice(-LONGEST_ERROR))}`, say("Find this error message")));
  return [line];
}

function releaseLink({ dataset }, older) {
  const line = element("p", "answer-links");
  line.append(...older, " ", link(`${dataset.root}versions/`, say("Platforms by PyTorch release")));
  return line;
}

function allHardware(form) {
  const line = element("p", "answer-links");
  line.append(link(`${form.dataset.root}hardware/#all`, say("All hardware")), " ", link(`${form.dataset.root}hardware/#see`, say("How to identify your hardware")));
  return line;
}

function ownsAddress() {
  return document.querySelector(".all-hardware") !== null;
}

/** On the hardware page the query belongs to the address; elsewhere the address is the selector's. */
function keepInAddress(query) {
  if (!ownsAddress()) return;
  const address = query && query.length <= LONGEST_KEPT ? `?card=${encodeURIComponent(query)}` : location.pathname;
  history.replaceState(null, "", address + location.hash);
}
