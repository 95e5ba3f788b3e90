// Shows what the reader's wishes lead to: the radio buttons, the commands, and what belongs to them.

import { both, element, listed, markEnglish, say, sentences, setAddress, setText } from "./elements.js";
import { mirrored } from "./selector-mirrors.js";
import { offlineLines } from "./selector-offline.js";
import { buildName, isUnpinned, limitNames, olderReleases, releaseName, shortName } from "./selector-messages.js";

const BUILDING = ["method", "variant"]; // axes whose values may have another build

/** Mark what is chosen, hide what the platform does not have, and say what it offers. */
export function showChoice(form, model, { choice, row }, whole, limits) {
  rebuildVariants(form, model, choice.platform);
  const newest = model.offers(choice.platform)[model.machine(choice)];
  for (const fieldset of form.querySelectorAll("fieldset[data-axis]")) {
    const { axis } = fieldset.dataset;
    const known = axis === "python" && !row?.pythons ? new Set() : model.available(axis, choice);
    for (const input of fieldset.querySelectorAll("input[type=radio]")) showValue(form, model, { choice, row, newest, known, whole, limits }, input);
    const more = fieldset.querySelector(".more-choices");
    if (more) more.hidden = more.querySelector(".choice:not([hidden]), [data-part=older]") === null;
    fieldset.hidden = fieldset.querySelector(".choice:not([hidden])") === null;
  }
  form.querySelectorAll(".more-choices").forEach(unfold);
  setText(form.querySelector("[data-part=summary]"), summary(model, choice, row));
  form.querySelector("[data-part=older]")?.replaceChildren(olderReleases(model, choice.platform));
  const driver = form.querySelector("[data-part=driver]");
  if (driver) driver.hidden = !model.data.drivers[choice.platform];
}

function showValue(form, model, { choice, row, newest, known, whole, limits }, input) {
  const { name: axis, value } = input;
  const label = input.closest("label");
  let hidden = false;
  let reason = "";
  let text = "";
  let checked = choice[axis] === value;
  const ended = row ? null : model.ended(choice);
  if (axis === "platform" ? ended?.platforms.includes(value) : ended?.[axis] === value) {
    if (axis === "platform") detail(label, ended.version);
    checked ||= axis === "method";
  } else if (axis === "platform") {
    const offers = model.offers(value);
    const isOffered = model.machine(choice) in offers;
    [text, reason] = isOffered ? offered(model, { choice, row, whole, limits }, value) : ["", elsewhere(model, choice, offers)];
    detail(label, text);
  } else if (model.data.machine.includes(axis)) {
    const last = isOffered(model, choice, axis, value) ? null : model.ended({ ...choice, [axis]: value });
    const isLast = last?.platforms.includes(choice.platform);
    detail(label, isLast ? say("{systems} only", { systems: last.version }) : "");
    reason = isLast || isOffered(model, choice, axis, value) ? "" : say("not for {platform}", { platform: model.label("platform", choice.platform) });
  } else if (axis === "build" && value === "stable") {
    detail(label, newest ? buildName(newest) : "");
    checked = choice.build !== undefined && choice.build === newest;
  } else {
    hidden = !known.has(value) || value === newest;
    checked &&= !hidden;
    if (axis === "method" && hidden) reason = whereElse(model, choice, value);
    hidden &&= reason === "";
    if (BUILDING.includes(axis) && !hidden && !reason) [text, reason] = chip(model, { choice, whole, limits }, axis, value);
    if (BUILDING.includes(axis)) detail(label, text);
  }
  input.checked = checked && !(["build", "variant"].includes(axis) && isUnpinned(model, choice));
  input.disabled = false;
  label.hidden = hidden;
  label.classList.toggle("is-blocked", reason !== "");
  setText(label.querySelector(".choice-reason"), reason);
}

/** The build that a platform's command installs with the other wishes, or that it lacks their format. */
function offered(model, { choice, row, whole, limits }, platform) {
  if (platform === choice.platform) return [row ? shortName(model, choice) : "", ""];
  const usual = [shortName(model, { build: model.offers(platform)[model.machine(choice)] }), ""];
  if (!model.hasRows(platform) || !whole.some(([axis]) => model.data.weights.includes(axis))) return usual;
  const found = model.resolve([...whole.filter(([axis]) => axis !== "platform"), ["platform", platform]], limits);
  const format = found.unmet.find(([axis]) => axis === "method");
  if (format) return ["", say("no {format} command", { format: model.label("method", format[1]) })];
  return found.row ? [shortName(model, found.choice), ""] : usual;
}

/** The build that a value brings, if another one, and its driver; or why the reader's machine cannot have it. */
function chip(model, { choice, whole, limits }, axis, value) {
  const wishes = [...whole.filter(([other]) => other !== axis), [axis, value]];
  const { choice: found, row } = model.resolve(wishes, limits);
  const fits = (limit) => model.resolve(wishes, limit).choice[axis] === value;
  if (row && found[axis] !== value) return ["", say("not for {platform}", { platform: limitNames(limits, false, fits) })];
  if (isUnpinned(model, found) && axis === "method") return [shortName(model, found), ""];
  const build = found.build ?? choice.build;
  const driver = axis === "variant" ? driverText(model, choice, value) : "";
  return [listed([build === choice.build && build !== "preview" ? "" : buildName(build), driver].filter(Boolean)), ""];
}

