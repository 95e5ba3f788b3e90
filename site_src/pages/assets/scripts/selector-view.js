// Shows what the reader's wishes lead to: the radio buttons, the commands, and what belongs to them.

import { element } from "./elements.js";

const SYSTEMS = { driver: "GPU driver", card: "card" };

/** Mark what is chosen, hide what the platform does not have, and say what it offers. */
export function showChoice(form, model, { choice, row }) {
  rebuildVariants(form, model, choice.platform);
  const newest = model.offers(choice.platform)[model.machine(choice)];
  for (const fieldset of form.querySelectorAll("[data-axis]")) {
    const { axis } = fieldset.dataset;
    const known = model.available(axis, choice);
    for (const input of fieldset.querySelectorAll("input[type=radio]")) showValue(form, model, { choice, newest, known }, input);
    const more = fieldset.querySelector(".more-choices");
    if (more) more.hidden = more.querySelector(".choice:not([hidden])") === null;
    fieldset.hidden = fieldset.querySelector(".choice:not([hidden])") === null;
  }
  form.querySelectorAll(".more-choices").forEach(unfold);
  setText(form.querySelector("[data-part=summary]"), summary(model, choice, row));
  const driver = form.querySelector("[data-part=driver]");
  if (driver) driver.hidden = !model.data.drivers[choice.platform];
}

function showValue(form, model, { choice, newest, known }, input) {
  const { name: axis, value } = input;
  const label = input.closest("label");
  let hidden = false;
  let reason = "";
  let checked = choice[axis] === value;
  if (axis === "platform") {
    const offers = model.offers(value);
    const build = offers[model.machine(choice)];
    detail(label, build ? buildName(build) : "");
    reason = build ? "" : elsewhere(model, offers);
  } else if (model.data.machine.includes(axis)) {
    reason = isOffered(model, choice, axis, value) ? "" : `not for ${model.label("platform", choice.platform)}`;
  } else if (axis === "build" && value === "stable") {
    detail(label, newest ? buildName(newest) : "");
    checked = choice.build !== undefined && choice.build === newest;
  } else {
    hidden = !known.has(value) || value === newest;
    checked &&= !hidden;
    if (axis === "variant") detail(label, driverText(model, choice, value));
  }
  input.checked = checked;
  input.disabled = false;
  label.hidden = hidden;
  label.classList.toggle("is-blocked", reason !== "");
  setText(label.querySelector(".choice-reason"), reason);
}

/** Show commands and what belongs to them. */
export function showResult(form, model, { choice, row }) {
  const part = (name) => form.querySelector(`[data-part=${name}]`);
  for (const name of ["box", "files", "prints", "inside", "needs"]) part(name).hidden = true;
  const copyOnly = form.querySelector("[data-copy=commands]");
  if (copyOnly) copyOnly.hidden = !row || row.commands === "";
  showText(part("note"), row?.note ?? "");
  showStage(part("stage"), row?.stage);
  showFinding(form, row?.finding(choice.python));
  showMore(form, model, choice);
  if (!row) return;
  const inside = model.data.inside.includes(row.method);
  showScript(form, scriptOf(model, choice, row));
  showFiles(part("files"), row.files, choice.python);
  toggle(part("needs"), row.needs.length > 0, (box) => box.querySelector("ul").replaceChildren(...row.needs.map(needItem)));
  toggle(part("inside"), row.check && inside, (box) => setText(box.querySelector("pre"), row.check[0]));
  toggle(part("prints"), row.check?.[1], (box) => setText(box.querySelector("pre"), row.check[1]));
}

/** The lines to paste for a row: those of a new environment, of the installation, of the check. */
export function scriptOf(model, choice, row) {
  const environment = model.data.environments[row.method]?.[row.os]?.replace("{python}", choice.python) ?? "";
  const check = row.check && !model.data.inside.includes(row.method) ? row.check[0] : "";
  return { environment, commands: row.commands, check };
}

/** The lines to paste, one block. */
export function showScript(form, { environment, commands, check }) {
  const part = (name) => form.querySelector(`[data-part=${name}]`);
  part("box").hidden = false;
  setText(part("environment"), environment ? `${environment}\n` : "");
  setText(part("commands"), commands);
  setText(part("check"), check ? `\n${check}` : "");
}

