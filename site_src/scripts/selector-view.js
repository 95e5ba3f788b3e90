// Shows the choice for a reader's wishes: updates the radio buttons, the commands and the notes about them.

import { both, element, listed, markEnglish, say, sentences, setAddress, setText } from "./elements.js";
import { mirrored } from "./selector-mirrors.js";
import { offlineLines } from "./selector-offline.js";
import { buildName, isUnpinned, limitNames, olderReleases, releaseName, shortName } from "./selector-messages.js";

const BUILD_AXES = ["method", "variant"]; // axes whose values may change the build

/** Check the chosen radio buttons, hide the values that the platform does not have, and set the details of the others. */
export function showChoice(form, model, { choice, row }, allWishes, limits) {
  rebuildVariants(form, model, choice.platform);
  const newest = model.offers(choice.platform)[model.machine(choice)];
  for (const fieldset of form.querySelectorAll("fieldset[data-axis]")) {
    const { axis } = fieldset.dataset;
    const availableValues = axis === "python" && !row?.pythons ? new Set() : model.available(axis, choice);
    for (const input of fieldset.querySelectorAll("input[type=radio]"))
      showValue(form, model, { choice, row, newest, availableValues, allWishes, limits }, input);
    const more = fieldset.querySelector(".more-choices");
    if (more) more.hidden = more.querySelector(".choice:not([hidden]), [data-part=older]") === null;
    fieldset.hidden = fieldset.querySelector(".choice:not([hidden])") === null;
  }
  form.querySelectorAll(".more-choices").forEach(toggleMore);
  setText(form.querySelector("[data-part=summary]"), summary(model, choice, row));
  form.querySelector("[data-part=older]")?.replaceChildren(olderReleases(model, choice.platform));
  form.querySelector("[data-part=driver]").hidden = !model.data.drivers[choice.platform];
}

/** Update a radio button: its detail, and whether it is checked, hidden or blocked for a reason. */
function showValue(form, model, { choice, row, newest, availableValues, allWishes, limits }, input) {
  const { name: axis, value } = input;
  const label = input.closest("label");
  let isHidden = false;
  let reason = "";
  let text = "";
  let isChecked = choice[axis] === value;
  const ended = row ? null : model.ended(choice);
  if (axis === "platform" ? ended?.platforms.includes(value) : ended?.[axis] === value) {
    if (axis === "platform") setDetail(label, ended.version);
    isChecked ||= axis === "method";
  } else if (axis === "platform") {
    const offers = model.offers(value);
    const hasCommands = model.machine(choice) in offers;
    [text, reason] = hasCommands ? platformDetail(model, { choice, row, allWishes, limits }, value) : ["", otherMachines(model, choice, offers)];
    setDetail(label, text);
  } else if (model.data.machine.includes(axis)) {
    const lastRelease = isOffered(model, choice, axis, value) ? null : model.ended({ ...choice, [axis]: value });
    const isLast = lastRelease?.platforms.includes(choice.platform);
    setDetail(label, isLast ? say("{systems} only", { systems: lastRelease.version }) : "");
    reason = isLast || isOffered(model, choice, axis, value) ? "" : say("not for {platform}", { platform: model.label("platform", choice.platform) });
  } else if (axis === "build" && value === "stable") {
    setDetail(label, newest ? buildName(newest) : "");
    isChecked = choice.build !== undefined && choice.build === newest;
  } else {
    isHidden = !availableValues.has(value) || value === newest;
    isChecked &&= !isHidden;
    if (axis === "method" && isHidden) reason = otherMachinesOfMethod(model, choice, value);
    isHidden &&= reason === "";
    if (BUILD_AXES.includes(axis) && !isHidden && !reason) [text, reason] = valueDetail(model, { choice, allWishes, limits }, axis, value);
    if (BUILD_AXES.includes(axis)) setDetail(label, text);
  }
  input.checked = isChecked && !(["build", "variant"].includes(axis) && isUnpinned(model, choice));
  input.disabled = false;
  label.hidden = isHidden;
  label.classList.toggle("is-blocked", reason !== "");
  setText(label.querySelector(".choice-reason"), reason);
}

