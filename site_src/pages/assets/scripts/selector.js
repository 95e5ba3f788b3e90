// The install selector: reads its data, follows the reader's wishes, keeps them in the address and on this device.

import { startCopying } from "./copying.js";
import { say } from "./elements.js";
import { announce, showLimit } from "./selector-messages.js";
import { readSelector } from "./selector-rows.js";
import { showChoice, showResult, showScript } from "./selector-view.js";
import { driverVersion, readAddress, recall, remember, Wishes } from "./selector-wishes.js";

const SETTLED_MS = 1000; // quicker changes of one axis are one step of the history

export async function startSelector(form) {
  startCopying(form);
  showFirst(form);
  try {
    await new Selector(form, await readSelector(form.dataset.selector)).begin();
  } catch (error) {
    fail(form, error);
  }
}

class Selector {
  constructor(form, rows) {
    const { model } = rows;
    this.form = form;
    this.rows = rows;
    this.model = model;
    this.turn = 0;
    this.fixedPlatform = form.dataset.platform;
    this.browser = { os: systemOfBrowser(model), arch: null }; // the machine, as far as the browser tells
    this.wishes = new Wishes();
    this.last = { axis: null, at: -Infinity };
  }

  async begin() {
    const { form } = this;
    await this.#readAddress();
    form.addEventListener("change", (event) => event.target.name && this.#choose(event.target.name, event.target.value || null));
    form.addEventListener("click", (event) => this.#press(event.target));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.querySelector("#driver-version")?.addEventListener("input", (event) => this.#takeDriver(event.target.value));
    form.querySelector("[data-filter=platform]")?.addEventListener("input", () => this.#filterPlatforms());
    addEventListener("popstate", () => this.#readAddress());
    for (const control of form.querySelectorAll("textarea, [data-reset]")) control.disabled = false;
    form.dataset.ready = "";
    this.#learnArchitecture();
    if (!this.fixedPlatform) this.#followPointer();
  }

  /** Fetch the platform that is pointed at, and those of the fold once it opens. */
  #followPointer() {
    const { form, rows } = this;
    const inputOf = (target) => target.closest?.("label")?.querySelector("input[name=platform]");
    for (const event of ["pointerover", "focusin"]) {
      form.addEventListener(event, ({ target }) => {
        const input = inputOf(target);
        if (input) rows.load(input.value).catch(() => {});
      });
    }
    form.querySelector(".axis-platform .more-choices")?.addEventListener("toggle", () => this.#loadAhead());
  }

  /** Fetch what a next click may need: the platforms that are shown and have commands for the machine. */
  async #loadAhead() {
    if (this.fixedPlatform) return;
    const { form, rows } = this;
    const shown = [...form.querySelectorAll(".axis-platform .choice:not(.is-blocked, [hidden]) input")].filter((input) => !input.closest("details:not([open])"));
    const isNews = await rows.loadAhead(shown.map((input) => input.value));
    if (isNews && !form.hasAttribute("aria-busy")) this.showChips(); // they can now tell what the other platforms bring
    form.dataset.loadedAhead = "";
  }

  /** The reader picked a value: it becomes a wish, and everything else is derived afresh. */
  #choose(axis, value) {
    this.#take(this.wishes.with(axis, axis === "build" && value === "stable" ? null : value), axis);
  }

  #take(wishes, axis) {
    const isStep = axis === "platform" || this.model.data.machine.includes(axis);
    const step = isStep ? { axis, wish: this.wishes.get(axis), choice: this.choice } : null;
    this.wishes = wishes;
    const now = performance.now();
    const settled = axis !== this.last.axis || now - this.last.at > SETTLED_MS;
    this.last = { axis, at: now };
    const query = wishes.query(this.fixedPlatform);
    const address = (query ? `?${query}` : location.pathname) + location.hash;
    history[settled ? "pushState" : "replaceState"](null, "", address);
    remember(wishes);
    this.#show({ step });
  }

  #press(target) {
    const { axis, machine, wish } = target.dataset;
    if (target.type === "radio" && this.unmet.has(target.name) && this.choice[target.name] === target.value) {
      this.#take(this.wishes.with(target.name, null), target.name); // what is shown instead of a wish was confirmed
    } else if (wish !== undefined) {
      this.#take(this.wishes.with(axis, wish || null), "back");
    } else if (machine) {
      const values = machine.split(" ");
      this.#take(this.model.data.machine.reduce((wishes, axis, n) => wishes.with(axis, values[n]), this.wishes), "machine");
    } else if ("reset" in target.dataset) {
      this.form.querySelector("#driver-version").value = "";
      this.#take(new Wishes(), "reset");
    } else if ("removeLimit" in target.dataset) {
      this.form.querySelector("#driver-version").value = "";
      this.#take(this.wishes.with("card", null).with("driver", null), "limit");
    }
  }

