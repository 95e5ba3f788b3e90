// Writes the messages of the install selector: what is shown, which wishes could not be met, and buttons to change that.

import { both, element, link, listed, say, sentences, setAddress, setText } from "./elements.js";
import { compareVersions } from "./selector-model.js";
import { LIMITS } from "./selector-wishes.js";

/** Write the status message: what is shown or why it differs from the wishes, with buttons and links that help. */
export function announce(form, model, resolved, { wishes, whole: allWishes, limits, unknown, quiet, step }) {
  const unknownMessages = unknown.map(([axis, value]) => say("This selector has no {axis} “{value}”.", { axis: axisName(form, axis), value }));
  const effect = sideEffect(model, resolved, allWishes, limits);
  const stepMessage = step ? stepEffect(model, resolved, wishes, step, effect?.changed ?? []) : "";
  const messages = [...unknownMessages, ...conflicts(model, resolved, wishes, limits), effect?.text, unusedPython(model, resolved, wishes), ...unusedMirrors(form, resolved, wishes), stepMessage].filter(Boolean);
  const box = form.querySelector("[data-part=status]");
  box.classList.toggle("has-news", messages.length > 0);
  if (messages.length > 0) setText(box, sentences(messages));
  else setText(box, quiet ? "" : say("Commands for {choice}.", { choice: described(model, resolved.choice) }));
  for (const [axis, value] of unknown) if (axis === "build") box.append(...olderRelease(model, value, resolved.choice.platform));
  if (!resolved.row) box.append(" ", ...machineButtons(model, resolved.choice, limits));
  for (const [axis, value] of resolved.row ? resolved.unmet : []) {
    const suggestion = axis === "build" && !model.available(axis, resolved.choice).has(value) ? nearestRelease(model, resolved.choice, value) : value;
    const suggestedWishes = [...allWishes.filter(([otherAxis]) => otherAxis !== axis), [axis, suggestion]];
    if (suggestion && model.resolve(suggestedWishes, limits).choice[axis] === suggestion)
      box.append(" ", wishButton(say("Change to {value}", { value: valueName(model, axis, suggestion, resolved.choice.platform) }), axis, suggestion));
  }
  const { platform } = resolved.choice;
  const containers = model.data.containers[platform];
  const unmetValues = new Map(resolved.unmet);
  if (containers && unmetValues.get("method")?.startsWith("docker")) box.append(" ", pageLink(form.dataset.root, platform, containers, say("Containers for {platform}", { platform: model.label("platform", platform) })));
  if (wantsConda(resolved)) box.append(" ", condaAnswer(form.dataset.root));
  if (unmetValues.has("build") && isPlugin(model, platform)) box.append(" ", olderReleases(model, platform));
  if (effect?.undo) box.append(" ", wishButton(say("Back to {value}", { value: effect.without }), effect.undo, ""));
  if (stepMessage) box.append(" ", wishButton(say("Back to {value}", { value: valueName(model, step.axis, step.choice[step.axis]) }), step.axis, step.wish ?? ""));
}

/** A sentence about the other axes that a change of the machine or the platform has changed; empty if none. */
function stepEffect(model, { choice, row }, wishes, { axis, choice: previousChoice }, announcedAxes) {
  if (!row || !previousChoice.build) return "";
  const isSamePlatform = choice.platform === previousChoice.platform;
  const excludedAxes = new Set([axis, ...announcedAxes, ...wishes.map(([name]) => name), ...(isSamePlatform ? [] : ["variant"]), ...(row.pythons ? [] : ["python"])]);
  const changedAxes = model.axes.filter((name) => !excludedAxes.has(name) && choice[name] !== previousChoice[name]);
  const texts = changedAxes.map((name) => {
    const [now, then] = [choice, previousChoice].map((from) => valueName(model, name, from[name], choice.platform));
    return then ? say("{now} instead of {then}", { now, then }) : now;
  });
  return texts.length > 0 ? say("Changed for {value}: {changes}.", { value: valueName(model, axis, choice[axis]), changes: listed(texts) }) : "";
}