/** The build that a platform installs with the other wishes, or why it is not available: [text, reason], one of them empty. */
function platformDetail(model, { choice, row, allWishes, limits }, platform) {
  if (platform === choice.platform) return [row ? shortName(model, choice) : "", ""];
  const defaultDetail = [shortName(model, { build: model.offers(platform)[model.machine(choice)] }), ""];
  if (!model.hasRows(platform) || !allWishes.some(([axis]) => model.data.weights.includes(axis))) return defaultDetail;
  const resolved = model.resolve([...allWishes.filter(([axis]) => axis !== "platform"), ["platform", platform]], limits);
  const format = resolved.unmet.find(([axis]) => axis === "method");
  if (format) return ["", say("no {format} command", { format: model.label("method", format[1]) })];
  return resolved.row ? [shortName(model, resolved.choice), ""] : defaultDetail;
}

/** The build of a value, if it differs, and the driver that it needs; or why it does not fit the reader's card or driver: [text, reason]. */
function valueDetail(model, { choice, allWishes, limits }, axis, value) {
  const wishes = [...allWishes.filter(([otherAxis]) => otherAxis !== axis), [axis, value]];
  const { choice: newChoice, row } = model.resolve(wishes, limits);
  const fits = (limit) => model.resolve(wishes, limit).choice[axis] === value;
  if (row && newChoice[axis] !== value) return ["", say("not for {platform}", { platform: limitNames(limits, false, fits) })];
  if (isUnpinned(model, newChoice) && axis === "method") return [shortName(model, newChoice), ""];
  const build = newChoice.build ?? choice.build;
  const driver = axis === "variant" ? driverText(model, choice, value) : "";
  return [listed([build === choice.build && build !== "preview" ? "" : buildName(build), driver].filter(Boolean)), ""];
}

/** A text that names the machines for which a platform has an install method. */
function otherMachinesOfMethod(model, choice, method) {
  const rows = (model.rowsOf.get(choice.platform) ?? []).filter((row) => row.method === method);
  if (rows.length === 0) return say("not for {platform}", { platform: model.label("platform", choice.platform) });
  return otherMachines(model, choice, Object.fromEntries(rows.map((row) => [row.machine, row.build])));
}

/** Hide the commands, and what belongs to them. */
export function hideResult(form) {
  const parts = ["box", "files", "prints", "inside", "needs", "python-note", "offline", "note", "removed", "stage", "finding"];
  for (const name of parts) form.querySelector(`[data-part=${name}]`).hidden = true;
  const copyOnly = form.querySelector("[data-copy=commands]");
  if (copyOnly) copyOnly.parentElement.hidden = true;
}