/** Where else a platform has a format, if anywhere. */
function whereElse(model, choice, method) {
  const rows = (model.rowsOf.get(choice.platform) ?? []).filter((row) => row.method === method);
  if (rows.length === 0) return say("not for {platform}", { platform: model.label("platform", choice.platform) });
  return elsewhere(model, choice, Object.fromEntries(rows.map((row) => [row.machine, row.build])));
}

/** Show commands and what belongs to them. */
export function showResult(form, model, { choice, row: found }, wishes) {
  const part = (name) => form.querySelector(`[data-part=${name}]`);
  for (const name of ["box", "files", "prints", "inside", "needs", "python-note", "offline"]) part(name).hidden = true;
  const copyOnly = form.querySelector("[data-copy=commands]");
  const commands = mirrored(form, found, wishes);
  const row = found && { ...found, commands };
  if (copyOnly) copyOnly.parentElement.hidden = !row || row.commands === "";
  showText(part("note"), row?.note ?? "");
  markEnglish(part("note"));
  showStage(part("stage"), row?.stage);
  const finding = row?.finding(choice.python);
  const isElsewhere = row && commands !== found.commands && finding?.[0] !== "none"; // what was looked up is the index itself
  const known = isElsewhere ? ["unchecked", say("Not checked: the commands use a mirror.")] : finding;
  const { remark, isUncertain } = model.card(choice.platform, wishes.limits.card);
  showFinding(form, row && isUncertain ? ["none", sentences([remark, known?.[1]].filter(Boolean))] : known);
  showMore(form, model, choice);
  if (!row && model.ended(choice)) {
    showScript(form, model.ended(choice));
    part("python-note").hidden = true; // no other format has these wheels
  }
  if (!row) return;
  const inside = model.data.inside.includes(row.method);
  showScript(form, scriptOf(model, choice, row));
  part("python-note").querySelector("span").hidden = !model.available("method", choice).has("uv");
  showFiles(part("files"), row.files, choice.python);
  toggle(part("needs"), row.needs.length > 0, (box) => box.querySelector("ul").replaceChildren(...row.needs.map(needItem)));
  toggle(part("inside"), row.check && inside, (box) => setText(box.querySelector("pre"), row.check[0]));
  const offline = offlineLines(row);
  toggle(part("offline"), offline, (box) => {
    for (const [name, lines] of Object.entries(offline)) setText(box.querySelector(`[data-lines=${name}]`), lines);
  });
  toggle(part("prints"), row.check?.[1], (box) => setText(box.querySelector("pre"), row.check[1]));
}

/** The lines to paste: environment, installation, check. */
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

/** Where a platform exists instead: values of the first axis that differs. */
function elsewhere(model, choice, offers) {
  let machines = Object.keys(offers).map((machine) => machine.split(" "));
  for (const [place, axis] of model.data.machine.entries()) {
    const here = machines.filter((machine) => machine[place] === choice[axis]);
    if (here.length === 0 && machines.length > 0) {
      const names = machines.map((machine) => model.label(axis, machine[place]));
      return say("{systems} only", { systems: both([...new Set(names)]) });
    }
    machines = here;
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
    setAddress(more, `${form.dataset.root}compute-platforms/${choice.platform}/`);
    setText(more, say("{platform}: setup, first program, help", { platform: model.label("platform", choice.platform) }));
  }
  for (const section of document.querySelectorAll("[data-description]")) {
    section.toggleAttribute("data-current", section.dataset.description === choice.platform);
  }
}

/** A plugin's lifecycle on the reader's day. */
function showStage(box, stage) {
  const [words, until] = stage ?? ["", null];
  const past = until !== null && until < new Date().toISOString().slice(0, 10);
  toggle(box, words, () => setText(box.querySelector("span"), past ? words.replace(` until ${until}`, ` ended on ${until}`) : words));
  box.classList.toggle("is-past", past);
}

/** What is known of the versions of the commands. */
function showFinding(form, finding) {
  const [kind, words] = finding ?? ["unchecked", ""];
  const box = form.querySelector("[data-part=finding]");
  box.className = `finding finding--${kind}`;
  showText(box, words);
  form.querySelector("[data-part=box]").classList.toggle("is-doubtful", kind === "none");
  setText(form.querySelector("[data-copy=script]"), kind === "none" ? say("Copy anyway") : say("Copy"));
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

function needItem(need) {
  const item = element("li");
  item.append(...needParts(need));
  return markEnglish(item);
}

/** What a row needs, with a link to where it is. */
export function needParts([name, version, url]) {
  const what = url ? element("a", "", name) : document.createTextNode(name);
  if (url) Object.assign(what, { href: url, rel: "nofollow noopener noreferrer" });
  return [what, version ? ` ${version}` : ""];
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