/** What wishes or limits changed on other axes, or null: those axes, a text, the axis of the wish that a button can undo, and its value `without` the wish. */
export function sideEffect(model, { choice, row }, wishes, limits) {
  const isMachineOrPlatform = ([axis]) => axis === "platform" || model.data.machine.includes(axis);
  const defaultChoice = model.resolve(wishes.filter(isMachineOrPlatform)).choice;
  const wishedAxes = new Set(wishes.map(([axis]) => axis));
  const isComparable = (axis) => axis !== "python" || row.pythons; // a container has its own Python
  const changed = model.data.weights.filter((axis) => row && !wishedAxes.has(axis) && choice[axis] !== defaultChoice[axis] && isComparable(axis));
  if (changed.length === 0) return null;
  const nameFrom = (source) => (axis) => shownName(model, axis, source);
  const [shown, instead] = [listed(changed.map(nameFrom(choice))), listed(changed.map(nameFrom(defaultChoice)))];
  const choiceWithout = (axis) => model.resolve(wishes.filter(([otherAxis]) => otherAxis !== axis), limits).choice;
  const restores = (method) => ([axis]) => changed[method]((otherAxis) => choiceWithout(axis)[otherAxis] === defaultChoice[otherAxis]);
  const freeWishes = wishes.filter((wish) => !isMachineOrPlatform(wish)).reverse();
  const isLimited = freeWishes.some(([axis]) => LIMITS.includes(axis));
  const newestMet = isLimited ? null : freeWishes.find(([axis, value]) => choice[axis] === value); // if several wishes are the cause
  const cause = freeWishes.find(restores("every")) ?? freeWishes.find(restores("some")) ?? newestMet;
  if (!cause) {
    const newest = listed(["build", "variant"].map((axis) => nameFrom(choice)(axis)).filter(Boolean));
    if (!limits.driver && model.card(choice.platform, limits.card).isUncertain) return { changed, text: say("No source confirms {instead} on your card. Showing {newest}.", { instead, newest }), undo: null };
    const fits = (limit) => changed.every((axis) => model.resolve(wishes, limit).choice[axis] === defaultChoice[axis]);
    return { changed, text: say("{limits} does not fit {instead}. The newest build that fits is {newest}.", { limits: limitNames(limits, true, fits), instead, newest }), undo: null };
  }
  const [undo, value] = cause;
  const combined = model.resolve([...changed.map((axis) => [axis, defaultChoice[axis]]), ...wishes], limits);
  const isSameChoice = model.axes.every((axis) => changed.includes(axis) || combined.choice[axis] === choice[axis]);
  const isPossible = isSameChoice && combined.unmet.length === 0 && combined.row.finding(combined.choice.python)?.kind !== "none";
  const values = { value: valueName(model, undo, value, choice.platform), instead, shown };
  const text = isPossible ? say("{value} comes with {shown} unless you select {instead}.", values) : say("This site has no {value} command for {instead}. Showing {shown}.", values);
  return { changed, text, undo, without: valueName(model, undo, choiceWithout(undo)[undo], choice.platform) };
}

function unusedPython(model, { choice, row }, wishes) {
  const python = new Map(wishes).get("python");
  if (!python || !row || row.pythons || !model.data.inside.includes(choice.method)) return "";
  return say("The container has its own Python and does not use Python {python}.", { python });
}

function unusedMirrors(form, { row }, wishes) {
  const unused = [...form.querySelectorAll("[data-index][hidden] select")].filter(({ name }) => row && new Map(wishes).has(name));
  return unused.map(({ selectedOptions }) => say("These commands do not use the mirror {name}.", { name: selectedOptions[0].text }));
}

/** Whether the reader selected conda and pip is shown instead. */
export function wantsConda({ choice, unmet }) {
  return choice.method === "pip" && new Map(unmet).get("method") === "conda";
}

export function condaAnswer(root) {
  return link(`${root}questions/#faq-why-does-conda-install-no-new-pytorch-or-not-find-pytorch-cuda`, say("Run the pip lines in your activated conda environment"));
}

/** A button that sets a wish, or removes it if the value is empty. */
function wishButton(text, axis, value) {
  const button = element("button", "link", text);
  Object.assign(button, { type: "button" });
  Object.assign(button.dataset, { axis, wish: value });
  return button;
}

