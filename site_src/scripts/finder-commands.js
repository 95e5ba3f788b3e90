// Finds the selector's row with the install commands for an answer of the finder.

import { compareVersions } from "./selector-model.js";

/**
 * Returns the selector's `row` and `choice` for an answer, on the system that the query names, or else on the reader's own
 * if the platform has rows for it. `system` has the reader's `os` and `arch`, and `python` if one is selected.
 * The result also has `wishes`, [axis, value] pairs, and `limits`, the card and driver, that led to the row; `requestedMachine`,
 * the requested `os` and `arch`; `variant`, the build for the requested toolkit; `tooOld`, whether no row fits the driver; and `unmet`,
 * the wishes that the row does not meet. If there is no row, `row` is null; `ended` then has the commands of the last
 * release with wheels for the machine, or null.
 */
export function commandsFor(model, answer, system) {
  const { platform, driver, toolkit, models = [] } = answer;
  const sharedArch = models.length > 0 && models.every(({ arch }) => arch === models[0].arch) && models[0].arch;
  const requestedMachine = { os: answer.os ?? system.os, arch: answer.arch ?? (sharedArch || answer.generation?.arch || system.arch) };
  const variant = toolkit?.platform === platform.id ? variantOf(model, toolkit) : null;
  const card = cardOf(answer);
  const versions = answer.versions ?? {};
  const python = answer.python && model.knows("python", answer.python) ? answer.python : null;
  const wishes = [["variant", variant?.id], ["python", python], ["method", answer.method], ["build", buildOf(model, answer.release)]].filter(([, value]) => value);
  const limitsOfAnswer = driver && model.data.drivers[platform.id] ? { card, driver } : { card };
  const isOldJetPack = answer.generation?.jetpack && versions.JetPack && compareVersions(versions.JetPack, answer.generation.jetpack) < 0;
  const possibleMachines = isOldJetPack ? [] : machinesOf(model, platform.id, requestedMachine).filter(({ os, arch }) => os === (answer.os ?? os) && arch === (answer.arch ?? arch));
  for (const limits of limitsOfAnswer.driver ? [limitsOfAnswer, { card }] : [limitsOfAnswer]) {
    const resolve = (someWishes) => firstRow(model, platform.id, possibleMachines, someWishes, { ...limits, versions });
    const wished = resolve(wishes);
    const resolved = wished?.row.pythons || answer.method ? wished : resolve(wishes.filter(([axis]) => axis !== "python")); // a container has its own Python
    const isUnpinned = resolved && !answer.method && model.data.unpinned.includes(resolved.choice.method); // commands without versions do not state requirements
    if (resolved && !(isUnpinned && Object.keys(versions).length > 0)) return { ...withPython(resolved, wishes, python ?? system.python), requestedMachine, variant, limits, tooOld: Boolean(limitsOfAnswer.driver && !limits.driver) };
  }
  const [onlySystem, ...otherSystems] = answer.generation?.systems ?? [];
  const machine = { ...requestedMachine, os: answer.os ?? (otherSystems.length === 0 && onlySystem ? onlySystem : requestedMachine.os) };
  const lastRelease = model.ended({ ...machine, platform: platform.id });
  const ended = answer.generation?.verdict !== "none" && lastRelease?.platforms.includes(platform.id) ? lastRelease : null;
  const choice = ended ? { ...machine, platform: platform.id, method: ended.method, build: ended.version } : { ...requestedMachine, platform: platform.id };
  return { row: null, ended, choice, requestedMachine, variant, wishes, limits: limitsOfAnswer, tooOld: false };
}

/** Returns the query string of the address that shows a row in the selector, without the question mark. */
export function selectorQuery(model, { choice, wishes, limits }) {
  const query = new URLSearchParams({ platform: choice.platform });
  for (const [name, value] of Object.entries(limits)) if (value) query.set(name, value);
  query.set("os", choice.os);
  if (choice.arch !== model.start(choice.os).arch) query.set("arch", choice.arch);
  for (const [axis, value] of wishes) query.set(axis, value);
  return query.toString();
}

/** Returns the id of an answer's card on its platform's page; null if the answer names no hardware. */
function cardOf({ generation }) {
  return generation ? generation.page.split("#card-")[1] : null;
}

/** Returns what the selector finds for the first of the machines that has a row; null if none has. */
function firstRow(model, platform, machines, wishes, limits) {
  for (const machine of machines) {
    const resolved = model.resolve([...Object.entries(machine), ["platform", platform], ...wishes], limits);
    if (resolved.row) return resolved;
  }
  return null;
}

/** Selects the Python that the reader named or selected, if the row has wheels for it. */
function withPython(resolved, wishes, python) {
  const otherWishes = wishes.filter(([axis]) => axis !== "python");
  if (!resolved.row.pythons?.includes(python)) return { ...resolved, wishes: otherWishes };
  return { ...resolved, wishes: [["python", python], ...otherWishes], choice: { ...resolved.choice, python } };
}

/** Returns the machines that a platform has rows for: first the reader's, then others with the same system, then other systems. */
function machinesOf(model, platform, { os, arch }) {
  const keys = new Set((model.rowsOf.get(platform) ?? []).map((row) => model.machine(row)));
  const systems = model.data.axes.os.map(([id]) => id);
  const sortKey = ([itsOs, itsArch]) => [itsOs === os ? -1 : systems.indexOf(itsOs), itsArch === (itsOs === os ? arch : model.start(itsOs).arch) ? 0 : 1];
  const sorted = [...keys].map((key) => key.split(" ")).map((parts) => ({ parts, order: sortKey(parts) }));
  sorted.sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1]);
  return sorted.map(({ parts }) => Object.fromEntries(model.data.machine.map((axis, n) => [axis, parts[n]])));
}

/** Returns the release that a query names; for "2.8", the newest 2.8 release. */
function buildOf(model, release) {
  return release && model.values("build").find(([id]) => id === release || id.startsWith(`${release}.`))?.[0];
}

/** Returns the build for a toolkit's version, or for the next older version with the same major number; null if there is none. */
function variantOf(model, { platform, version }) {
  const [major, minor = Infinity] = version.split(".").map(Number);
  const variants = model.values("variant", platform).flatMap(([id, label]) => {
    const match = /^\S+ (\d+)\.(\d+)$/.exec(label);
    return match && Number(match[1]) === major && Number(match[2]) <= minor ? [{ id, label, minor: Number(match[2]) }] : [];
  });
  const best = variants.reduce((a, b) => (a && a.minor >= b.minor ? a : b), null);
  return best && { ...best, exact: minor === Infinity || best.minor === minor };
}