/** Show the commands of a row with its notes, files and requirements; without a row, those of the last release for the machine. */
export function showResult(form, model, { choice, row: originalRow }, wishes) {
  const part = (name) => form.querySelector(`[data-part=${name}]`);
  hideResult(form);
  const copyOnly = form.querySelector("[data-copy=commands]");
  const commands = mirrored(form, originalRow, wishes);
  const row = originalRow && { ...originalRow, commands };
  if (copyOnly) copyOnly.parentElement.hidden = !row || row.commands === "";
  showText(part("note"), row?.note ?? "");
  markEnglish(part("note"));
  showRemoved(form, model, choice);
  showStage(part("stage"), row?.stage);
  const finding = row?.finding(choice.python);
  const usesMirror = row && commands !== originalRow.commands && finding?.kind !== "none"; // the check was of the index, not of the mirror
  const shownFinding = usesMirror ? { kind: "unchecked", words: say("Not checked: the commands use a mirror.") } : finding;
  const { remark, isUncertain } = model.card(choice.platform, wishes.limits.card);
  showFinding(form, row && isUncertain ? { kind: "none", words: sentences([remark, shownFinding?.words].filter(Boolean)) } : shownFinding);
  showPlatformLink(form, model, choice);
  if (!row && model.ended(choice)) {
    showScript(form, model.ended(choice));
    part("python-note").hidden = true; // no other format has these wheels
  }
  if (!row) return;
  const isInside = model.data.inside.includes(row.method);
  showScript(form, scriptOf(model, choice, row));
  part("python-note").querySelector("span").hidden = !model.available("method", choice).has("uv");
  showFiles(part("files"), row.files, choice.python);
  toggle(part("needs"), row.prerequisites.length > 0, (box) => box.querySelector("ul").replaceChildren(...row.prerequisites.map(needItem)));
  toggle(part("inside"), row.check && isInside, (box) => setText(box.querySelector("pre"), row.check.command));
  const offline = offlineLines(row);
  toggle(part("offline"), offline, (box) => {
    for (const [name, lines] of Object.entries(offline)) setText(box.querySelector(`[data-lines=${name}]`), lines);
  });
  toggle(part("prints"), row.check?.prints, (box) => setText(box.querySelector("pre"), row.check.prints));
}

/** The parts of the script that a reader pastes: environment, commands, check. */
export function scriptOf(model, choice, row) {
  const environment = model.data.environments[row.method]?.[row.os]?.replace("{python}", choice.python) ?? "";
  const check = row.check && !model.data.inside.includes(row.method) ? row.check.command : "";
  return { environment, commands: row.commands, check };
}

/** Show these parts as one block. */
export function showScript(form, { environment, commands, check }) {
  const part = (name) => form.querySelector(`[data-part=${name}]`);
  part("box").hidden = false;
  setText(part("environment"), environment ? `${environment}\n` : "");
  part("python-note").hidden = !environment.startsWith("py"); // uv and conda install a Python themselves
  setText(part("commands"), commands);
  setText(part("check"), check ? `\n${check}` : "");
}

function summary(model, choice, row) {
  const machine = model.data.machine.map((axis) => model.label(axis, choice[axis]));
  if (!row) return machine.join(" · ");
  const python = isUnpinned(model, choice) || !row.pythons ? [] : [`Python ${choice.python}`];
  return [releaseName(model, choice), ...machine, ...python].join(" · ");
}

/** A text that names the machines that have commands: the values of the first axis on which none is the reader's. */
function otherMachines(model, choice, offers) {
  let machines = Object.keys(offers).map((machine) => machine.split(" "));
  for (const [index, axis] of model.data.machine.entries()) {
    const sameMachines = machines.filter((machine) => machine[index] === choice[axis]);
    if (sameMachines.length === 0 && machines.length > 0) {
      const names = machines.map((machine) => model.label(axis, machine[index]));
      return say("{systems} only", { systems: both([...new Set(names)]) });
    }
    machines = sameMachines;
  }
  return say("no commands");
}

function isOffered(model, choice, axis, value) {
  const machines = Object.keys(model.offers(choice.platform));
  if (axis === "os") return machines.some((machine) => machine.split(" ")[0] === value);
  return machines.includes(model.machine({ ...choice, [axis]: value }));
}

function driverText(model, choice, variant) {
  const oldest = model.oldestDriver(choice.platform, variant, choice.os);
  return oldest ? say("driver ≥ {version}", { version: oldest }) : "";
}

/** Open a list of more choices while one of them is checked. Close it afterwards, unless the reader opened it. */
function toggleMore(more) {
  const hasChecked = more.querySelector("input:checked") !== null;
  if (hasChecked && !more.open) more.dataset.unfolded = "";
  if (!hasChecked && "unfolded" in more.dataset) {
    delete more.dataset.unfolded;
    more.open = false;
  } else if (hasChecked) more.open = true;
}

