// "Which card do you have?": answers while the reader types. Without this script the form leads to the table of all cards.

import { element, link } from "./elements.js";
import { Cards, SHORTEST, tokens } from "./finder-model.js";

const MOST_ANSWERS = 6;
const MOST_MODELS = 8;

export function startFinder(form) {
  const finder = new Finder(form);
  const input = form.elements.card;
  input.addEventListener("input", () => finder.ask());
  input.addEventListener("focus", () => finder.load(), { once: true });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    finder.ask();
  });
  const asked = new URLSearchParams(location.search).get("card");
  if (asked) {
    input.value = asked.slice(0, input.maxLength);
    finder.ask();
  }
}

class Finder {
  constructor(form) {
    this.form = form;
    this.status = form.querySelector("[role=status]");
    this.answers = form.querySelector("[data-part=answers]");
    this.cards = null;
  }

  load() {
    this.cards ??= read(this.form.dataset.finder);
    return this.cards;
  }

  async ask() {
    const query = this.form.elements.card.value.trim();
    keepInAddress(query);
    if (!query) return this.show("", []);
    let cards = null;
    try {
      cards = await this.load();
    } catch (error) {
      this.cards = null; // the next letter tries again
      console.info("card finder:", error);
      return this.show("The list of cards could not be read. The table of all hardware has the same answers.", []);
    }
    if (query !== this.form.elements.card.value.trim()) return undefined; // the reader typed on meanwhile
    return this.show(...this.#answer(cards, query));
  }

  #answer(cards, query) {
    if (tokens(query).join("").length < SHORTEST) return ["Type at least two letters or digits.", []];
    const found = cards.find(query);
    if (found.length === 0) {
      return [`No card here is called “${query}”.`, [allHardware(this.form)]];
    }
    const shown = found.slice(0, MOST_ANSWERS).map((answer) => this.#card(answer));
    if (found.length === 1) return ["One entry fits.", shown];
    const more = found.length > MOST_ANSWERS ? ` The first ${MOST_ANSWERS} are shown; type more of the name.` : "";
    return [`${found.length} entries fit.${more}`, shown];
  }

  #card({ platform, generation, models }) {
    const root = this.form.dataset.root;
    const box = element("article", "answer");
    const named = models.length > 0 ? models : generation.models;
    const names = named.slice(0, MOST_MODELS).map((model) => model.name);
    if (named.length > MOST_MODELS) names.push(`${named.length - MOST_MODELS} more`);
    const chip = generation.chip ? `, ${platform.chip ? `${platform.chip} ` : ""}${generation.chip}` : "";
    box.append(element("h3", "answer-name", names.join(", ")));
    box.append(element("p", "answer-what", `${platform.name}: ${generation.name}${chip}${figures(named)}`));
    const runs = element("p", `answer-runs runs-${generation.verdict}`);
    runs.append(element("strong", "", "Newest PyTorch: "), generation.words);
    box.append(runs);
    for (const note of generation.notes) box.append(element("p", "note", note));
    const links = element("p", "answer-links");
    if (generation.install) links.append(link(root + generation.install, "Commands for it"), " ");
    links.append(link(root + generation.page, `${generation.name} on the page of ${platform.name}, with sources`));
    box.append(links);
    if (platform.identify.length > 0) box.append(identify(platform));
    return box;
  }

  show(status, answers) {
    if (this.status.textContent !== status) this.status.textContent = status;
    this.answers.replaceChildren(...answers);
  }
}

async function read(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return new Cards(await answer.json());
}

/** One card's memory and power; of several there is no one figure. */
function figures(models) {
  if (models.length !== 1) return "";
  const [model] = models;
  const parts = [model.memory_gb && `${model.memory_gb} GB${model.memory ? `, ${model.memory}` : ""}`, model.power_w && `${model.power_w} W`];
  return parts.filter(Boolean).map((part) => `, ${part}`).join("");
}

function identify(platform) {
  const line = element("p", "answer-identify", "To be sure: ");
  platform.identify.forEach((way, place) => {
    if (place > 0) line.append(", ");
    line.append(element("code", "", way.command));
  });
  return line;
}

function allHardware(form) {
  const line = element("p", "answer-links");
  line.append(link(`${form.dataset.root}hardware/#all`, "All hardware"), " ", link(`${form.dataset.root}hardware/#see`, "How to see what a machine has"));
  return line;
}

/** On the page of the hardware the question belongs to the address; elsewhere the address is the selector's. */
function keepInAddress(query) {
  if (!document.querySelector(".all-hardware")) return;
  const address = query ? `?card=${encodeURIComponent(query)}` : location.pathname;
  history.replaceState(null, "", address + location.hash);
}
