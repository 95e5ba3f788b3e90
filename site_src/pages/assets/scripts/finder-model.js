// Which cards a reader means by what they typed, copied from a box, or pasted from a tool.

const MOST_TOKENS = 24;
export const SHORTEST = 2; // letters and digits; less names nothing

// Words that boxes and tools print around a name and that tell nothing.
const FILLERS = new Set(["r", "tm", "gpu", "gpus", "card", "cards", "graphics", "accelerator", "corporation", "corp", "inc"]);

// How well a name fits, the less the better.
const EXACT = 0; // "v100" is V100
const EDGE = 1; // "a100" begins A100 80GB, "4090" ends GeForce RTX 4090
const INSIDE = 2; // "3090" stands in GeForce RTX 3090 Ti
const BEGUN = 3; // "rtx 40" may become RTX 4090
const HOLDS = 4; // "Tesla V100-SXM2-32GB" holds the name V100
const SCATTERED = 5; // all words, in any order: "nvidia volta v100"
const NOTHING = 9;

export class Cards {
  constructor(data) {
    this.entries = data.platforms.flatMap((platform) => platform.generations.map((generation) => entry(platform, generation)));
  }

  /** The generations that a query names, the best first, each with the models that it names. */
  find(query) {
    const asked = tokens(query).slice(0, MOST_TOKENS);
    if (asked.join("").length < SHORTEST) return [];
    const found = this.entries.map((known) => answer(known, asked)).filter(({ rank }) => rank < NOTHING);
    found.sort((a, b) => a.rank - b.rank || b.length - a.length);
    if (found.length === 0) return [];
    const [best] = found;
    if (best.rank === HOLDS) return found.filter(({ rank, length }) => rank === HOLDS && length === best.length);
    return found.filter(({ rank }) => rank <= Math.max(INSIDE, best.rank));
  }
}

/** Runs of letters and of digits: "RTX4090" and "RTX 4090" are the same. */
export function tokens(text) {
  const plain = text.normalize("NFKD").toLowerCase();
  return plain.match(/[a-z]+|[0-9]+/g) ?? [];
}

function entry(platform, generation) {
  const vendor = new Set([...tokens(platform.vendor), ...tokens(platform.chip ?? "")]);
  const telling = (text) => without(tokens(text), vendor);
  const names = [generation.name, generation.chip, ...(generation.also ?? [])].filter(Boolean).map(telling);
  return {
    platform,
    generation,
    vendor,
    names,
    models: generation.models.map((model) => ({ model, names: [model.name, ...(model.also ?? [])].map(telling) })),
    around: new Set([...vendor, ...tokens(platform.name), ...names.flat()]),
  };
}

/** The tokens that tell something; all of them where none would be left. */
function without(all, vendor) {
  const some = all.filter((token) => !FILLERS.has(token) && !vendor.has(token));
  return some.length > 0 ? some : all;
}

function answer(known, asked) {
  const { platform, generation } = known;
  if (asked.every((token) => FILLERS.has(token) || known.vendor.has(token))) {
    const meant = asked.some((token) => known.vendor.has(token));
    return { platform, generation, models: [], rank: meant ? INSIDE : NOTHING, length: 0 };
  }
  const own = without(asked, known.vendor);
  const ofAll = bestFit(known.names, own, known.around);
  const ofModels = known.models.map(({ model, names }) => ({ model, fit: bestFit(names, own, known.around) }));
  const best = [ofAll, ...ofModels.map(({ fit }) => fit)].reduce(better);
  const models = ofModels.filter(({ fit }) => fit.rank === best.rank && fit.rank < NOTHING).map(({ model }) => model);
  return { platform, generation, models: ofAll.rank === best.rank ? [] : models, ...best };
}

function bestFit(names, asked, around) {
  return names.map((name) => ({ rank: rank(name, asked, around), length: name.length })).reduce(better);
}

function better(a, b) {
  return b.rank < a.rank || (b.rank === a.rank && b.length > a.length) ? b : a;
}

function rank(name, asked, around) {
  if (stands(asked, name, 0) && asked.length === name.length) return EXACT;
  if (name.every((token) => /^[0-9]/.test(token))) return NOTHING; // "8.0" is a chip only by itself
  if (stands(asked, name, 0) || stands(asked, name, name.length - asked.length)) return EDGE;
  if (within(asked, name)) return INSIDE;
  if (within(asked, name, true)) return BEGUN;
  if (within(name, asked)) return HOLDS;
  const own = new Set(name);
  const all = asked.every((token) => own.has(token) || around.has(token));
  return all && asked.some((token) => own.has(token)) ? SCATTERED : NOTHING;
}

/** Whether `part` stands in `whole`, in one piece; `begun`: its last token may be a beginning. */
function within(part, whole, begun = false) {
  return whole.some((_, place) => stands(part, whole, place, begun));
}

function stands(part, whole, place, begun = false) {
  return part.every((token, n) => {
    const other = whole[place + n];
    return other === token || (begun && n === part.length - 1 && other !== undefined && other.startsWith(token));
  });
}
