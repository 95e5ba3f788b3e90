// Chooses, merges and sorts the finder's answers to a query for hardware.
// A fit is a name that matches a query: `name`; `core`, `all` and `known`, sets of token positions; `missing`, a count.
// An answer has the `platform`, the `generation` of its hardware (null: the platform as a whole) and the `models` named.

import { joined } from "./finder-names.js";
import { compareVersions } from "./selector-model.js";

const MANY_GENERATIONS = 3; // if a platform has more answers than this, one answer for the whole platform replaces them

/** Returns the fits of one platform that explain the most tokens of the query; of those, the ones that miss the fewest words. */
export function best(fits) {
  const mostKnown = Math.max(...fits.map(({ known }) => known.size));
  const mostExplained = fits.filter(({ known }) => known.size === mostKnown);
  const leastMissing = Math.min(...mostExplained.map(({ missing }) => missing));
  const bestFits = mostExplained.filter(({ missing }) => missing === leastMissing);
  const mostTokens = Math.max(...bestFits.map(({ all }) => all.size)); // "GTX TITAN X" must not match the TITAN X
  const mostCoreTokens = Math.max(...bestFits.map(({ core }) => core.size));
  if (bestFits.some(({ name }) => name.text.includes("*"))) return bestFits.filter(({ core }) => core.size === mostCoreTokens); // "Pentium 4" must not match every Pentium
  return bestFits.filter(({ name, all }) => name.owner.isCpu || all.size === mostTokens);
}

/**
 * If the query has the whole name of some fits, drops the incomplete fits of other vendors: "V100" must not match the
 * MR-V100. Keeps CPUs and hardware of the same maker.
 */
export function exactAlone(fits) {
  const exactFits = fits.filter(({ missing }) => missing === 0);
  const wordsOf = ({ makers, words }) => new Set([...makers, ...words.map(joined)]);
  const sharesMaker = (name, otherName) => [...name.makers].some((maker) => wordsOf(otherName).has(maker));
  const isSameHardware = (candidate) => exactFits.some(({ name }) => sharesMaker(candidate, name) || sharesMaker(name, candidate)); // the UHD Graphics in a Mac is made by Intel
  return exactFits.length === 0 ? fits : fits.filter(({ name, missing }) => missing === 0 || name.owner.isCpu || isSameHardware(name));
}

/** Groups fits by generation: `{ owner, generation, entry, models }`. `models` are the named ones; empty means all. */
export function byGeneration(fits) {
  const groups = new Map();
  for (const { name } of fits) {
    const { owner, generation, model, entry } = name;
    const models = unique([...(groups.get(generation)?.models ?? []), model].filter(Boolean));
    groups.set(generation, { owner, generation, entry, models });
  }
  return [...groups.values()];
}

/**
 * Removes CPU answers that are for another operating system, if there is one for `os`: the same processor can be listed
 * once for each system.
 */
export function ofSystem(answers, os) {
  const isForSystem = ({ platform, generation }) => platform.dispatch_key !== "CPU" || !generation?.systems || generation.systems.includes(os);
  const answersForSystem = answers.filter(isForSystem);
  return answersForSystem.some(({ platform, generation }) => generation && platform.dispatch_key === "CPU") ? answersForSystem : answers;
}

/** Returns a list without duplicates. */
export function unique(list) {
  return [...new Set(list)];
}

/** Returns the answer for an entry of a platform's hardware. */
export function answerOf({ owner, generation, models, broad }) {
  return { platform: owner.platform, generation, models, ...(broad && { broad }) };
}

/** Adds an answer for the CPU if an answer is a graphics unit that is part of a processor and no answer is for the CPU yet. */
export function withProcessor(answers, platforms, candidates) {
  const cpu = platforms.find(({ isCpu }) => isCpu);
  const hasCpu = (answer) => (answer.platform.dispatch_key === "MPS" && answer.generation && answer.generation.arch !== "x86_64" && answer.generation.verdict !== "none") || (answer.models.length > 0 && isShared(answer));
  if (!cpu || !answers.some(hasCpu) || answers.some(({ platform }) => platform === cpu.platform)) return answers;
  const processorFits = best(candidates.filter(({ name }) => name.owner === cpu));
  return [...answers, ...(processorFits.length > 0 ? byGeneration(processorFits).map(answerOf) : [{ platform: cpu.platform, generation: null, models: [] }])];
}

