// Which hardware a reader means by what they typed, copied from a box, or pasted from a tool.

import { MOST_CHARACTERS, reading } from "./finder-reading.js";
import { BEGUN, instancePatterns, PARTIAL, NOTHING, bestMatch, better, distance, distinctive, explained, WHOLE_QUERY, tellingOf, tokens, withoutSizes, wordsOf } from "./finder-names.js";

export { MOST_CHARACTERS };
export const SHORTEST = 2; // letters and digits; less names nothing

const MOST_TOKENS = 40;
const MOST_NEAR = 3; // names
const LONGEST_NEAR = 40; // characters
const MANY_GENERATIONS = 3; // more of one platform are one answer, the platform itself
const NEITHER_NOR = new Set(["and", "or", "with", "a", "an", "the", "my", "i", "have"]);

/** Every card, chip and rented machine of every platform. */
export class Cards {
  constructor(data) {
    this.platforms = data.platforms.map(platformEntry);
    this.entries = this.platforms.flatMap((owner) => owner.platform.generations.map((generation) => entry(owner, generation)));
    this.makers = new Set(this.entries.flatMap(({ owner, generation }) => [...owner.vendor, ...setOf(generation.vendor ?? "")]));
    this.tools = toolsOf(data.platforms);
  }

  /**
   * The answers to a query, the best first. Each has the platform and, unless the query names no card of it, the
   * generation with the models that the query names; `driver`, `toolkit`, `os`, `arch`, `method` and `release` where the
   * query tells them; `guessed` where it names a vendor only.
   * `runsHere` says whether a platform has something for a system, that of the text, or else the reader's own.
   */
  find(query, runsHere = () => true) {
    const read = reading(query, this.tools, this.platforms);
    const { driver, toolkit, os, arch, method, release } = read;
    const asked = { driver, toolkit, os, arch, method, release };
    if (read.cpuOnly) return this.#whole(this.platforms.filter(({ isCpu }) => isCpu), asked);
    const order = ordering((platform) => runsHere(platform, read.os));
    const named = (names, how) => distinct(names.flatMap((name) => this.#ofName(name, how, order)));
    const short = named(read.names, read);
    const found = short.length > 0 || read.printed ? short : named([query.trim()], { ...read, whole: true }); // "Windows on Arm"
    if (read.names.length > 1) found.sort((a, b) => telling(a) - telling(b));
    if (found.length > 0) return withProcessor(found, this.platforms).map((answer) => ({ ...asked, ...answer }));
    if (!read.printed && this.nearest(query).length > 0) return [];
    const told = this.platforms.filter(({ platform }) => read.platforms.has(platform.id));
    if (told.length > 0) return this.#whole(told.sort(order), asked);
    const makers = this.platforms.filter((owner) => !owner.isCpu && isNamed(setOf(owner.platform.vendor), query));
    return this.#whole(makers.sort(order), { ...asked, guessed: true });
  }

  /** The names in the list that are most like a name that is not in it, with their hardware, the most similar first. */
  nearest(query) {
    const words = (text) => wordsOf(tellingOf(tokens(text), this.makers));
    const asked = words(reading(query, this.tools, this.platforms).names[0] ?? "").join("").slice(0, LONGEST_NEAR);
    const most = Math.floor(asked.length / 5);
    const ends = (text) => words(text).map((_, at, all) => all.slice(at).join("").slice(0, LONGEST_NEAR)); // "RTX 3060" of "GeForce RTX 3060"
    const near = this.entries.flatMap(({ generation, owner }) =>
      generation.models.flatMap(({ name, also }) => {
        const least = Math.min(...[name, ...(also ?? [])].flatMap(ends).map((end) => distance(asked, end)));
        return least <= most ? [{ name, least, platform: owner.platform }] : [];
      }),
    );
    return near.sort((a, b) => a.least - b.least).slice(0, MOST_NEAR);
  }

  #whole(owners, asked) {
    return owners.map(({ platform }) => ({ ...asked, platform, generation: null, models: [] }));
  }

  /** What one name means: a machine type, a platform, or cards. */
  #ofName(name, read, order) {
    const rented = this.#rented(name);
    if (rented.length > 0) return rented.sort((a, b) => order(a.owner, b.owner)).map((found) => ({ ...answerOf(found), os: "linux", rented: true }));
    const asked = tokens(name).slice(0, MOST_TOKENS);
    if (asked.map(({ text }) => text).join("").length < SHORTEST) return [];
    const whole = this.#platformsCalled(asked, read, order);
    if (whole.length > 0) return whole;
    const within = this.entries.filter(({ owner }) => read.platforms.size === 0 || read.platforms.has(owner.platform.id));
    return this.#cards(within, asked, { ...read, order });
  }

