// The install selector: reads its data, follows the reader's wishes, keeps them in the address and on this device.

import { startCopying } from "./copying.js";
import { announce, showLimit } from "./selector-messages.js";
import { Model } from "./selector-model.js";
import { showChoice, showResult, showScript } from "./selector-view.js";
import { driverVersion, readAddress, recall, remember, Wishes } from "./selector-wishes.js";

const SETTLED_MS = 1000; // quicker changes of one axis are one step of the history

export async function startSelector(form) {
  startCopying(form);
  showFirst(form);
  const model = await load(form);
  if (!model) return;
  new Selector(form, model).begin();
}

class Selector {
  constructor(form, model) {
    this.form = form;
    this.model = model;
    this.fixedPlatform = form.dataset.platform;
    this.browser = { os: systemOfBrowser(model), arch: null }; // the machine, as far as the browser tells
    this.wishes = new Wishes();
    this.last = { axis: null, at: -Infinity };
  }

  begin() {
    const { form } = this;
    this.#readAddress();
    form.addEventListener("change", (event) => event.target.type === "radio" && this.#choose(event.target.name, event.target.value));
    form.addEventListener("click", (event) => this.#press(event.target));
    form.addEventListener("submit", (event) => event.preventDefault());
    form.querySelector("#driver-version")?.addEventListener("input", (event) => this.#takeDriver(event.target.value));
    form.querySelector("[data-filter=platform]")?.addEventListener("input", () => this.#filterPlatforms());
    addEventListener("popstate", () => this.#readAddress());
    for (const control of form.querySelectorAll("textarea, [data-reset]")) control.disabled = false;
    form.dataset.ready = "";
    this.#learnArchitecture();
  }

  /** The reader picked a value: it becomes a wish, and everything else is derived afresh. */
  #choose(axis, value) {
    this.#take(this.wishes.with(axis, axis === "build" && value === "stable" ? null : value), axis);
  }

  #take(wishes, axis) {
    this.wishes = wishes;
    const now = performance.now();
    const settled = axis !== this.last.axis || now - this.last.at > SETTLED_MS;
    this.last = { axis, at: now };
    const query = wishes.query(this.fixedPlatform);
    const address = (query ? `?${query}` : location.pathname) + location.hash;
    history[settled ? "pushState" : "replaceState"](null, "", address);
    remember(wishes);
    this.#show();
  }

  #press(target) {
    const { machine } = target.dataset;
    if (target.type === "radio" && this.unmet.has(target.name) && this.choice[target.name] === target.value) {
      this.#take(this.wishes.with(target.name, null), target.name); // what is shown instead of a wish was confirmed
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
    state.textContent = text.trim() && !driver ? "No driver version found. Type it as in 535 or 535.104." : "";
    if (driver !== (this.wishes.get("driver") ?? null)) this.#take(this.wishes.with("driver", driver), "driver");
  }

  /** Show what the address asks for; without a choice there, that of the last visit. */
  #readAddress() {
    const { wishes, unknown } = readAddress(this.model, location.search);
    this.wishes = wishes.list.length > 0 || unknown.length > 0 || this.wishes.list.length > 0 ? wishes : recall(this.model);
    const driver = this.form.querySelector("#driver-version");
    if (driver) driver.value = this.wishes.get("driver") ?? "";
    this.last = { axis: null, at: -Infinity };
    this.#show({ unknown, quiet: true });
  }

  #show({ unknown = [], quiet = false } = {}) {
    const { form, model } = this;
    const found = model.resolve(this.#whole(), this.wishes.limits);
    this.choice = found.choice;
    this.unmet = new Set(found.unmet.map(([axis]) => axis));
    showChoice(form, model, found);
    this.#filterPlatforms();
    showResult(form, model, found);
    showLimit(form, model, found.choice.platform, this.wishes.limits);
    announce(form, model, found, { wishes: this.wishes.list, unknown, quiet });
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
    const elsewhere = fixedPlatform && wishes.get("os") === undefined && !(model.machine(Object.fromEntries(whole)) in model.offers(fixedPlatform));
    if (!elsewhere) return whole;
    // A reader who looks at a platform for another machine sees that machine's commands.
    const usual = Object.fromEntries(model.data.machine.map((axis) => [axis, model.data.starts[0][axis]]));
    return [...Object.entries(usual), ...whole.filter(([axis]) => !model.data.machine.includes(axis))];
  }

  /** Only user-agent client hints tell the architecture truthfully; other browsers keep the default. */
  async #learnArchitecture() {
    const hints = await navigator.userAgentData?.getHighEntropyValues?.(["architecture", "bitness"]).catch(() => null);
    if (!hints || hints.bitness !== "64") return;
    const arch = { arm: "aarch64", x86: "x86_64" }[hints.architecture] ?? null;
    if (!arch || arch === this.model.start(this.browser.os).arch) return;
    this.browser.arch = arch;
    this.#show({ quiet: true });
  }
}

async function load(form) {
  try {
    const answer = await fetch(form.dataset.selector);
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    return new Model(await answer.json());
  } catch (error) {
    form.classList.add("has-failed");
    const status = form.querySelector("[data-part=status]");
    status.textContent = "The install selector could not load its data. The table of commands below has the same commands.";
    status.classList.add("has-news");
    document.querySelectorAll(".static-commands").forEach((table) => {
      table.classList.add("is-needed");
      table.open = true;
    });
    console.info("install selector:", error);
    return null;
  }
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

export function nameOfSystem() {
  const name = (navigator.userAgentData?.platform || navigator.platform || "").toLowerCase();
  if (name.startsWith("win")) return "windows";
  if (name.startsWith("mac")) return "macos";
  return name.includes("linux") ? "linux" : null;
}
