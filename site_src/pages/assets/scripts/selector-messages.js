// The selector's sentences: what is shown, and which wishes could not be met.

import { both, element, link, listed, say, sentences, setAddress, setText } from "./elements.js";
import { compareVersions } from "./selector-model.js";
import { LIMITS } from "./selector-wishes.js";

export function announce(form, model, found, { wishes, whole, limits, unknown, quiet, step }) {
  const ignored = unknown.map(([axis, value]) => say("This selector has no {axis} “{value}”.", { axis: axisName(form, axis), value }));
  const effect = sideEffect(model, found, whole, limits);
  const sequel = step ? stepEffect(model, found, wishes, step, effect?.changed ?? []) : "";
  const news = [...ignored, ...conflicts(model, found, wishes, limits), effect?.text, ownPython(model, found, wishes), ...unusedMirrors(form, found, wishes), sequel].filter(Boolean);
  const box = form.querySelector("[data-part=status]");
  box.classList.toggle("has-news", news.length > 0);
  if (news.length > 0) setText(box, sentences(news));
  else setText(box, quiet ? "" : say("Commands for {choice}.", { choice: described(model, found.choice) }));
  for (const [axis, value] of unknown) if (axis === "build") box.append(...olderRelease(model, value, found.choice.platform));
  if (!found.row) box.append(" ", ...machineButtons(model, found.choice, limits));
  for (const [axis, value] of found.row ? found.unmet : []) {
    const wanted = axis === "build" && !model.available(axis, found.choice).has(value) ? nearest(model, found.choice, value) : value;
    const asked = [...whole.filter(([other]) => other !== axis), [axis, wanted]];
    if (wanted && model.resolve(asked, limits).choice[axis] === wanted) box.append(" ", wayBack(say("Change to {value}", { value: valueName(model, axis, wanted, found.choice.platform) }), axis, wanted));
  }
  const { platform } = found.choice;
  const containers = model.data.containers[platform];
  const lost = new Map(found.unmet);
  if (containers && lost.get("method")?.startsWith("docker")) box.append(" ", pageLink(form.dataset.root, platform, containers, say("Containers for {platform}", { platform: model.label("platform", platform) })));
  if (wantsConda(found)) box.append(" ", condaAnswer(form.dataset.root));
  if (lost.has("build") && isPlugin(model, platform)) box.append(" ", olderReleases(model, platform));
  if (effect?.undo) box.append(" ", wayBack(say("Back to {value}", { value: effect.without }), effect.undo, ""));
  if (sequel) box.append(" ", wayBack(say("Back to {value}", { value: valueName(model, step.axis, step.choice[step.axis]) }), step.axis, step.wish ?? ""));
}

/** What else a change of the machine or the platform has changed. */
export function stepEffect(model, { choice, row }, wishes, { axis, choice: before }, said) {
  if (!row || !before.build) return "";
  const isSame = choice.platform === before.platform;
  const own = new Set([axis, ...said, ...wishes.map(([name]) => name), ...(isSame ? [] : ["variant"]), ...(row.pythons ? [] : ["python"])]);
  const changed = model.axes.filter((name) => !own.has(name) && choice[name] !== before[name]);
  const parts = changed.map((name) => {
    const [now, then] = [choice, before].map((from) => valueName(model, name, from[name], choice.platform));
    return then ? say("{now} instead of {then}", { now, then }) : now;
  });
  return parts.length > 0 ? say("Changed for {value}: {changes}.", { value: valueName(model, axis, choice[axis]), changes: listed(parts) }) : "";
}