/** Returns how closely words name a platform: by its name or vendor (0), device (1), dispatch key (2), or not at all (null). */
export function rankOfPlatform({ platform, name, vendor, software }, words) {
  if (words.every((word) => name.has(word) || vendor.has(word) || word === platform.id || software.has(word))) return 0;
  if (software.has(words.join(""))) return 0; // "torch_npu"
  const joinedWords = words.filter((word) => !vendor.has(word)).join("");
  const index = [platform.device, platform.dispatch_key].findIndex((identifier) => identifier.toLowerCase() === joinedWords);
  return index < 0 ? null : index + 1;
}

/**
 * Returns a comparison function that sorts platforms for the same hardware: first the platform of the hardware's own
 * vendor, then platforms of other vendors, then the CPU, then platforms that are no longer developed. Ties are broken by
 * these preferences: platforms that run on the reader's system, in-tree platforms, the newest PyTorch release.
 */
export function ordering(runsHere) {
  const group = ({ platform, isCpu }, generation) => {
    if (platform.lifecycle) return 3;
    if (isCpu) return 2;
    return generation?.vendor && generation.vendor !== platform.vendor ? 1 : 0;
  };
  const sortKey = (owner, generation) => [group(owner, generation), runsHere(owner.platform.id) ? 0 : 1, owner.platform.integration === "in-tree" ? 0 : 1];
  return (first, second, firstGeneration = null, secondGeneration = null) => {
    const [left, right] = [sortKey(first, firstGeneration), sortKey(second, secondGeneration)];
    const index = left.findIndex((value, n) => value !== right[n]);
    return index >= 0 ? left[index] - right[index] : compareVersions(second.newest, first.newest);
  };
}

/** Returns whether a version satisfies a bound such as ">=5.1.0". */
export function isWithin(bound, version) {
  const [, sign, limit] = /^([<>]=?)\s*(.*)$/.exec(bound) ?? [];
  const difference = sign ? compareVersions(version, limit) : NaN;
  return difference === 0 ? sign.endsWith("=") : sign?.startsWith("<") ? difference < 0 : difference > 0;
}

/**
 * Replaces many answers of one platform with one broad answer for the platform: a word such as "Radeon" fits many cards.
 * Exact answers stay. A query with a number is left unchanged.
 */
export function collapsed(answers, tokens, exactAnswers) {
  if (tokens.some(({ digit }) => digit)) return answers;
  const countOf = (platform) => answers.filter((answer) => answer.platform === platform).length;
  const seenPlatforms = new Set();
  return answers.flatMap((answer) => {
    if (countOf(answer.platform) <= MANY_GENERATIONS) return [answer];
    const platformAnswers = seenPlatforms.has(answer.platform) ? [] : [{ platform: answer.platform, generation: null, models: [], broad: true }];
    seenPlatforms.add(answer.platform);
    return exactAnswers.some(({ generation }) => generation === answer.generation) ? [answer, ...platformAnswers] : platformAnswers;
  });
}

/** Merges the answers for the same generation; the result has the models of all of them. */
export function distinct(answers) {
  const answersByKey = new Map();
  for (const answer of answers) {
    const key = `${answer.platform.id} ${answer.generation?.page ?? ""}`;
    const earlier = answersByKey.get(key);
    if (!earlier) answersByKey.set(key, answer);
    else if (earlier.models.length > 0 && answer.models.length > 0) earlier.models = unique([...earlier.models, ...answer.models]);
  }
  return [...answersByKey.values()];
}

/** Returns a sort key for a text that names several devices: accelerators (0) come before display adapters and processors (3). */
export function telling(answer) {
  const { platform, generation } = answer;
  if (platform.dispatch_key === "CPU") return 3;
  if (!generation || platform.lifecycle) return 2;
  if (generation.verdict === "none") return 1;
  return isShared(answer) ? 0.5 : 0;
}

/** Returns whether an answer is a graphics unit that shares the memory of its processor. */
function isShared({ generation, models }) {
  const relevantModels = models.length > 0 ? models : generation?.models ?? [];
  return relevantModels.length > 0 && relevantModels.every(({ memory }) => memory?.startsWith("shared with the processor"));
}
