// The install selector: reads its data, follows the reader's choices and the address.

import { Model } from "./selector-model.js";
import { readAddress, writeAddress } from "./selector-address.js";
import { announce, showChoice, showResult } from "./selector-view.js";

export async function startSelector(form) {
  startCopying(form);
  const model = await load(form);
  if (!model) return;
  const selector = new Selector(form, model);
  selector.readAddress();
  form.addEventListener("change", (event) => selector.choose(event.target.name, event.target.value));
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("popstate", () => selector.readAddress());
  form.dataset.ready = "";
  selector.learnArchitecture();
}

class Selector {
  constructor(form, model) {
    this.form = form;
    this.model = model;
    this.fixedPlatform = form.dataset.platform;
    this.arch = null; // what the browser tells, if it does
    this.touched = false;
    this.choice = null;
  }

  /** The reader took a value: keep it, and move as little else as possible. */
  choose(axis, value) {
    const wanted = { ...this.choice, [axis]: value };
    const found = this.model.nearest(wanted, [axis]);
    const moved = this.model.moved(wanted, found).filter((other) => !(axis === "platform" && other === "variant"));
    this.touched = true;
    this.show(found, moved, []);
    writeAddress(this.model, found, this.fixedPlatform);
  }

  /** Show what the address asks for, the rest as the browser's system suggests. */
  readAddress() {
    const { wanted, unknown } = readAddress(this.model, this.fixedPlatform);
    const start = this.#start(wanted.os);
    const variant = this.model.values("variant", wanted.platform ?? start.platform)[0]?.[0] ?? "default";
    const whole = { ...start, variant, ...wanted };
    if (this.arch && !wanted.arch) whole.arch = this.arch;
    const pinned = this.model.axes.filter((axis) => axis in wanted);
    const found = this.model.row(whole) ? whole : this.model.nearest(whole, pinned);
    const moved = this.model.moved(whole, found).filter((axis) => axis in wanted);
    this.touched = pinned.length > (this.fixedPlatform ? 1 : 0);
    this.show(found, moved, unknown);
  }

  show(choice, moved, unknown) {
    const first = this.choice === null;
    this.choice = choice;
    showChoice(this.form, this.model, choice);
    showResult(this.form, this.model, choice);
    if (!first || moved.length || unknown.length) announce(this.form, this.model, choice, moved, unknown);
  }

  /** Only user-agent client hints tell the architecture truthfully; other browsers keep the default. */
  async learnArchitecture() {
    const hints = await navigator.userAgentData?.getHighEntropyValues?.(["architecture", "bitness"]).catch(() => null);
    if (!hints || hints.bitness !== "64") return;
    this.arch = { arm: "aarch64", x86: "x86_64" }[hints.architecture] ?? null;
    if (!this.arch || this.touched || this.arch === this.choice.arch) return;
    const wanted = { ...this.choice, arch: this.arch };
    this.show(this.model.nearest(wanted, this.fixedPlatform ? ["platform", "os"] : ["os", "arch"]), [], []);
  }

  #start(os) {
    const starts = this.model.starts;
    const here = os ?? systemOfBrowser();
    return starts.find((start) => start.os === here) ?? starts[0];
  }
}

async function load(form) {
  try {
    const answer = await fetch(form.dataset.selector);
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    const ranked = [...form.querySelectorAll("[data-axis]")].map((fieldset) => fieldset.dataset.axis);
    return new Model(await answer.json(), ranked);
  } catch (error) {
    const status = form.querySelector("[data-part=status]");
    status.textContent = "The selector’s data could not be read; the table below has the same commands.";
    status.classList.add("has-news");
    console.warn("install selector:", error);
    return null;
  }
}

function systemOfBrowser() {
  const name = (navigator.userAgentData?.platform || navigator.platform || "").toLowerCase();
  if (name.startsWith("win")) return "windows";
  if (name.startsWith("mac")) return "macos";
  return name.includes("linux") ? "linux" : null;
}

function startCopying(form) {
  for (const button of form.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", () => copy(button));
  }
}

/** Copy what stands before the button. */
async function copy(button) {
  const box = button.previousElementSibling;
  let done = true;
  try {
    await navigator.clipboard.writeText(box.textContent);
  } catch {
    getSelection().selectAllChildren(box); // without the permission, at least mark what to copy
    done = document.execCommand("copy");
  }
  say(button, done ? "Copied" : "Marked: press Ctrl+C");
  setTimeout(() => say(button, "Copy"), 2000);
}

/** Where the text around a button is data, its own stands in an attribute, which the style sheet shows. */
function say(button, text) {
  if (button.ariaLabel) button.ariaLabel = text;
  else button.textContent = text;
}
