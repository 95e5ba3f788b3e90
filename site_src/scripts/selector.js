// Runs the install selector: loads its data, shows the commands for the reader's wishes, and stores the wishes.
// The address and this device keep them. A wish is [axis, value]: a value that the reader selected.

import { startCopying } from "./copying.js";
import { say } from "./elements.js";
import { announce, showLimit } from "./selector-messages.js";
import { readSelector } from "./selector-rows.js";
import { hideResult, showChoice, showResult, showScript } from "./selector-view.js";
import { driverVersion, recall, remember, shownWishes, Wishes } from "./selector-wishes.js";
import { showStaticCommands } from "./static-commands.js";

const SETTLED_MS = 1000; // within this time, changes of one axis are one entry of the browser's history

export async function startSelector(form) {
  startCopying(form);
  showFirstChoice(form);
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
    this.showCount = 0;
    this.fixedPlatform = form.dataset.platform;
    this.browser = { os: systemOfBrowser(model), arch: null }; // null where the browser does not tell
    this.wishes = new Wishes();
    this.wishesWithoutAddress = recall(model); // shown while the address has no wishes
    this.unknown = []; // values in the address that do not exist
    this.lastChange = { axis: null, at: -Infinity };
  }

  async begin() {
    const { form } = this;
    await this.#readAddress();
    form.addEventListener("change", (event) => event.target.name && this.#choose(event.target.name, event.target.value || null));
    form.addEventListener("click", (event) => this.#handleClick(event.target));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.querySelector("#driver-version").addEventListener("input", (event) => this.#setDriver(event.target.value));
    form.querySelector("[data-filter=platform]")?.addEventListener("input", () => this.#filterPlatforms());
    addEventListener("popstate", () => this.#readAddress());
    for (const control of form.querySelectorAll("textarea, [data-reset]")) control.disabled = false;
    form.dataset.ready = "";
    this.#learnArchitecture();
    if (!this.fixedPlatform) this.#followPointer();
  }

  /** Fetch the rows of a platform when the reader points at it, and of more platforms when their list opens. */
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

  /** Fetch the rows that the next click may need: of all visible platforms with commands for the machine. */
  async #loadAhead() {
    if (this.fixedPlatform) return;
    const { form, rows } = this;
    const visibleInputs = [...form.querySelectorAll(".axis-platform .choice:not(.is-blocked, [hidden]) input")].filter((input) => !input.closest("details:not([open])"));
    const hasNewRows = await rows.loadAhead(visibleInputs.map((input) => input.value));
    if (hasNewRows && !form.hasAttribute("aria-busy")) this.showChips(); // the new rows tell which builds the other platforms have
    form.dataset.loadedAhead = "";
  }

  /** Make a value that the reader selected a wish, and derive the choice again. */
  #choose(axis, value) {
    this.#setWishes(this.wishes.with(axis, axis === "build" && value === "stable" ? null : value), axis);
  }

  /** Show the choice for new wishes, of which `axis` changed, and keep them in the address and on this device. */
  #setWishes(wishes, axis) {
    const isPlatformOrMachine = axis === "platform" || this.model.data.machine.includes(axis);
    const step = isPlatformOrMachine ? { axis, wish: this.wishes.get(axis), choice: this.choice } : null;
    this.wishes = wishes;
    this.unknown = [];
    const now = performance.now();
    const isNewStep = axis !== this.lastChange.axis || now - this.lastChange.at > SETTLED_MS;
    this.lastChange = { axis, at: now };
    const query = wishes.query(this.fixedPlatform);
    if (!query) this.wishesWithoutAddress = wishes;
    const address = (query ? `?${query}` : location.pathname) + location.hash;
    history[isNewStep ? "pushState" : "replaceState"](null, "", address);
    remember(wishes);
    this.#show({ step });
  }

  #handleClick(target) {
    const { axis, machine, wish } = target.dataset;
    if (target.type === "radio" && this.unmetAxes.has(target.name) && this.choice[target.name] === target.value) {
      this.#setWishes(this.wishes.with(target.name, null), target.name); // the reader confirmed what is shown instead of the wish
    } else if (wish !== undefined) {
      this.#setWishes(this.wishes.with(axis, wish || null), "back");
    } else if (machine) {
      const values = machine.split(" ");
      this.#setWishes(this.model.data.machine.reduce((wishes, axis, n) => wishes.with(axis, values[n]), this.wishes), "machine");
    } else if ("reset" in target.dataset) {
      this.form.querySelector("#driver-version").value = "";
      this.#setWishes(new Wishes(), "reset");
    } else if ("removeLimit" in target.dataset) {
      this.form.querySelector("#driver-version").value = "";
      this.#setWishes(this.wishes.with("card", null).with("driver", null), "limit");
    }
  }

  /** Hide the platforms whose name and vendor do not contain the typed text. */
  #filterPlatforms() {
    const { form, model } = this;
    const text = form.querySelector("[data-filter=platform]")?.value.trim().toLowerCase() ?? "";
    for (const input of form.querySelectorAll(".axis-platform .more-choices input[type=radio]")) {
      const names = model.values("platform").find(([id]) => id === input.value) ?? [];
      input.closest("label").hidden = !names.join(" ").toLowerCase().includes(text);
    }
  }

  #setDriver(text) {
    const driver = driverVersion(text);
    const status = this.form.querySelector("[data-part=driver-state]");
    status.textContent = text.trim() && !driver ? say("No driver version found. Use a format like 535 or 535.104.") : "";
    if (driver !== (this.wishes.get("driver") ?? null)) this.#setWishes(this.wishes.with("driver", driver), "driver");
  }

  /** Show the wishes of the address; without any, those of the last visit. */
  #readAddress() {
    const { wishes, unknown } = shownWishes(this.model, location.search, this.wishesWithoutAddress);
    Object.assign(this, { wishes, unknown });
    this.form.querySelector("#driver-version").value = this.wishes.get("driver") ?? "";
    this.lastChange = { axis: null, at: -Infinity };
    return this.#show({ quiet: true });
  }

  /** Show the choice for the wishes, at once if its rows are loaded. If the reader clicks again meanwhile, only the last click counts. */
  async #show(options = {}) {
    const { form, rows, model } = this;
    this.showCount += 1;
    const { showCount } = this;
    const platform = model.platform(this.#allWishes());
    if (rows.has(platform)) return this.#present(options);
    form.setAttribute("aria-busy", "true");
    try {
      await rows.load(platform);
    } catch (error) {
      if (!("ready" in form.dataset)) throw error;
      if (showCount === this.showCount) showLoadError(form, model, platform, error);
      return;
    }
    if (showCount === this.showCount) this.#present(options);
  }

  #present({ quiet = false, step = null }) {
    const { form, model, unknown } = this;
    form.removeAttribute("aria-busy");
    const allWishes = this.#allWishes();
    const resolved = model.resolve(allWishes, this.wishes.limits);
    this.choice = resolved.choice;
    this.unmetAxes = new Set(resolved.unmet.map(([axis]) => axis));
    this.showChips = () => {
      showChoice(form, model, resolved, allWishes, this.wishes.limits);
      this.#filterPlatforms();
    };
    this.showChips();
    showResult(form, model, resolved, this.wishes);
    showLimit(form, model, resolved.choice.platform, this.wishes.limits);
    announce(form, model, resolved, { wishes: this.wishes.list, whole: allWishes, limits: this.wishes.limits, unknown, quiet, step });
    this.#loadAhead();
  }

  /** The wishes, completed with the machine of the browser and the platform of the page. */
  #allWishes() {
    const { model, wishes, fixedPlatform } = this;
    const start = model.start(this.browser.os);
    const os = wishes.get("os") ?? start.os;
    const arch = this.browser.arch && this.browser.os === os ? this.browser.arch : model.start(os).arch;
    const machine = Object.entries({ os, arch }).filter(([axis]) => wishes.get(axis) === undefined);
    const platform = fixedPlatform ? [["platform", fixedPlatform]] : [];
    const ownWishes = wishes.list.filter(([axis]) => !(fixedPlatform && axis === "platform"));
    const allWishes = [...machine, ...platform, ...ownWishes];
    const wishByAxis = Object.fromEntries(allWishes);
    const isElsewhere =
      fixedPlatform && wishes.get("os") === undefined && !(model.machine(wishByAxis) in model.offers(fixedPlatform)) && !model.ended(wishByAxis)?.platforms.includes(fixedPlatform);
    if (!isElsewhere) return allWishes;
    // The platform has no commands for the reader's machine: show those for the default machine.
    const defaultMachine = Object.fromEntries(model.data.machine.map((axis) => [axis, model.data.starts[0][axis]]));
    return [...Object.entries(defaultMachine), ...allWishes.filter(([axis]) => !model.data.machine.includes(axis))];
  }

  async #learnArchitecture() {
    const arch = await architectureOfBrowser();
    if (!arch || arch === this.model.start(this.browser.os).arch) return;
    this.browser.arch = arch;
    this.#show({ quiet: true });
  }
}