/** What stands beside the commands: what was picked, and what of it could not be. */
export function announce(form, model, found, { wishes, unknown, quiet }) {
  const ignored = unknown.map(([axis, value]) => `Ignored: ${axisName(form, axis)} “${value}” does not exist.`);
  const news = [...ignored, ...conflicts(model, found, wishes)];
  const box = form.querySelector("[data-part=status]");
  box.classList.toggle("has-news", news.length > 0);
  if (news.length > 0) setText(box, news.join(" "));
  else setText(box, quiet ? "" : `Commands for ${described(model, found.choice)}.`);
  if (!found.row && !found.limited) box.append(" ", ...machineButtons(model, found.choice));
}

/** The limit that the reader's card and driver set, with a way to remove it. */
export function showLimit(form, model, platform, { card, driver }) {
  const name = card && model.cardName(platform, card);
  const least = driver && model.data.drivers[platform];
  const parts = [name && `Limited to builds for ${name}.`, least && `Limited to builds for ${least.name} ${driver}.`].filter(Boolean);
  const box = form.querySelector("[data-part=limit]");
  box.hidden = parts.length === 0;
  setText(box.querySelector("span"), parts.join(" "));
}

/** One sentence for each wish that could not be met. */
function conflicts(model, { choice, row, unmet, limited }, wishes) {
  const platform = model.label("platform", choice.platform);
  const machine = model.data.machine.map((axis) => model.label(axis, choice[axis])).join(" ");
  if (!row && limited) return [`No verified build of ${platform} fits your ${SYSTEMS.card} or ${SYSTEMS.driver} on ${machine}.`];
  if (!row) return [`${platform} is not available for ${machine}. It is available for:`];
  return unmet.map(([axis, value]) => {
    const wished = valueName(model, axis, value, choice.platform);
    const shown = valueName(model, axis, choice[axis], choice.platform);
    if (model.available(axis, choice).has(value)) return `${wished} is not available with ${later(model, choice, wishes, axis, unmet)}. Showing ${shown}.`;
    if (axis !== "build") return `${wished} is not available for ${platform} on ${machine}. Showing ${shown}.`;
    const newest = model.offers(choice.platform)[model.machine(choice)];
    return `${platform} ${buildName(value)} is not verified for ${machine}. Newest verified: ${buildName(newest)}.`;
  });
}

/** The more recent wishes that an older one gave way to, or the reader's card and driver. */
function later(model, choice, wishes, axis, unmet) {
  const place = wishes.findIndex(([name]) => name === axis);
  const given = new Set(unmet.map(([name]) => name));
  const names = wishes.slice(place + 1).filter(([name]) => model.data.weights.includes(name) && !given.has(name));
  const parts = names.map(([name, value]) => valueName(model, name, value, choice.platform)).filter(Boolean);
  return parts.length > 0 ? parts.join(" and ") : `your ${SYSTEMS.card} or ${SYSTEMS.driver}`;
}

/** A value as a sentence names it. */
function valueName(model, axis, value, platform) {
  if (axis === "python") return `Python ${value}`;
  if (axis === "build") return value === "preview" ? "the nightly build" : `PyTorch ${value}`;
  return model.label(axis, value, platform);
}

export function described(model, choice) {
  const labels = ["platform", "variant", "os", "arch", "method"].map((axis) => model.label(axis, choice[axis], choice.platform));
  return [...labels.slice(0, 2), `PyTorch ${buildName(choice.build)}`, ...labels.slice(2)].filter(Boolean).join(", ");
}

/** A button for each machine that the platform has something for. */
function machineButtons(model, choice) {
  return Object.keys(model.offers(choice.platform)).map((machine) => {
    const values = machine.split(" ");
    const button = element("button", "copy", values.map((value, n) => model.label(model.data.machine[n], value)).join(" "));
    button.type = "button";
    button.dataset.machine = machine;
    return button;
  });
}

function summary(model, choice, row) {
  const machine = model.data.machine.map((axis) => model.label(axis, choice[axis]));
  if (!row) return machine.join(" · ");
  return [`PyTorch ${buildName(choice.build)}`, ...machine, `Python ${choice.python}`].join(" · ");
}

function buildName(build) {
  return build === "preview" ? "nightly" : build;
}

function elsewhere(model, offers) {
  const systems = new Set(Object.keys(offers).map((machine) => model.label("os", machine.split(" ")[0])));
  return systems.size > 0 ? `${[...systems].join(" and ")} only` : "no commands";
}

function isOffered(model, choice, axis, value) {
  const machines = Object.keys(model.offers(choice.platform));
  if (axis === "os") return machines.some((machine) => machine.split(" ")[0] === value);
  return machines.includes(model.machine({ ...choice, [axis]: value }));
}