function showPlatformLink(form, model, choice) {
  const more = form.querySelector("[data-part=more]");
  if (more) {
    setAddress(more, `${form.dataset.root}compute-platforms/${choice.platform}/`);
    setText(more, say("{platform}: setup, first program, help", { platform: model.label("platform", choice.platform) }));
  }
}

/** Say what the chosen release no longer supports. */
function showRemoved(form, model, choice) {
  const text = model.removed(choice);
  toggle(form.querySelector("[data-part=removed]"), text, (link) => {
    setText(link, text);
    const minor = choice.build.split(".").slice(0, 2).join(".");
    setAddress(link, `${form.dataset.root}versions/upgrade/#${choice.platform}-${minor}`);
  });
}

/** Returns a plugin's lifecycle in words, as of today. */
export function stageText({ status, until: day, note }) {
  const text = isPast(day) ? say("{status}, was expected to end on {day}", { status, day }) : day ? say("{status}, expected to end on {day}", { status, day }) : status;
  return note ? `${text}. ${note}` : text;
}

function isPast(day) {
  return Boolean(day) && day < new Date().toISOString().slice(0, 10);
}

function showStage(box, stage) {
  const span = box.querySelector("span");
  toggle(box, Boolean(stage), () => setText(span, stageText(stage)));
  markEnglish(span);
  box.classList.toggle("is-past", isPast(stage?.until));
}

/** Show the result of the check of the versions in the commands. */
function showFinding(form, finding) {
  const { kind, words: text } = finding ?? { kind: "unchecked", words: "" };
  const box = form.querySelector("[data-part=finding]");
  box.className = `finding finding--${kind}`;
  showText(box, text);
  form.querySelector("[data-part=box]").classList.toggle("is-doubtful", kind === "none");
  setText(form.querySelector("[data-copy=script]"), kind === "none" ? say("Copy anyway") : say("Copy"));
}

function showFiles(box, files, python) {
  toggle(box, files.length > 0, () => {
    box.replaceChildren(...files.map(({ name, text }) => fileBox(name, text.replace("{python}", python.replace("t", "")))));
  });
}

function fileBox(name, text) {
  const box = element("div", "file");
  const title = element("p", "file-name", name);
  const pre = element("pre", "command", text);
  Object.assign(pre, { tabIndex: 0, ariaLabel: name });
  const button = element("button", "copy", say("Copy"));
  Object.assign(button, { type: "button", ariaLabel: say("Copy {name}", { name }) });
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
  const olderIds = new Set(model.data.more.variant ?? []);
  const [mainBox, moreBox] = fieldset.querySelectorAll(".choices");
  mainBox.replaceChildren(...values.filter(([id]) => !olderIds.has(id)).map(variantLabel));
  moreBox.replaceChildren(...values.filter(([id]) => olderIds.has(id)).map(variantLabel));
}

function variantLabel([id, name]) {
  const label = element("label", "choice");
  const input = element("input");
  Object.assign(input, { type: "radio", name: "variant", value: id, autocomplete: "off" });
  label.append(input, element("span", "choice-label", name), " ", element("span", "choice-detail"), " ", element("span", "choice-reason"));
  return label;
}

function needItem(need) {
  const item = element("li");
  item.append(...needParts(need));
  return markEnglish(item);
}

/** The name of a requirement, linked if it has an address, and its version. */
export function needParts({ name, version, url }) {
  const nameNode = url ? element("a", "", name) : document.createTextNode(name);
  if (url) Object.assign(nameNode, { href: url, rel: "nofollow noopener noreferrer" });
  return [nameNode, version ? ` ${version}` : ""];
}

function setDetail(label, text) {
  setText(label.querySelector(".choice-detail"), text);
}

function showText(box, text) {
  box.hidden = !text;
  setText(box, text);
}

function toggle(box, isShown, fill) {
  box.hidden = !isShown;
  if (isShown) fill(box);
}
