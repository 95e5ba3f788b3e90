// Shows a choice of the install selector: radio buttons with reasons, and the commands.

import { element } from "./elements.js";

/** Mark what is chosen and say beside each impossible value why it is. */
export function showChoice(form, model, choice) {
  rebuildVariants(form, model, choice);
  for (const input of form.querySelectorAll("input[type=radio]")) {
    const axis = input.name;
    const checked = choice[axis] === input.value;
    input.checked = checked;
    const against = checked ? [] : model.blockedBy(choice, axis, input.value);
    const label = input.closest("label");
    label.classList.toggle("is-blocked", against.length > 0);
    setText(label.querySelector(".choice-reason"), reason(model, choice, against));
  }
  form.querySelectorAll(".more-choices").forEach(unfold);
}

/** Open a disclosure while one of its values is chosen; close it after, unless the reader opened it. */
function unfold(earlier) {
  const holds = earlier.querySelector("input:checked") !== null;
  if (holds && !earlier.open) earlier.dataset.unfolded = "";
  if (!holds && "unfolded" in earlier.dataset) {
    delete earlier.dataset.unfolded;
    earlier.open = false;
  } else if (holds) earlier.open = true;
}

/** Show commands and what belongs to them. */
export function showResult(form, model, choice) {
  const row = model.row(choice);
  const part = (name) => form.querySelector(`[data-part=${name}]`);
  setText(part("commands"), row.commands);
  showText(part("note"), row.note);
  showStage(part("stage"), row.stage);
  showFinding(part("finding"), row.finding(choice.python));
  const environment = model.environments[choice.method]?.[choice.os]?.replace("{python}", choice.python);
  toggle(part("environment"), environment, (box) => setText(box.querySelector("code"), environment));
  toggle(part("needs"), row.needs.length > 0, (box) => box.querySelector("ul").replaceChildren(...row.needs.map(needItem)));
  toggle(part("check"), row.check, (box) => {
    setText(box.querySelector(".check-command"), row.check[0]);
    setText(box.querySelector(".check-prints"), row.check[1]);
  });
  const more = part("more");
  if (more) {
    more.href = `${form.dataset.root}compute-platforms/${choice.platform}/`;
    setText(more, `More on ${model.label("platform", choice)}`);
  }
  for (const section of document.querySelectorAll("[data-description]")) {
    section.toggleAttribute("data-current", section.dataset.description === choice.platform);
  }
}

/** Tell what is shown and what moved with the last choice. */
export function announce(form, model, choice, moved, unknown) {
  const parts = unknown.map(([axis, value]) => `The address asks for ${axisName(form, axis)} “${value}”, which does not exist; ignored.`);
  const axes = moved.filter((axis) => model.label(axis, choice));
  if (axes.length > 0) {
    parts.push(`Changed with it: ${axes.map((axis) => `${axisName(form, axis)} to ${model.label(axis, choice)}`).join(", ")}.`);
  }
  const shown = model.sentence.map((axis) => model.label(axis, choice));
  if (parts.length === 0) parts.push(`Commands for ${shown.filter(Boolean).join(", ")}.`);
  const status = form.querySelector("[data-part=status]");
  status.classList.toggle("has-news", axes.length > 0 || unknown.length > 0);
  setText(status, parts.join(" "));
}

/** An axis as a sentence names it: its legend, small but for Python. */
function axisName(form, axis) {
  const legend = form.querySelector(`[data-axis="${axis}"] legend`).textContent;
  return axis === "python" ? legend : legend[0].toLowerCase() + legend.slice(1);
}

/** A plugin's lifecycle; what has ended is said only here, as the page was built on an earlier day. */
function showStage(box, stage) {
  const [words, until] = stage ?? ["", null];
  const past = until !== null && until < new Date().toISOString().slice(0, 10);
  const whole = past ? `${words.replace(/\.?$/, ".")} That day has passed.` : words;
  toggle(box, words, () => setText(box.querySelector("span"), whole));
  box.classList.toggle("is-past", past);
}

/** What is known of the versions that the commands ask for. */
function showFinding(box, finding) {
  const [kind, words] = finding ?? ["unchecked", ""];
  box.className = `finding finding--${kind}`;
  showText(box, words);
}

function reason(model, choice, against) {
  if (against.length === 0) return "";
  return `not with ${against.map((axis) => shown(model, choice, axis)).join(", ")}`;
}

/** The chosen value as a reason names it: of a build its version, if it has one. */
function shown(model, choice, axis) {
  const [id, label, detail] = model.value(axis, choice);
  if (axis === "build" && id === "stable") return detail;
  return axis === "python" ? `Python ${label}` : label;
}

function rebuildVariants(form, model, choice) {
  const fieldset = form.querySelector("[data-axis=variant]");
  const values = model.values("variant", choice.platform);
  if (!fieldset || fieldset.dataset.shown === choice.platform) return;
  fieldset.dataset.shown = choice.platform;
  fieldset.hidden = values.length === 0;
  fieldset.querySelector(".choices").replaceChildren(...values.map(variantLabel));
}

function variantLabel([id, name]) {
  const label = element("label", "choice");
  const input = element("input");
  Object.assign(input, { type: "radio", name: "variant", value: id, autocomplete: "off" });
  label.append(input, element("span", "choice-label", name), " ", element("span", "choice-reason"));
  return label;
}

function needItem([name, version, url]) {
  const item = element("li");
  const what = url ? element("a", "", name) : document.createTextNode(name);
  if (url) Object.assign(what, { href: url, rel: "noopener noreferrer" });
  item.append(what, version ? ` ${version}` : "");
  return item;
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