function driverText(model, choice, variant) {
  const oldest = model.oldestDriver(choice.platform, variant, choice.os);
  return oldest ? `driver ≥ ${oldest}` : "";
}

/** An axis as a sentence names it: its legend, small but for names. */
function axisName(form, axis) {
  const legend = form.querySelector(`[data-axis="${axis}"] legend`)?.textContent ?? SYSTEMS[axis] ?? axis;
  return /^(Python|PyTorch|GPU)/.test(legend) ? legend : legend[0].toLowerCase() + legend.slice(1);
}

/** Open a disclosure while one of its values is chosen; close it after, unless the reader opened it. */
function unfold(more) {
  const holds = more.querySelector("input:checked") !== null;
  if (holds && !more.open) more.dataset.unfolded = "";
  if (!holds && "unfolded" in more.dataset) {
    delete more.dataset.unfolded;
    more.open = false;
  } else if (holds) more.open = true;
}

function showMore(form, model, choice) {
  const more = form.querySelector("[data-part=more]");
  if (more) {
    more.href = `${form.dataset.root}compute-platforms/${choice.platform}/`;
    setText(more, `${model.label("platform", choice.platform)}: setup, first program, help`);
  }
  for (const section of document.querySelectorAll("[data-description]")) {
    section.toggleAttribute("data-current", section.dataset.description === choice.platform);
  }
}

/** A plugin's lifecycle; what has ended is said only here, as the page was built on an earlier day. */
function showStage(box, stage) {
  const [words, until] = stage ?? ["", null];
  const past = until !== null && until < new Date().toISOString().slice(0, 10);
  const whole = past ? `${words.replace(/\.?$/, ".")} That day has passed.` : words;
  toggle(box, words, () => setText(box.querySelector("span"), whole));
  box.classList.toggle("is-past", past);
}

/** What is known of the versions that the commands ask for; what is known to fail has no plain Copy. */
function showFinding(form, finding) {
  const [kind, words] = finding ?? ["unchecked", ""];
  const box = form.querySelector("[data-part=finding]");
  box.className = `finding finding--${kind}`;
  showText(box, kind === "unchecked" ? "" : words);
  form.querySelector("[data-part=box]").classList.toggle("is-failing", kind === "none");
  setText(form.querySelector("[data-copy=script]"), kind === "none" ? "Copy anyway" : "Copy");
}

function showFiles(box, files, python) {
  toggle(box, files.length > 0, () => {
    box.replaceChildren(...files.map(([name, text]) => fileBox(name, text.replace("{python}", python.replace("t", "")))));
  });
}

function fileBox(name, text) {
  const box = element("div", "file");
  const title = element("p", "file-name", name);
  const pre = element("pre", "command", text);
  Object.assign(pre, { tabIndex: 0, ariaLabel: name });
  const button = element("button", "copy", "Copy");
  Object.assign(button, { type: "button", ariaLabel: `Copy ${name}` });
  button.dataset.copy = "file";
  const inner = element("div", "command-box");
  inner.append(pre, button);
  box.append(title, inner);
  return box;
}

function rebuildVariants(form, model, platform) {
  const fieldset = form.querySelector("[data-axis=variant]");
  if (!fieldset || fieldset.dataset.shown === platform) return;
  fieldset.dataset.shown = platform;
  const values = model.values("variant", platform);
  const earlier = new Set(model.data.more.variant ?? []);
  const [first, behind] = fieldset.querySelectorAll(".choices");
  first.replaceChildren(...values.filter(([id]) => !earlier.has(id)).map(variantLabel));
  behind.replaceChildren(...values.filter(([id]) => earlier.has(id)).map(variantLabel));
}

function variantLabel([id, name]) {
  const label = element("label", "choice");
  const input = element("input");
  Object.assign(input, { type: "radio", name: "variant", value: id, autocomplete: "off" });
  label.append(input, element("span", "choice-label", name), " ", element("span", "choice-detail"), " ", element("span", "choice-reason"));
  return label;
}

function needItem([name, version, url]) {
  const item = element("li");
  const what = url ? element("a", "", name) : document.createTextNode(name);
  if (url) Object.assign(what, { href: url, rel: "noopener noreferrer" });
  item.append(what, version ? ` ${version}` : "");
  return item;
}

function detail(label, text) {
  setText(label.querySelector(".choice-detail"), text);
}

function showText(box, text) {
  box.hidden = !text;
  setText(box, text);
}

function toggle(box, shown, fill) {
  box.hidden = !shown;
  if (shown) fill(box);
}

function setText(box, text) {
  if (box.textContent !== text) box.textContent = text;
}