/** What wishes or limits changed on other axes; `undo` is the wish's axis. */
export function sideEffect(model, { choice, row }, wishes, limits) {
  const isGiven = ([axis]) => axis === "platform" || model.data.machine.includes(axis);
  const usual = model.resolve(wishes.filter(isGiven)).choice;
  const picked = new Set(wishes.map(([axis]) => axis));
  const own = (axis) => axis !== "python" || row.pythons; // a container has a Python of its own
  const changed = model.data.weights.filter((axis) => row && !picked.has(axis) && choice[axis] !== usual[axis] && own(axis));
  if (changed.length === 0) return null;
  const name = (from) => (axis) => shownName(model, axis, from);
  const [shown, instead] = [listed(changed.map(name(choice))), listed(changed.map(name(usual)))];
  const without = (axis) => model.resolve(wishes.filter(([other]) => other !== axis), limits).choice;
  const restores = (count) => ([axis]) => changed[count]((other) => without(axis)[other] === usual[other]);
  const free = wishes.filter((wish) => !isGiven(wish)).reverse();
  const isLimited = free.some(([axis]) => LIMITS.includes(axis));
  const last = isLimited ? null : free.find(([axis, value]) => choice[axis] === value); // of several causes
  const cause = free.find(restores("every")) ?? free.find(restores("some")) ?? last;
  if (!cause) {
    const newest = listed(["build", "variant"].map((axis) => name(choice)(axis)).filter(Boolean));
    if (!limits.driver && model.card(choice.platform, limits.card).isUncertain) return { changed, text: say("No source confirms {instead} on your card. Showing {newest}.", { instead, newest }), undo: null };
    const fits = (limit) => changed.every((axis) => model.resolve(wishes, limit).choice[axis] === usual[axis]);
    return { changed, text: say("{limits} does not fit {instead}. The newest build that fits is {newest}.", { limits: limitNames(limits, true, fits), instead, newest }), undo: null };
  }
  const [undo, value] = cause;
  const together = model.resolve([...changed.map((axis) => [axis, usual[axis]]), ...wishes], limits);
  const isSame = model.axes.every((axis) => changed.includes(axis) || together.choice[axis] === choice[axis]);
  const isPossible = isSame && together.unmet.length === 0 && together.row.finding(together.choice.python)?.[0] !== "none";
  const values = { value: valueName(model, undo, value, choice.platform), instead, shown };
  const text = isPossible ? say("{value} comes with {shown} unless you select {instead}.", values) : say("This site has no {value} command for {instead}. Showing {shown}.", values);
  return { changed, text, undo, without: valueName(model, undo, without(undo)[undo], choice.platform) };
}

function ownPython(model, { choice, row }, wishes) {
  const python = new Map(wishes).get("python");
  if (!python || !row || row.pythons || !model.data.inside.includes(choice.method)) return "";
  return say("The container has its own Python and does not use Python {python}.", { python });
}

function unusedMirrors(form, { row }, wishes) {
  const unused = [...form.querySelectorAll("[data-index][hidden] select")].filter(({ name }) => row && new Map(wishes).has(name));
  return unused.map(({ selectedOptions }) => say("These commands do not use the mirror {name}.", { name: selectedOptions[0].text }));
}

/** Whether pip is shown instead of conda. */
export function wantsConda({ choice, unmet }) {
  return choice.method === "pip" && new Map(unmet).get("method") === "conda";
}

export function condaAnswer(root) {
  return link(`${root}questions/#faq-why-does-conda-install-no-new-pytorch-or-not-find-pytorch-cuda`, say("Run the pip lines in your activated conda environment"));
}

/** A button that takes a wish (again), or takes one back. */
function wayBack(words, axis, value) {
  const button = element("button", "link", words);
  Object.assign(button, { type: "button" });
  Object.assign(button.dataset, { axis, wish: value });
  return button;
}

export function showLimit(form, model, platform, { card, driver }) {
  const { name, remark, isUncertain } = model.card(platform, card);
  const least = driver && model.data.drivers[platform];
  const parts = [name && say("Limited to builds for {card}.", { card: name }), !isUncertain && remark, least && say("Limited to builds for {card}.", { card: `${least.name} ${driver}` })].filter(Boolean);
  const box = form.querySelector("[data-part=limit]");
  box.hidden = parts.length === 0;
  setText(box.querySelector("span"), sentences(parts));
  const about = box.querySelector("a");
  about.hidden = !name;
  if (name) setAddress(about, `${form.dataset.root}compute-platforms/${platform}/#card-${card}`);
}

/** One sentence for each wish that could not be met. */
function conflicts(model, { choice, row, unmet, limited }, wishes, limits) {
  const platform = model.label("platform", choice.platform);
  const machine = model.data.machine.map((axis) => model.label(axis, choice[axis])).join(" ");
  if (!row && limited) return [say("{limits} fits no verified build of {platform} on {machine} since PyTorch {oldest}.", { limits: limitNames(limits, true), platform, machine, oldest: oldestRelease(model, choice.platform) })];
  if (!row) {
    const [said, others] = notHere(model, choice, { machine, platform });
    return [said, machineButtons(model, choice, limits).length > 0 && others];
  }
  const isHere = ([axis, value]) => model.available(axis, choice).has(value);
  return unmet.map(([axis, value]) => {
    const wished = valueName(model, axis, value, choice.platform);
    const shown = shownName(model, axis, choice);
    if (isHere([axis, value])) {
      const alike = unmet.filter((wish) => isHere(wish) && shownName(model, wish[0], choice) === shown);
      if (alike[0][0] !== axis) return "";
      const values = both(alike.map(([name, other]) => valueName(model, name, other, choice.platform)));
      return say("This site has no {value} command for {instead}. Showing {shown}.", { value: values, instead: later(model, choice, wishes, axis, unmet, limits), shown });
    }
    if (axis !== "build") return say("{value} is not available for {platform} on {machine}. Showing {shown}.", { value: wished, platform, machine, shown });
    const newest = model.offers(choice.platform)[model.machine(choice)];
    const near = nearest(model, choice, value);
    if (near) return say("This site has no command for {platform} {build} on {machine}. The nearest release is {nearest}.", { platform, build: buildName(value), machine, nearest: near });
    return say("{platform} {build} is not verified for {machine}. Newest verified: {newest}.", { platform, build: buildName(value), machine, newest: buildName(newest) });
  });
}