/** Say that the reader's card or driver limits the builds. */
export function showLimit(form, model, platform, { card, driver }) {
  const { name, remark, isUncertain } = model.card(platform, card);
  const driverData = driver && model.data.drivers[platform];
  const parts = [name && say("Limited to builds for {card}.", { card: name }), !isUncertain && remark, driverData && say("Limited to builds for {card}.", { card: `${driverData.name} ${driver}` })].filter(Boolean);
  const box = form.querySelector("[data-part=limit]");
  box.hidden = parts.length === 0;
  setText(box.querySelector("span"), sentences(parts));
  const cardLink = box.querySelector("a");
  cardLink.hidden = !name;
  if (name) setAddress(cardLink, `${form.dataset.root}compute-platforms/${platform}/#card-${card}`);
}

/** One sentence for each wish that could not be met, or why the machine has no commands. */
function conflicts(model, { choice, row, unmet, limited }, wishes, limits) {
  const platform = model.label("platform", choice.platform);
  const machine = model.data.machine.map((axis) => model.label(axis, choice[axis])).join(" ");
  if (!row && limited) return [say("{limits} fits no verified build of {platform} on {machine} since PyTorch {oldest}.", { limits: limitNames(limits, true), platform, machine, oldest: oldestRelease(model, choice.platform) })];
  if (!row) {
    const [sentence, othersIntro] = unavailableMessages(model, choice, { machine, platform });
    return [sentence, machineButtons(model, choice, limits).length > 0 && othersIntro];
  }
  const isHere = ([axis, value]) => model.available(axis, choice).has(value);
  return unmet.map(([axis, value]) => {
    const wishedName = valueName(model, axis, value, choice.platform);
    const shown = shownName(model, axis, choice);
    if (isHere([axis, value])) {
      const sameWishes = unmet.filter((wish) => isHere(wish) && shownName(model, wish[0], choice) === shown);
      if (sameWishes[0][0] !== axis) return "";
      const values = both(sameWishes.map(([otherAxis, otherValue]) => valueName(model, otherAxis, otherValue, choice.platform)));
      return say("This site has no {value} command for {instead}. Showing {shown}.", { value: values, instead: newerWishNames(model, choice, wishes, axis, unmet, limits), shown });
    }
    if (axis !== "build") return say("{value} is not available for {platform} on {machine}. Showing {shown}.", { value: wishedName, platform, machine, shown });
    const newest = model.offers(choice.platform)[model.machine(choice)];
    const nearestBuild = nearestRelease(model, choice, value);
    if (nearestBuild) return say("This site has no command for {platform} {build} on {machine}. The nearest release is {nearest}.", { platform, build: buildName(value), machine, nearest: nearestBuild });
    return say("{platform} {build} is not verified for {machine}. Newest verified: {newest}.", { platform, build: buildName(value), machine, newest: buildName(newest) });
  });
}

/** What to say about a machine without rows: a sentence, and an introduction to the buttons of other machines. */
function unavailableMessages(model, choice, { machine, platform }) {
  const ended = model.ended(choice);
  if (!ended) return [say("{platform} is not available for {machine}.", { platform, machine }), say("It is available for:")];
  const { version } = ended;
  if (ended.platforms.includes(choice.platform)) return [say("PyTorch {version} is the last release with wheels for {machine}. The commands below install it.", { version, machine }), say("Newer releases are available for:")];
  return [say("PyTorch {version} is the last release with wheels for {machine}. The commands below install its CPU build.", { version, machine }), say("{platform} is available for:", { platform })];
}

/** Another release of the same minor version that the platform has for the machine of a choice; undefined if none. */
function nearestRelease(model, choice, build) {
  const minor = build.replace(/\d+$/, "");
  return model.values("build").map(([id]) => id).find((id) => id.startsWith(minor) && model.available("build", choice).has(id));
}

/** The oldest release that a platform has commands for. */
function oldestRelease(model, platform) {
  const builds = model.values("build").map(([id]) => id);
  const positions = (model.rowsOf.get(platform) ?? []).map((row) => builds.indexOf(row.build));
  return builds[Math.max(...positions)];
}

function isPlugin(model, platform) {
  return model.data.more.platform?.includes(platform);
}

function pageLink(root, platform, anchor, text) {
  return link(`${root}compute-platforms/${platform}/#${anchor}`, text);
}