  #rented(name) {
    const words = name.toLowerCase().match(/[a-z0-9][a-z0-9_.-]*/g) ?? [];
    return this.entries.flatMap(({ owner, generation, rented }) => {
      const models = rented.filter(({ pattern }) => words.some((word) => pattern.test(word))).map(({ model }) => model);
      return models.length > 0 ? [{ owner, generation, models }] : [];
    });
  }

  /** Platforms that are all a query names: by name, vendor, device or dispatch key. */
  #platformsCalled(asked, read, order) {
    const words = tellingOf(asked, new Set()).map(({ text }) => text).filter((word) => !NEITHER_NOR.has(word));
    if (words.length === 0) return [];
    const ranked = this.platforms.map((owner) => ({ owner, rank: rankOfPlatform(owner, words) })).filter(({ rank }) => rank !== null);
    if (ranked.length === 0) return [];
    const best = Math.min(...ranked.map(({ rank }) => rank));
    const answers = ranked.filter(({ rank }) => rank === best).map(({ owner }) => ({ owner, generation: onlyGeneration(owner), models: [] }));
    const made = this.entries.filter(({ generation, vendor }) => generation.vendor && words.every((word) => vendor.has(word)));
    const others = made.filter(({ owner }) => !answers.some((answer) => answer.owner === owner));
    const all = [...answers, ...others.map(({ owner, generation }) => ({ owner, generation, models: [] }))];
    return all.sort((a, b) => order(a.owner, b.owner, a.generation, b.generation)).map(answerOf);
  }

  #cards(entries, asked, { order, truncated, pasted, printed, whole = false }) {
    const found = entries.map((known) => ({ ...known, ...matchOf(known, asked, { truncated, makers: this.makers }) })).filter(({ tier }) => tier < NOTHING);
    if (found.length === 0) return [];
    const tier = Math.min(...found.map((match) => match.tier));
    if (pasted && tier > PARTIAL) return [];
    const close = found.filter((match) => match.tier === tier);
    const most = Math.max(...close.map(({ covered }) => covered));
    const best = (tier > PARTIAL ? close : close.filter(({ covered }) => covered === most)).filter((match) => printed || match.rank <= WHOLE_QUERY || (!whole && (match.tier === BEGUN || meant(match, asked))));
    if (best.length > 0 && asked.every(({ text }) => /^[a-z]+$/.test(text))) {
      best.push(...found.filter((match) => match.tier === BEGUN && tier < BEGUN && best.some(({ owner }) => owner === match.owner)));
    }
    best.sort((a, b) => order(a.owner, b.owner, a.generation, b.generation) || a.rank - b.rank);
    return collapsed(best, asked).map(answerOf);
  }
}

/** A graphics unit that is part of a processor comes with it: the processor is an answer of its own. */
function withProcessor(found, platforms) {
  const [first] = found;
  const cpu = platforms.find(({ isCpu }) => isCpu)?.platform;
  const shared = first.models.length > 0 && first.models.every(({ memory }) => memory?.startsWith("shared with the processor"));
  if (!shared || !cpu || found.some(({ platform }) => platform === cpu)) return found;
  return [...found, { platform: cpu, generation: null, models: [] }];
}

/** The hardware of a platform that has one kind only. */
function onlyGeneration({ platform }) {
  return platform.generations.length === 1 ? platform.generations[0] : null;
}

function answerOf({ owner, generation, models }) {
  return { platform: owner.platform, generation, models };
}

function platformEntry(platform) {
  return {
    platform,
    isCpu: platform.dispatch_key === "CPU",
    vendor: new Set([...setOf(platform.vendor), ...(platform.vendor_names ?? []).flatMap((name) => [...setOf(name)])]),
    name: setOf(platform.name),
    newest: platform.generations.map(({ newest }) => newest ?? "").reduce((a, b) => (compare(a, b) < 0 ? b : a), ""),
  };
}

function entry(owner, generation) {
  const { platform } = owner;
  const vendor = new Set([...(generation.vendor ? setOf(generation.vendor) : owner.vendor), ...setOf(platform.chip ?? "")]);
  const name = (text) => tellingOf(tokens(text), vendor);
  const names = [generation.name, generation.chip, ...(generation.also ?? [])].filter(Boolean).map(name);
  const models = generation.models.map((model) => ({ model, names: [model.name, ...(model.also ?? [])].map(name) }));
  const words = new Set([...vendor, ...owner.vendor, ...owner.name, ...names.flatMap(wordsOf)]);
  return { owner, generation, vendor, names, models, words, rented: instancePatterns(generation.models) };
}

function setOf(text) {
  return new Set(wordsOf(tokens(text)));
}