/** Show the static table of commands instead of the selector, as the data could not be loaded. */
function fail(form, error) {
  showStaticCommands(form);
  showStatus(form, say("The install selector could not load its data. The table of commands below has the same commands."));
  console.info("install selector:", error);
}

/** Say that the rows of a platform could not be loaded, and hide the commands, which are another platform's. A click on the platform tries again. */
function showLoadError(form, model, platform, error) {
  form.removeAttribute("aria-busy");
  hideResult(form);
  const input = form.querySelector(`input[name=platform][value="${platform}"]`);
  if (input) input.checked = false; // a click on a checked radio button changes nothing
  showStatus(form, say("The commands for {platform} could not be loaded. Check your connection and select the platform again.", { platform: model.label("platform", platform) }));
  console.info("install selector:", error);
}

function showStatus(form, text) {
  const status = form.querySelector("[data-part=status]");
  status.textContent = text;
  status.classList.add("has-news");
}

/** Until the data is loaded, show the default choice for the reader's system, which is part of the page. */
function showFirstChoice(form) {
  const firstChoice = JSON.parse(form.dataset.first)[nameOfSystem()];
  if (!firstChoice || location.search) return;
  showScript(form, firstChoice.script);
  form.querySelector("[data-part=summary]").textContent = firstChoice.summary;
  for (const input of form.querySelectorAll("input[type=radio]")) input.checked = firstChoice.choice[input.name] === input.value;
}

function systemOfBrowser(model) {
  const name = nameOfSystem();
  return model.data.starts.some((start) => start.os === name) ? name : model.data.starts[0].os;
}

/** "x86_64" or "aarch64", from client hints or from the platform name of Linux on Arm; null if unknown. */
export async function architectureOfBrowser() {
  const { platform, userAgent, userAgentData } = navigator;
  if (!userAgentData) return platform === "Linux aarch64" && !userAgent.includes("Android") ? "aarch64" : null;
  const hints = await userAgentData.getHighEntropyValues?.(["architecture", "bitness"]).catch(() => null);
  return hints?.bitness === "64" ? { arm: "aarch64", x86: "x86_64" }[hints.architecture] ?? null : null;
}

/** "linux", "macos" or "windows". Null on other systems, and on phones and tablets, which call themselves "Linux" or "MacIntel". */
export function nameOfSystem() {
  const name = (navigator.userAgentData?.platform || navigator.platform || "").toLowerCase();
  if (/android/i.test(navigator.userAgent) || (name.startsWith("mac") && navigator.maxTouchPoints > 1)) return null;
  if (name.startsWith("win")) return "windows";
  if (name.startsWith("mac")) return "macos";
  return name.includes("linux") ? "linux" : null;
}