/** A link to the releases that the selector does not have: for a plugin, to the versions on its page. */
export function olderReleases(model, platform = "") {
  const { older, root } = document.querySelector("[data-older]").dataset;
  if (!isPlugin(model, platform)) return link(older, say("Older releases on pytorch.org"));
  return pageLink(root, platform, "versions", say("All versions of {platform}", { platform: model.label("platform", platform) }));
}

/** What follows a sentence about an unknown release: texts and a link if it is older than all releases here, else nothing. */
export function olderRelease(model, release, platform = "") {
  const builds = model.values("build").map(([id]) => id);
  const isOlder = /^\d+(\.\d+)*$/.test(release) && compareVersions(release, builds.at(-1)) < 0 && !builds.some((id) => id.startsWith(`${release}.`));
  return isOlder ? [" ", say("The oldest release here is {version}.", { version: builds.at(-1) }), " ", olderReleases(model, platform)] : [];
}

/** The names of the newer wishes, or else of the limits, that prevent a wish. */
function newerWishNames(model, choice, wishes, axis, unmet, limits) {
  const index = wishes.findIndex(([name]) => name === axis);
  const unmetAxes = new Set(unmet.map(([name]) => name));
  const newerWishes = wishes.slice(index + 1).filter(([name]) => model.data.weights.includes(name) && !unmetAxes.has(name));
  const names = newerWishes.map(([name, value]) => valueName(model, name, value, choice.platform)).filter(Boolean);
  return names.length > 0 ? both(names) : limitNames(limits, false);
}

/** The name of the limit on the builds, card or driver; both, unless only one of them `fits`. `isFirst` starts a sentence. */
export function limitNames({ card, driver }, isFirst, fits = () => false) {
  if (card && driver && fits({ card }) === fits({ driver })) return isFirst ? say("Your GPU driver or card") : say("your GPU driver or card");
  if (card && !(driver && fits({ card }))) return isFirst ? say("Your card") : say("your card");
  return isFirst ? say("Your GPU driver") : say("your GPU driver");
}

function valueName(model, axis, value, platform) {
  if (axis === "python") return `Python ${value}`;
  if (axis === "build") return say("PyTorch {build}", { build: buildName(value) });
  return model.label(axis, value, platform);
}

function shownName(model, axis, choice) {
  return isUnpinned(model, choice) && ["build", "variant"].includes(axis) ? releaseName(model, choice) : valueName(model, axis, choice[axis], choice.platform);
}

/** The name of a choice, for a sentence. */
export function described(model, choice) {
  const [platform, variant, ...otherNames] = ["platform", "variant", "os", "arch", "method"].map((axis) => model.label(axis, choice[axis], choice.platform));
  const variantName = isUnpinned(model, choice) ? "" : variant;
  return listed([platform, variantName, releaseName(model, choice), ...otherNames].filter(Boolean));
}

/** A button for each machine for which the platform has rows within the limits. */
function machineButtons(model, choice, limits) {
  const machines = Object.keys(model.offers(choice.platform)).map((machine) => [machine, machine.split(" ")]);
  const isPossible = ([, values]) => model.resolve([["platform", choice.platform], ...model.data.machine.map((axis, index) => [axis, values[index]])], limits).row;
  return machines.filter(isPossible).map(([machine, values]) => {
    const button = element("button", "copy", values.map((value, index) => model.label(model.data.machine[index], value)).join(" "));
    button.type = "button";
    button.dataset.machine = machine;
    return button;
  });
}

/** Whether the command names no version. */
export function isUnpinned(model, { method }) {
  return model.data.unpinned.includes(method);
}

export function releaseName(model, choice) {
  return isUnpinned(model, choice) ? say("PyTorch, version not pinned") : say("PyTorch {build}", { build: buildName(choice.build) });
}

/** The build that a command installs, for labels. */
export function shortName(model, choice) {
  return isUnpinned(model, choice) ? say("not pinned") : buildName(choice.build);
}

export function buildName(build) {
  return build === "preview" ? say("nightly") : build;
}

function axisName(form, axis) {
  const legend = form.querySelector(`[data-axis="${axis}"] legend`)?.textContent ?? { driver: say("GPU driver"), card: say("card") }[axis] ?? axis;
  return /^(Python|PyTorch|GPU)/.test(legend) ? legend : legend[0].toLowerCase() + legend.slice(1);
}