/** How closely words name a platform: its name or vendor (0), its device (1), its dispatch key (2); null: not at all. */
function rankOfPlatform({ platform, name, vendor }, words) {
  if (words.every((word) => name.has(word) || vendor.has(word) || word === platform.id)) return 0;
  const [device, key] = [platform.device, platform.dispatch_key].map((text) => tokens(text).map(({ text: part }) => part).join(""));
  const whole = words.filter((word) => !vendor.has(word)).join("");
  if (whole === device) return 1;
  return whole === key ? 2 : null;
}

/**
 * The order among platforms for the same hardware: the vendor's own current path first, then others' paths, then the
 * CPU, last what is no longer developed; of equals what runs on the reader's system, what PyTorch builds itself, the newest.
 */
function ordering(runsHere) {
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
function compare(a, b) {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (let n = 0; n < Math.max(left.length, right.length); n += 1) {
    const difference = (left[n] || 0) - (right[n] || 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** How a query fits a generation: the best of its names, and the models that fit as well. */
function matchOf(known, asked, { truncated, makers }) {
  const own = tellingOf(asked, known.vendor);
  const sizeless = withoutSizes(own);
  const named = asked.some(({ text }) => known.owner.name.has(text) || known.vendor.has(text));
  const context = { around: known.words, named, foreign: Boolean(known.generation.vendor), truncated, makers };
  const fit = (names) => [own, sizeless].map((some) => bestMatch(names, some, context)).reduce(better);
  const ofAll = fit(known.names);
  const ofModels = known.models.map(({ model, names }) => ({ model, ...fit(names) }));
  const best = [ofAll, ...ofModels].reduce(better);
  const isSame = ({ tier, rank, covered }) => tier === best.tier && covered === best.covered && (rank === best.rank || best.rank > 1);
  const models = ofModels.filter(isSame).map(({ model }) => model);
  const isAll = ofAll.tier === best.tier && ofAll.covered >= best.covered;
  return { tier: best.tier, rank: best.rank, covered: best.covered, models: isAll ? [] : bySize(models, asked) };
}

/** Whether a match is what was asked for. Processors are listed by family, "Core i7", to which a reader adds a number. */
function meant({ owner, words, generation }, asked) {
  const around = generation.models.flatMap(({ name, also }) => [name, ...(also ?? [])].flatMap((text) => [...setOf(text)]));
  return owner.isCpu || explained(asked, new Set([...words, ...around]));
}

/** Of models that differ in memory, those that have what the query says. */
function bySize(models, asked) {
  const sizes = asked.flatMap(({ text }, n) => (/^\d+$/.test(text) && /^gi?b?$/.test(asked[n + 1]?.text ?? "") ? [Number(text)] : []));
  const fitting = models.filter((model) => sizes.includes(model.memory_gb));
  return fitting.length > 0 ? fitting : models;
}

/** A word such as "Radeon" fits many cards: their platform is the answer. */
function collapsed(found, asked) {
  if (distinctive(asked)) return found;
  const number = (owner) => found.filter((match) => match.owner === owner).length;
  const seen = new Set();
  return found.flatMap((match) => {
    if (number(match.owner) <= MANY_GENERATIONS) return [match];
    const whole = seen.has(match.owner) ? [] : [{ owner: match.owner, generation: null, models: [] }];
    seen.add(match.owner);
    return match.rank === 0 ? [...whole, match] : whole;
  });
}

/** One answer for each generation, with the models that several names of a pasted text brought. */
function distinct(answers) {
  const kept = new Map();
  for (const answer of answers) {
    const key = `${answer.platform.id} ${answer.generation?.page ?? ""}`;
    const earlier = kept.get(key);
    if (!earlier) kept.set(key, answer);
    else if (earlier.models.length > 0 && answer.models.length > 0) earlier.models = [...new Set([...earlier.models, ...answer.models])];
  }
  return [...kept.values()];
}

/** A pasted text names the processor and the display adapter too; the accelerator comes first. */
function telling({ platform, generation }) {
  if (platform.dispatch_key === "CPU") return 3;
  if (!generation) return 2;
  return generation.verdict === "none" ? 1 : 0;
}

/** Whether all words of a vendor's name stand in a text. */
function isNamed(vendor, text) {
  const words = setOf(text.slice(0, MOST_CHARACTERS));
  return [...vendor].every((word) => words.has(word));
}

/** The tools that print what a machine has, by the platforms and systems that they identify. */
function toolsOf(platforms) {
  const tools = new Map();
  for (const platform of platforms) {
    for (const { command, os } of platform.identify) {
      const name = /^(?:sudo )?(?:\S*\/)?([a-z][a-z_-]+)/i.exec(command)?.[1].toLowerCase() ?? "";
      if (/^(python3?|curl|lsmod|gwmi|lspci|)$/.test(name)) continue;
      const tool = tools.get(name) ?? { platforms: new Set(), systems: new Set() };
      tool.platforms.add(platform.id);
      tool.systems.add(os);
      tools.set(name, tool);
    }
  }
  return tools;
}