  /** Hide the platforms whose name and vendor do not hold what was typed. */
  #filterPlatforms() {
    const { form, model } = this;
    const wanted = form.querySelector("[data-filter=platform]")?.value.trim().toLowerCase() ?? "";
    for (const input of form.querySelectorAll(".axis-platform .more-choices input[type=radio]")) {
      const names = model.values("platform").find(([id]) => id === input.value) ?? [];
      input.closest("label").hidden = !names.join(" ").toLowerCase().includes(wanted);
    }
  }

  #takeDriver(text) {
    const driver = driverVersion(text);
    const state = this.form.querySelector("[data-part=driver-state]");
    state.textContent = text.trim() && !driver ? say("No driver version found. Use a format like 535 or 535.104.") : "";
    if (driver !== (this.wishes.get("driver") ?? null)) this.#take(this.wishes.with("driver", driver), "driver");
  }

  /** Show what the address asks for; without a choice there, that of the last visit. */
  #readAddress() {
    const { wishes, unknown } = readAddress(this.model, location.search);
    this.wishes = wishes.list.length > 0 || unknown.length > 0 || this.wishes.list.length > 0 ? wishes : recall(this.model);
    const driver = this.form.querySelector("#driver-version");
    if (driver) driver.value = this.wishes.get("driver") ?? "";
    this.last = { axis: null, at: -Infinity };
    return this.#show({ unknown, quiet: true });
  }

  /** Show what the wishes lead to, at once where its rows are there; of several clicks, the last counts. */
  async #show(how = {}) {
    const { form, rows, model } = this;
    this.turn += 1;
    const { turn } = this;
    const platform = model.platform(this.#whole());
    if (rows.has(platform)) return this.#present(how);
    form.setAttribute("aria-busy", "true");
    try {
      await rows.load(platform);
    } catch (error) {
      if (!("ready" in form.dataset)) throw error;
      if (turn === this.turn) missRows(form, model, platform, error);
      return;
    }
    if (turn === this.turn) this.#present(how);
  }

  #present({ unknown = [], quiet = false, step = null }) {
    const { form, model } = this;
    form.removeAttribute("aria-busy");
    const whole = this.#whole();
    const found = model.resolve(whole, this.wishes.limits);
    this.choice = found.choice;
    this.unmet = new Set(found.unmet.map(([axis]) => axis));
    this.showChips = () => {
      showChoice(form, model, found, whole, this.wishes.limits);
      this.#filterPlatforms();
    };
    this.showChips();
    showResult(form, model, found, this.wishes);
    showLimit(form, model, found.choice.platform, this.wishes.limits);
    announce(form, model, found, { wishes: this.wishes.list, whole, limits: this.wishes.limits, unknown, quiet, step });
    this.#loadAhead();
  }

  /** The wishes with the machine that the browser tells of, and the page's platform. */
  #whole() {
    const { model, wishes, fixedPlatform } = this;
    const start = model.start(this.browser.os);
    const os = wishes.get("os") ?? start.os;
    const arch = this.browser.arch && this.browser.os === os ? this.browser.arch : model.start(os).arch;
    const machine = Object.entries({ os, arch }).filter(([axis]) => wishes.get(axis) === undefined);
    const platform = fixedPlatform ? [["platform", fixedPlatform]] : [];
    const own = wishes.list.filter(([axis]) => !(fixedPlatform && axis === "platform"));
    const whole = [...machine, ...platform, ...own];
    const here = Object.fromEntries(whole);
    const elsewhere = fixedPlatform && wishes.get("os") === undefined && !(model.machine(here) in model.offers(fixedPlatform)) && !model.ended(here)?.platforms.includes(fixedPlatform);
    if (!elsewhere) return whole;
    // A reader who looks at a platform for another machine sees that machine's commands.
    const usual = Object.fromEntries(model.data.machine.map((axis) => [axis, model.data.starts[0][axis]]));
    return [...Object.entries(usual), ...whole.filter(([axis]) => !model.data.machine.includes(axis))];
  }

  async #learnArchitecture() {
    const arch = await architectureOfBrowser();
    if (!arch || arch === this.model.start(this.browser.os).arch) return;
    this.browser.arch = arch;
    this.#show({ quiet: true });
  }
}

/** Nothing could be read: the table of commands takes over. */
function fail(form, error) {
  form.classList.add("has-failed");
  form.removeAttribute("aria-busy");
  report(form, say("The install selector could not load its data. The table of commands below has the same commands."));
  document.querySelectorAll(".static-commands").forEach((table) => {
    table.classList.add("is-needed");
    table.open = true;
  });
  console.info("install selector:", error);
}

/** The rows of one platform could not be read: no commands are shown, rather than another platform's. */
function missRows(form, model, platform, error) {
  form.removeAttribute("aria-busy");
  form.querySelector("[data-part=box]").hidden = true;
  report(form, say("The commands for {platform} could not be loaded. Check your connection and select the platform again.", { platform: model.label("platform", platform) }));
  console.info("install selector:", error);
}

function report(form, text) {
  const status = form.querySelector("[data-part=status]");
  status.textContent = text;
  status.classList.add("has-news");
}

/** Before the data is there, show the first choice of the reader's own system, which the page brings along. */
function showFirst(form) {
  const first = JSON.parse(form.dataset.first)[nameOfSystem()];
  if (!first || location.search) return;
  showScript(form, first.script);
  form.querySelector("[data-part=summary]").textContent = first.summary;
  for (const input of form.querySelectorAll("input[type=radio]")) input.checked = first.choice[input.name] === input.value;
}

function systemOfBrowser(model) {
  const name = nameOfSystem();
  return model.data.starts.some((start) => start.os === name) ? name : model.data.starts[0].os;
}

/** As client hints tell it, or the name of Linux on Arm. */
export async function architectureOfBrowser() {
  const { platform, userAgent, userAgentData } = navigator;
  if (!userAgentData) return platform === "Linux aarch64" && !userAgent.includes("Android") ? "aarch64" : null;
  const hints = await userAgentData.getHighEntropyValues?.(["architecture", "bitness"]).catch(() => null);
  return hints?.bitness === "64" ? { arm: "aarch64", x86: "x86_64" }[hints.architecture] ?? null : null;
}

/** Null on a phone or tablet, whose system says "Linux" or "MacIntel". */
export function nameOfSystem() {
  const name = (navigator.userAgentData?.platform || navigator.platform || "").toLowerCase();
  if (/android/i.test(navigator.userAgent) || (name.startsWith("mac") && navigator.maxTouchPoints > 1)) return null;
  if (name.startsWith("win")) return "windows";
  if (name.startsWith("mac")) return "macos";
  return name.includes("linux") ? "linux" : null;
}
