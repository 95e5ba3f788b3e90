// Chooses, merges and orders the answers to a query for hardware.

import { joined } from "./finder-names.js";

const MANY_GENERATIONS = 3; // more of one platform are one answer, the platform itself

/** Of the fits of one platform those that explain the most and leave out the least. */
export function best(fits) {
  const most = Math.max(...fits.map(({ known }) => known.size));
  const full = fits.filter(({ known }) => known.size === most);
  const least = Math.min(...full.map(({ missing }) => missing));
  const whole = full.filter(({ missing }) => missing === least);
  const longest = Math.max(...whole.map(({ all }) => all.size)); // "GTX TITAN X" is no TITAN X
  const widest = Math.max(...whole.map(({ core }) => core.size));
  if (whole.some(({ name }) => name.text.includes("*"))) return whole.filter(({ core }) => core.size === widest); // "Pentium 4" is not any Pentium
  return whole.filter(({ name, all }) => name.owner.isCpu || all.size === longest);
}

/** Of fits of several vendors, those whose whole name a query has, if there are any: "V100" is no MR-V100. */
export function exactAlone(fits) {
  const exact = fits.filter(({ missing }) => missing === 0);
  const wordsOf = ({ makers, words }) => new Set([...makers, ...words.map(joined)]);
  const names = (one, other) => [...one.makers].some((maker) => wordsOf(other).has(maker));
  const isSame = (one) => exact.some(({ name }) => names(one, name) || names(name, one)); // a Mac's UHD Graphics is Intel's
  return exact.length === 0 ? fits : fits.filter(({ name, missing }) => missing === 0 || name.owner.isCpu || isSame(name));
}

/** One entry for each generation, with the models that are named; without any it stands for all. */
export function byGeneration(fits) {
  const found = new Map();
  for (const { name } of fits) {
    const { owner, generation, model, entry } = name;
    const models = unique([...(found.get(generation)?.models ?? []), model].filter(Boolean));
    found.set(generation, { owner, generation, entry, models });
  }
  return [...found.values()];
}

/** The same processor is in computers of several systems: of its entries, those for the system count, if there are any. */
export function ofSystem(found, os) {
  const isHere = ({ platform, generation }) => platform.dispatch_key !== "CPU" || !generation?.systems || generation.systems.includes(os);
  const here = found.filter(isHere);
  return here.some(({ platform, generation }) => generation && platform.dispatch_key === "CPU") ? here : found;
}

export function unique(list) {
  return [...new Set(list)];
}

export function answerOf({ owner, generation, models, broad }) {
  return { platform: owner.platform, generation, models, ...(broad && { broad }) };
}

/** A graphics unit that is part of a processor comes with it: the processor is an answer of its own. */
export function withProcessor(found, platforms, candidates) {
  const cpu = platforms.find(({ isCpu }) => isCpu);
  const shares = (answer) => (answer.platform.dispatch_key === "MPS" && answer.generation && answer.generation.arch !== "x86_64" && answer.generation.verdict !== "none") || (answer.models.length > 0 && isShared(answer));
  if (!cpu || !found.some(shares) || found.some(({ platform }) => platform === cpu.platform)) return found;
  const own = best(candidates.filter(({ name }) => name.owner === cpu));
  return [...found, ...(own.length > 0 ? byGeneration(own).map(answerOf) : [{ platform: cpu.platform, generation: null, models: [] }])];
}

/** How closely words name a platform: its name or vendor (0), its device (1), its dispatch key (2); null: not at all. */
export function rankOfPlatform({ platform, name, vendor, software }, words) {
  if (words.every((word) => name.has(word) || vendor.has(word) || word === platform.id || software.has(word))) return 0;
  if (software.has(words.join(""))) return 0; // "torch_npu"
  const whole = words.filter((word) => !vendor.has(word)).join("");
  const place = [platform.device, platform.dispatch_key].findIndex((text) => text.toLowerCase() === whole);
  return place < 0 ? null : place + 1;
}

/**
 * The order among platforms for the same hardware: the vendor's own current path first, then others' paths, then the
 * CPU, last what is no longer developed; of equals what runs on the reader's system, what PyTorch builds itself, the newest.
 */
export function ordering(runsHere) {
  const group = ({ platform, isCpu }, generation) => {
    if (platform.lifecycle) return 3;
    if (isCpu) return 2;
    return generation?.vendor && generation.vendor !== platform.vendor ? 1 : 0;
  };
  const key = (owner, generation) => [group(owner, generation), runsHere(owner.platform.id) ? 0 : 1, owner.platform.integration === "in-tree" ? 0 : 1];
  return (a, b, ofA = null, ofB = null) => {
    const [left, right] = [key(a, ofA), key(b, ofB)];
    const place = left.findIndex((value, n) => value !== right[n]);
    return place >= 0 ? left[place] - right[place] : compare(b.newest, a.newest);
  };
}

/** Releases, parted by dots. */
export function compare(a, b) {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (let n = 0; n < Math.max(left.length, right.length); n += 1) {
    const difference = (left[n] || 0) - (right[n] || 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether a bound such as ">=5.1.0" admits a version. */
export function isWithin(bound, version) {
  const [, sign, limit] = /^([<>]=?)\s*(.*)$/.exec(bound) ?? [];
  const order = sign ? compare(version, limit) : NaN;
  return order === 0 ? sign.endsWith("=") : sign?.startsWith("<") ? order < 0 : order > 0;
}

/** A word such as "Radeon" fits many cards: their platform is the answer. */
export function collapsed(found, asked, exact) {
  if (asked.some(({ digit }) => digit)) return found;
  const number = (platform) => found.filter((one) => one.platform === platform).length;
  const seen = new Set();
  return found.flatMap((one) => {
    if (number(one.platform) <= MANY_GENERATIONS) return [one];
    const whole = seen.has(one.platform) ? [] : [{ platform: one.platform, generation: null, models: [], broad: true }];
    seen.add(one.platform);
    return exact.some(({ generation }) => generation === one.generation) ? [one, ...whole] : whole;
  });
}

/** One answer for each generation, with the models that several names of a text brought. */
export function distinct(answers) {
  const kept = new Map();
  for (const answer of answers) {
    const key = `${answer.platform.id} ${answer.generation?.page ?? ""}`;
    const earlier = kept.get(key);
    if (!earlier) kept.set(key, answer);
    else if (earlier.models.length > 0 && answer.models.length > 0) earlier.models = unique([...earlier.models, ...answer.models]);
  }
  return [...kept.values()];
}

/** A text that names several: the accelerator comes before the processor and the display adapter. */
export function telling(answer) {
  const { platform, generation } = answer;
  if (platform.dispatch_key === "CPU") return 3;
  if (!generation || platform.lifecycle) return 2;
  if (generation.verdict === "none") return 1;
  return isShared(answer) ? 0.5 : 0;
}

/** Whether a graphics unit is part of a processor. */
function isShared({ generation, models }) {
  const named = models.length > 0 ? models : generation?.models ?? [];
  return named.length > 0 && named.every(({ memory }) => memory?.startsWith("shared with the processor"));
}