/** What is said of a machine without rows. */
function notHere(model, choice, { machine, platform }) {
  const ended = model.ended(choice);
  if (!ended) return [say("{platform} is not available for {machine}.", { platform, machine }), say("It is available for:")];
  const { version } = ended;
  if (ended.platforms.includes(choice.platform)) return [say("PyTorch {version} is the last release with wheels for {machine}. The commands below install it.", { version, machine }), say("Newer releases are available for:")];
  return [say("PyTorch {version} is the last release with wheels for {machine}. The commands below install its CPU build.", { version, machine }), say("{platform} is available for:", { platform })];
}

/** Another release of the same minor version that a platform has for a machine. */
function nearest(model, choice, build) {
  const minor = build.replace(/\d+$/, "");
  return model.values("build").map(([id]) => id).find((id) => id.startsWith(minor) && model.available("build", choice).has(id));
}

/** The oldest release that a platform has commands for. */
function oldestRelease(model, platform) {
  const builds = model.values("build").map(([id]) => id);
  const known = (model.rowsOf.get(platform) ?? []).map((row) => builds.indexOf(row.build));
  return builds[Math.max(...known)];
}

function isPlugin(model, platform) {
  return model.data.more.platform?.includes(platform);
}

function pageLink(root, platform, anchor, words) {
  return link(`${root}compute-platforms/${platform}/#${anchor}`, words);
}

/** A link to releases without commands here; a plugin's page has its own. */
export function olderReleases(model, platform = "") {
  const { older, root } = document.querySelector("[data-older]").dataset;
  if (!isPlugin(model, platform)) return link(older, say("Older releases on pytorch.org"));
  return pageLink(root, platform, "versions", say("All versions of {platform}", { platform: model.label("platform", platform) }));
}

/** What follows a sentence about a release that is older than all here. */
export function olderRelease(model, release, platform = "") {
  const builds = model.values("build").map(([id]) => id);
  const isOlder = /^\d+(\.\d+)*$/.test(release) && compareVersions(release, builds.at(-1)) < 0 && !builds.some((id) => id.startsWith(`${release}.`));
  return isOlder ? [" ", say("The oldest release here is {version}.", { version: builds.at(-1) }), " ", olderReleases(model, platform)] : [];
}

/** The newer wishes, or the limits, that a wish gave way to. */
function later(model, choice, wishes, axis, unmet, limits) {
  const place = wishes.findIndex(([name]) => name === axis);
  const given = new Set(unmet.map(([name]) => name));
  const names = wishes.slice(place + 1).filter(([name]) => model.data.weights.includes(name) && !given.has(name));
  const parts = names.map(([name, value]) => valueName(model, name, value, choice.platform)).filter(Boolean);
  return parts.length > 0 ? both(parts) : limitNames(limits, false);
}

/** What limits the builds; one, if the other `fits`. */
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

export function described(model, choice) {
  const [platform, variant, ...others] = ["platform", "variant", "os", "arch", "method"].map((axis) => model.label(axis, choice[axis], choice.platform));
  const build = isUnpinned(model, choice) ? "" : variant;
  return listed([platform, build, releaseName(model, choice), ...others].filter(Boolean));
}

/** A button for each machine that the platform has rows for. */
function machineButtons(model, choice, limits) {
  const machines = Object.keys(model.offers(choice.platform)).map((machine) => [machine, machine.split(" ")]);
  const isPossible = ([, values]) => model.resolve([["platform", choice.platform], ...model.data.machine.map((axis, n) => [axis, values[n]])], limits).row;
  return machines.filter(isPossible).map(([machine, values]) => {
    const button = element("button", "copy", values.map((value, n) => model.label(model.data.machine[n], value)).join(" "));
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

/** What a command installs, in one word. */
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
