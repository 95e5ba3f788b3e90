// The commands for an answer of the finder: the selector's own row for the card, the driver and a system.

import { compareVersions } from "./selector-model.js";

/**
 * The row that an answer leads to, for the system that the query names, or else the reader's own where it has one.
 * `system` has the reader's `os` and `arch`, and `python` if one is selected. `ended` has the commands for a machine whose wheels ended, which has no row. Beside the selector's `choice` and `row` it says what was asked for and could not be met.
 */
export function commandsFor(model, answer, system) {
  const { platform, driver, toolkit, models = [] } = answer;
  const oneArch = models.length > 0 && models.every(({ arch }) => arch === models[0].arch) && models[0].arch;
  const wanted = { os: answer.os ?? system.os, arch: answer.arch ?? (oneArch || answer.generation?.arch || system.arch) };
  const variant = toolkit?.platform === platform.id ? variantOf(model, toolkit) : null;
  const card = cardOf(answer);
  const versions = answer.versions ?? {};
  const python = answer.python && model.knows("python", answer.python) ? answer.python : null;
  const wishes = [["variant", variant?.id], ["python", python], ["method", answer.method], ["build", buildOf(model, answer.release)]].filter(([, value]) => value);
  const limited = driver && model.data.drivers[platform.id] ? { card, driver } : { card };
  const oldJetPack = answer.generation?.jetpack && versions.JetPack && compareVersions(versions.JetPack, answer.generation.jetpack) < 0;
  const possible = oldJetPack ? [] : machines(model, platform.id, wanted).filter(({ os, arch }) => os === (answer.os ?? os) && arch === (answer.arch ?? arch));
  for (const limits of limited.driver ? [limited, { card }] : [limited]) {
    const first = (wished) => firstRow(model, platform.id, possible, wished, { ...limits, versions });
    const asked = first(wishes);
    const found = asked?.row.pythons || answer.method ? asked : first(wishes.filter(([axis]) => axis !== "python")); // a container does not have the Python
    const isOpen = found && !answer.method && model.data.unpinned.includes(found.choice.method); // what names no version states no requirement
    if (found && !(isOpen && Object.keys(versions).length > 0)) return { ...withPython(found, wishes, python ?? system.python), wanted, variant, limits, tooOld: Boolean(limited.driver && !limits.driver) };
  }
  const [only, ...others] = answer.generation?.systems ?? [];
  const machine = { ...wanted, os: answer.os ?? (others.length === 0 && only ? only : wanted.os) };
  const last = model.ended({ ...machine, platform: platform.id });
  const ended = answer.generation?.verdict !== "none" && last?.platforms.includes(platform.id) ? last : null;
  const choice = ended ? { ...machine, platform: platform.id, method: ended.method, build: ended.version } : { ...wanted, platform: platform.id };
  return { row: null, ended, choice, wanted, variant, wishes, limits: limited, tooOld: false };
}

/** The address of a row in the selector, behind the question mark. */
export function selectorQuery(model, { choice, wishes, limits }) {
  const query = new URLSearchParams({ platform: choice.platform });
  for (const [name, value] of Object.entries(limits)) if (value) query.set(name, value);
  query.set("os", choice.os);
  if (choice.arch !== model.start(choice.os).arch) query.set("arch", choice.arch);
  for (const [axis, value] of wishes) query.set(axis, value);
  return query.toString();
}

export function cardOf({ generation }) {
  return generation ? generation.page.split("#card-")[1] : null;
}

function firstRow(model, platform, possible, wishes, limits) {
  for (const machine of possible) {
    const found = model.resolve([...Object.entries(machine), ["platform", platform], ...wishes], limits);
    if (found.row) return found;
  }
  return null;
}

/** A row for the Python that the reader named or selected, if it has wheels for it. */
function withPython(found, wishes, python) {
  const others = wishes.filter(([axis]) => axis !== "python");
  if (!found.row.pythons?.includes(python)) return { ...found, wishes: others };
  return { ...found, wishes: [["python", python], ...others], choice: { ...found.choice, python } };
}

/** The machines that a platform has rows for: the reader's own first, then that system's others, then other systems. */
function machines(model, platform, { os, arch }) {
  const keys = new Set((model.rowsOf.get(platform) ?? []).map((row) => model.machine(row)));
  const systems = model.data.axes.os.map(([id]) => id);
  const place = ([itsOs, itsArch]) => [itsOs === os ? -1 : systems.indexOf(itsOs), itsArch === (itsOs === os ? arch : model.start(itsOs).arch) ? 0 : 1];
  const found = [...keys].map((key) => key.split(" ")).map((parts) => ({ parts, order: place(parts) }));
  found.sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1]);
  return found.map(({ parts }) => Object.fromEntries(model.data.machine.map((axis, n) => [axis, parts[n]])));
}

/** The release that a reader named; the newest of "2.8". */
function buildOf(model, release) {
  return release && model.values("build").find(([id]) => id === release || id.startsWith(`${release}.`))?.[0];
}

/** The build for a toolkit's version, or for the newest older one of the same generation. */
function variantOf(model, { platform, version }) {
  const [major, minor = Infinity] = version.split(".").map(Number);
  const known = model.values("variant", platform).flatMap(([id, label]) => {
    const stated = /^\S+ (\d+)\.(\d+)$/.exec(label);
    return stated && Number(stated[1]) === major && Number(stated[2]) <= minor ? [{ id, label, minor: Number(stated[2]) }] : [];
  });
  const best = known.reduce((a, b) => (a && a.minor >= b.minor ? a : b), null);
  return best && { ...best, exact: minor === Infinity || best.minor === minor };
}
