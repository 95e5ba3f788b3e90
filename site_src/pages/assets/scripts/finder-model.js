// Which hardware a reader means by what they typed, copied from a box, or pasted from a tool.

import { answerOf, best, byGeneration, collapsed, compare, distinct, exactAlone, isWithin, ofSystem, ordering, rankOfPlatform, telling, unique, withProcessor } from "./finder-answers.js";
import { distance, instancePattern, inWords, joined, Language, Name } from "./finder-names.js";
import { MOST_CHARACTERS, Reader } from "./finder-reading.js";

export { MOST_CHARACTERS };
export const SHORTEST = 2; // letters and digits; less names nothing

const MOST_TOKENS = 40;
const MOST_NEAR = 3; // names
const LONGEST_NEAR = 40; // characters
const VIRTUAL = /\bgrid\b|-\d{1,3}[abcq]\b/gi; // "GRID T4-8Q" is a part of a T4
const ANOTHER = /[,;&]|\s(?:and|or|vs\.?)\s/i; // between names of hardware that need not be in one computer
const SEPARATORS = /[,;+&\n]|\s(?:and|or|vs\.?|with|w\/|plus)\s/i;

/** Every card, chip and rented machine of every platform. */
export class Cards {
  constructor(data) {
    const texts = [data.words.ignored, data.platforms.flatMap(({ vendor_names = [], generations }) => [...vendor_names, ...generations.flatMap(namesOf)])].flat();
    const scripts = new Set(texts.flatMap((text) => text.match(/[^\P{Letter}\p{Script=Latin}]+/gu) ?? []));
    this.language = new Language(data.words, [...scripts]);
    this.platforms = data.platforms.map((platform) => this.#platform(platform));
    this.mobile = new RegExp(`\\b(?:laptop|notebook|mobile|max-?q|${data.words.computers.join("|").replaceAll("#", "\\d")})\\b|笔记本|ноутбук`, "i");
    this.reader = new Reader(data.words, this.platforms);
    this.entries = this.platforms.flatMap((owner) => owner.platform.generations.map((generation) => this.#entry(owner, generation)));
    this.makers = new Set(this.entries.flatMap(({ makers }) => [...makers]));
    this.index = new Map();
    this.patterns = [];
    this.endings = new Map(); // words that stand beside a number in a name, with the platforms of these names
    this.entries.forEach((entry) => entry.names.forEach((name) => this.#add(name, entry)));
  }

  /**
   * The answers to a query, the best first. Each has the platform and, unless the query names no card of it, the
   * generation with the models that the query names; `driver`, `toolkit`, `os`, `arch`, `method`, `release`, `python`, `versions`, `system` with its version,
   * `page` (it explains why no wheel is for the system), `mobile` (it names a laptop) and `sizes` of memory where the query tells them; `broad` where it names only a vendor or a brand, `guessed` where the name is not in the list.
   * `runsHere` says whether a platform has something for a system, that of the text, or else the reader's own, `own`.
   */
  find(query, runsHere = () => true, own = "linux") {
    return this.read(query, runsHere, own).answers;
  }

  /** The answers, and what of the query is `unknown`: a name that is not in the list. */
  read(query, runsHere = () => true, own = "linux") {
    const read = this.reader.read(query);
    let { answers, unknown } = this.#read(read, query, runsHere, own);
    const byId = answers.some(({ generation }) => generation) ? "" : this.reader.cardsByPciId(query);
    if (byId) ({ answers, unknown } = this.#read({ ...this.reader.read(byId), os: read.os }, byId, runsHere, own));
    const { software } = read;
    if (!software) return { answers, unknown };
    const all = this.#fits(software);
    const ofRelease = all.filter(({ torch }) => `${torch}.`.startsWith(`${read.release}.`));
    const fits = ofRelease.length > 0 ? ofRelease : all;
    return { answers: answers.map((answer) => (answer.platform.id === software.platform ? { ...answer, software: { ...software, fits } } : answer)), unknown };
  }

  /** The rows of a version table that have the versions that a query names; "2.4.0" stands for "2.4.0.post2", too. */
  #fits({ platform, versions }) {
    const { fits } = this.platforms.find((owner) => owner.platform.id === platform).platform;
    const isSame = (stated, asked) => `${stated.replace(/^==/, "").toLowerCase()}.`.startsWith(`${asked}.`);
    const admits = (stated, asked) => /^[<>]/.test(stated) && stated.split(",").every((bound) => isWithin(bound.trim(), asked));
    const withAll = (has) => fits.filter(({ software }) => Object.entries(versions).every(([name, asked]) => software[name] && (isSame(software[name], asked) || has(software[name], asked))));
    return unique([...withAll(() => false), ...withAll(admits)]);
  }

  #read(read, query, runsHere, own) {
    const { driver, toolkit, os, arch, method, release, python, versions, page, system } = read;
    const asked = { driver, toolkit, os, arch, method, release, python, versions, page, system, wsl: /\bwsl ?2?\b/i.test(query), mobile: this.mobile.test(query), sizes: read.pasted ? [] : sizesIn(query) };
    const order = ordering((platform) => runsHere(platform, os));
    const whole = (owners, more) => owners.sort(order).map(({ platform }) => ({ ...asked, ...more, platform, generation: null, models: [] }));
    if (read.cpuOnly) return { answers: whole(this.platforms.filter(({ isCpu }) => isCpu)), unknown: "" };
    const { found: all, unknown } = this.#ofNames(read, order, runsHere);
    const found = ofSystem(all, os ?? own);
    if (versions.macOS && found.length > 1) found.splice(0, Infinity, ...found.filter(({ platform }) => platform.dispatch_key !== "CPU")); // the builds for MPS state it
    const isElsewhere = ({ platform }) => read.isOfComputer && ANOTHER.test(query) && !runsHere(platform.id, os) && found.some((other) => runsHere(other.platform.id, os));
    if (found.length > 0) return { answers: found.map((answer) => ({ ...asked, ...(isElsewhere(answer) && { os: null }), ...answer })), unknown };
    if (page) return { answers: whole(this.platforms.filter(({ isCpu }) => isCpu)), unknown: read.names[0]?.text ? unknown : "" }; // no wheel is for this system
    const told = this.platforms.filter(({ platform }) => read.platforms.has(platform.id));
    const makers = this.#makersIn(query);
    const jetsons = /\bjetpack\b/i.test(query) ? this.#jetsons(versions.JetPack) : [];
    if (jetsons.length > 0) return { answers: jetsons.map((entry) => ({ ...asked, ...answerOf(entry) })), unknown: "" };
    const near = this.nearest(query).length > 0 && !read.pasted;
    if (told.length > 0 && !near) return { answers: whole(told, unknown || (read.pasted && !read.software) ? { guessed: true } : {}), unknown };
    return { answers: near ? [] : whole(makers, { guessed: true }), unknown: unknown || query.trim() };
  }

  /** The names in the list that are most like a name that is not in it, with their hardware, the most similar first. */
  nearest(query) {
    const [{ text = "" } = {}] = this.reader.read(query).names;
    const card = text.replace(VIRTUAL, " ").trim();
    const whole = card === text.trim() ? [] : this.find(card).filter(({ models, guessed }) => models.length > 0 && !guessed);
    if (whole.length > 0) return whole.slice(0, MOST_NEAR).map(({ platform, models: [{ name }] }) => ({ name, least: 0, platform }));
    const tokens = this.#telling(card);
    const words = new Set(inWords(tokens).map(joined));
    const asked = joined(tokens).slice(0, LONGEST_NEAR);
    const most = Math.floor(asked.length / 5);
    const ends = (words) => words.map((_, at) => words.slice(at).map(joined).join("").slice(0, LONGEST_NEAR)); // "RTX 3060" of "GeForce RTX 3060"
    const makers = this.#makersIn(query);
    const isTheirs = ({ owner, words }) => makers.length === 0 || makers.some((maker) => maker === owner || [...maker.vendor].some((word) => words.has(word)));
    const near = this.entries.filter(isTheirs).flatMap(({ names, owner }) => {
      const models = names.filter(({ model }) => model).map((name) => {
        const begun = (tokens.length > 1 && name.continues(tokens)) || (name.isWeak && words.has(joined(name.core.flat()))) ? 0.5 : Infinity;
        return { name: /[#*]/.test(name.text) ? name.model.name : name.text, least: Math.min(begun, ...ends(name.words).map((end) => distance(asked, end))), platform: owner.platform };
      });
      return models.filter(({ least }) => least <= most);
    });
    const distinctNames = new Map(near.sort((a, b) => b.least - a.least).map((one) => [one.name, one]));
    return [...distinctNames.values()].sort((a, b) => a.least - b.least).slice(0, MOST_NEAR);
  }

  /** The Jetson modules that a JetPack release is for: the newest releases have builds here, older ones have the vendor's. */
  #jetsons(version = "") {
    const all = this.entries.filter(({ generation }) => generation.models.some(({ name }) => name.startsWith("Jetson"))).map((entry) => ({ ...entry, models: entry.generation.models.filter(({ name }) => name.startsWith("Jetson")) }));
    const [stated] = all.flatMap(({ generation }) => generation.jetpack ?? []);
    const isNew = stated && compare(version, stated.split(".")[0]) >= 0;
    return all.filter(({ generation }) => (isNew ? generation.jetpack || !generation.other_builds : generation.other_builds || !version));
  }

  #ofNames({ names, platforms, pasted, os }, order, runsOn) {
    const runsHere = (id) => !os || runsOn(id, os);
    const found = [];
    let unknown = "";
    const take = (text, strict) => {
      const answer = this.#ofName(text, platforms, order, strict);
      found.push(...answer.found);
      return answer;
    };
    if (pasted) {
      for (const { text } of names.filter(({ strict }) => !strict)) take(text, false);
      if (found.length === 0) for (const { text } of names.filter(({ strict }) => strict)) take(text, true);
      const processor = found.find(({ platform, generation }) => platform.dispatch_key === "CPU" && generation?.arch)?.generation;
      const isOther = (platform) => processor && os && !runsOn(platform.id, `${os} ${processor.arch}`); // a Mac with an Intel processor is none for MPS
      const named = found.filter(({ platform, generation }) => generation || !(isOther(platform) || found.some((other) => other.generation && other.platform === platform)));
      const place = (answer) => telling(answer) + (runsHere(answer.platform.id) ? 0 : 4);
      return { found: distinct(named).sort((a, b) => place(a) - place(b)), unknown };
    }
    for (const { text } of names) {
      const answer = take(text, false);
      const pieces = text.split(SEPARATORS).map((piece) => piece.trim()).filter(Boolean);
      if (answer.unknown && pieces.length > 1) {
        found.splice(0);
        const unknowns = pieces.map((piece) => take(piece, false).unknown).filter(Boolean);
        if (found.some(({ generation }) => generation)) found.splice(0, Infinity, ...found.filter(({ generation }) => generation));
        unknown ||= found.length > 0 ? unknowns.join(", ") : answer.unknown;
      } else unknown ||= answer.unknown;
      if (found.length > 0 || answer.unknown || platforms.size > 0) break; // the whole text counts only if nothing is left beside the choices
    }
    return { found: distinct(found).sort((a, b) => runsHere(b.platform.id) - runsHere(a.platform.id)), unknown };
  }

  /** What one name means: machine types, a platform, or cards; and the name if it is not in the list. */
  #ofName(text, told, order, strict) {
    const asked = this.language.tokens(text).slice(0, MOST_TOKENS);
    if (joined(asked).length < SHORTEST) return { found: [], unknown: "" };
    const candidates = this.#candidates(asked);
    const whole = candidates.filter(({ all }) => asked.every((token, at) => all.has(at) || this.language.isNoise(token)));
    const inOrder = (fits) => byGeneration(fits).sort((a, b) => order(a.owner, b.owner)).map(answerOf);
    const exact = inOrder(whole);
    const rented = this.#rented(text.toLowerCase()).sort((a, b) => order(a.owner, b.owner)).map((entry) => ({ ...answerOf(entry), os: "linux", rented: true }));
    if (rented.length > 0) return { found: [...rented, ...exact], unknown: "" };
    const foreign = asked.some((token) => this.language.foreign.has(token.text));
    const called = foreign ? [] : this.#platformsCalled(asked, order);
    const longest = Math.max(...whole.map(({ all }) => all.size)); // "Mac Pro 2019" is no Mac Pro (2023)
    if (called.length > 0 && !strict && exact.length === 0) return { found: this.#orUnits(asked, called), unknown: "" };
    if (called.length > 0 && !strict) return { found: inOrder(whole.filter(({ all }) => all.size === longest)), unknown: "" };
    const isTold = ({ owner }) => told.size === 0 || owner.isCpu || told.has(owner.platform.id);
    const { groups, leftBy } = this.#groups(asked, foreign ? [] : candidates.filter(({ name }) => isTold(name)));
    let valid = groups;
    for (let count = Infinity; valid.length < count; ) {
      count = valid.length;
      const left = leftBy(valid);
      valid = valid.filter((group) => this.#stands(group, valid, asked, left, strict));
    }
    const left = foreign ? [0] : leftBy(groups);
    const begun = groups.length > 0 || foreign || strict || asked.some(({ digit }) => digit) ? [] : this.#continued(asked);
    const found = valid.flatMap((group) => this.#answers(group, asked, order));
    if (unique(begun.map(({ owner }) => owner)).length === 1) found.push(...begun.map(answerOf));
    const isUnknown = left.length > 0 && valid.length < Math.max(groups.length, 1);
    const answers = [...this.#units(asked, found, candidates), ...withProcessor(collapsed(found, asked, exact), this.platforms, candidates)];
    if (valid.length > 1) answers.sort((a, b) => telling(a) - telling(b));
    return { found: answers, unknown: isUnknown ? text.trim() : "" };
  }

  /** The NPU that a query names beside a processor, if it is listed as hardware of its own: by its own name, or as that of a platform that was found. */
  #units(asked, found, candidates) {
    if (!asked.some(({ text }) => text === "npu")) return [];
    const named = new Set(candidates.filter(({ missing }) => missing === 0).map(({ name }) => name.entry));
    const isNew = ({ generation }) => found.length > 0 && found.every((answer) => answer.generation !== generation);
    const isMeant = (entry) => named.has(entry) || (!entry.owner.isCpu && found.some(({ platform }) => platform === entry.owner.platform));
    return this.entries.filter((entry) => isUnit(entry) && isNew(entry) && isMeant(entry)).map((entry) => answerOf({ ...entry, models: entry.generation.models }));
  }

  /** Platforms that a query calls; "NPU" by itself can also be a unit of a processor, so that no command is sure. */
  #orUnits(asked, called) {
    const words = asked.filter((token) => !this.language.isNoise(token));
    if (words.length !== 1 || words[0].text !== "npu") return called;
    const units = this.entries.filter((entry) => !entry.owner.isCpu && isUnit(entry)).map((entry) => answerOf({ ...entry, models: entry.generation.models }));
    return [...called.map((answer) => ({ ...answer, broad: true })), ...units];
  }

  /** The names that stand in a query, in groups that mean different hardware, and the places of telling words that no name has. */
  #groups(asked, candidates) {
    const telling = asked.flatMap((token, at) => (this.#tells(token, asked) ? [at] : []));
    const weigh = (fit) => telling.filter((at) => fit.known.has(at)).length;
    const weighed = candidates.map((fit) => ({ ...fit, told: weigh(fit) }));
    weighed.sort((a, b) => b.told - a.told || b.known.size - a.known.size || a.missing - b.missing);
    const covered = new Set();
    const named = new Set(); // what is covered as a part of a name
    const isNew = ({ core }) => ![...core].some((at) => named.has(at)) && telling.some((at) => core.has(at) && !covered.has(at));
    const groups = [];
    for (const seed of weighed) {
      if ([...seed.core].some((at) => covered.has(at)) && !isNew(seed)) continue;
      const alike = weighed.filter((fit) => fit.known.size === seed.known.size && [...fit.known].every((at) => seed.known.has(at)));
      const members = exactAlone(this.platforms.flatMap((owner) => best(alike.filter(({ name }) => name.owner === owner))));
      members.forEach(({ known, all }) => [known.forEach((at) => covered.add(at)), all.forEach((at) => named.add(at))]);
      groups.push({ seed, members, known: new Set(members.flatMap(({ known }) => [...known])) });
    }
    return { groups, leftBy: (some) => telling.filter((at) => !some.some(({ known }) => known.has(at))) };
  }

  /** All names that fit a query, with the places that they and their hardware explain. */
  #candidates(asked) {
    const names = new Set([...this.patterns, ...asked.flatMap(({ text }) => this.index.get(text) ?? [])]);
    return [...names].flatMap((name) => {
      const { words, memory, family } = name.entry;
      const fit = name.fit(asked, { words: family, ignored: this.language.ignored });
      if (!fit) return [];
      const { brands } = name.owner;
      const own = ({ text, word, digit }) => (brands.has(text) && !digit && (!name.generation.vendor || family.has(text)) ? !name.isNumber && !this.endings.get(text)?.after : words.has(word) && !this.language.ignored.has(word)) || (name.model ? text === `${name.model.memory_gb}gb` : memory.has(text));
      return [{ ...fit, known: new Set([...fit.all, ...asked.flatMap((token, at) => (own(token) ? [at] : []))]) }];
    });
  }

  /** Whether a group is what the query means: nothing beside it makes it other hardware. */
  #stands({ seed, known, members }, groups, asked, left, strict) {
    const { language } = this;
    const isLeft = new Set(left);
    const next = (at, step) => {
      let place = at + step;
      while (asked[place] && language.ignored.has(asked[place].text) && !known.has(place) && !isLeft.has(place)) place += step;
      return place;
    };
    for (const at of seed.all) {
      const [before, after] = [next(at, -1), next(at, 1)];
      const brand = asked[before] && !asked[before].digit && !seed.all.has(before) && !language.isNoise(asked[before]) && this.endings.has(asked[before].text);
      if (isLeft.has(after) || (seed.missing > 0 && brand)) return false; // "BI-V100" is no MR-V100
      const isEnding = this.endings.get(asked[after]?.text)?.after || this.#isNearEnding(asked[after]);
      if (isEnding && !known.has(after) && !groups.some((group) => group.seed.core.has(after))) return false; // "RTX 4070 Tii"
      const glued = !asked[at].start && before === at - 1;
      if (isLeft.has(before) && (glued || !asked[before].digit || (/^\d{3,}$/.test(asked[before].word) && asked[at].digit))) return false;
    }
    const { name } = seed;
    const every = new Set(groups.flatMap((group) => [...group.known]));
    const strange = asked.filter((token, at) => !every.has(at) && token.text !== "npu" && !language.isNoise(token) && ![...name.makers, ...name.words.map(joined)].some((word) => distance(word, token.text) <= word.length / 3.5)); // "nvidea"
    const beside = [...known].filter((at) => !seed.core.has(at) && !language.isNoise(asked[at]));
    const isAlone = name.isWeak && beside.every((at) => name.makers.has(asked[at].text));
    const first = Math.min(...seed.core);
    const lead = asked[first - 1];
    if (strange.length > 0 && (strict || isAlone)) return false; // "Foo 1080"
    if (strange.some(({ text }) => text.length > 2 && this.makers.has(text))) return false; // "NVIDIA MI300X"
    if (name.isNumber && strange.includes(lead) && !lead.digit && beside.some((at) => at < first)) return false; // "Radeon Foo 7600"
    if (isAlone && ((strict && beside.length === 0) || (lead && /^[a-z]{2}/.test(lead.word) && language.form.test(lead.word)))) return false; // "DDR5 6000"
    const named = asked.some(({ text }, at) => !seed.core.has(at) && members.some((member) => member.name.owner.words.has(text)));
    if (name.short && name.core.every((word) => /^[\d.]/.test(joined(word)))) return strange.length === 0;
    if (/^v\d$/.test(name.core.map(joined).join(""))) return named || (strange.length === 0 && groups.length === 1); // "RTX 5090 D v2"
    if (name.core.some((word) => word.some(({ text }) => /\d|#/.test(text)))) return true;
    if (left.some((at) => asked[at].digit && at > Math.max(...seed.core))) return false; // "Jetson Orin Mega 5"
    return (name.length >= 4 || named || strange.length === 0) && strange.length <= seed.known.size + 1;
  }

  /** Whether a word is an ending with a typing error, such as "Tii" or "Supr". */
  #isNearEnding(token) {
    if (!token || token.digit || this.language.isNoise(token) || this.endings.has(token.text)) return false;
    return [...this.endings.keys()].some((ending) => ending.length > 1 && token.text[0] === ending[0] && distance(ending, token.text) === 1);
  }

  #answers({ seed, members }, asked, order) {
    const found = byGeneration(members).sort((a, b) => this.entries.indexOf(a.entry) - this.entries.indexOf(b.entry));
    const open = asked.every(({ digit }) => !digit) || (seed.missing > 0 && members.every(({ name, missing }) => missing > 0 && name.optional.some((word) => !this.endings.has(joined(word)) || this.endings.get(joined(word)).after)));
    if (open) found.push(...this.#continued(asked, seed.missing === 0).filter(({ owner, generation }) => members.some(({ name }) => name.owner === owner) && !found.some((one) => one.generation === generation)));
    return found.map((one, place) => [one, place]).sort(([a, n], [b, m]) => order(a.owner, b.owner, a.generation, b.generation) || n - m).map(([one]) => answerOf(one));
  }

  /** The hardware whose names a query begins. */
  #continued(asked, exact = false) {
    const telling = asked.filter((token) => !this.language.isNoise(token));
    if (joined(telling).length <= SHORTEST) return [];
    return this.entries.flatMap(({ owner, generation, names, makers }) => {
      const own = telling.filter(({ text }) => !makers.has(text));
      const begun = own.some(({ text }) => !this.endings.get(text)?.after) ? names.filter((name) => name.continues(own, exact)) : [];
      return begun.length > 0 ? [{ owner, generation, models: unique(begun.flatMap(({ model }) => model ?? [])) }] : [];
    });
  }

  #rented(text) {
    return this.entries.flatMap(({ owner, generation, rented }) => {
      const models = rented.filter(({ pattern }) => pattern.test(text)).map(({ model }) => model);
      return models.length > 0 ? [{ owner, generation, models: unique(models) }] : [];
    });
  }

  /** Platforms that are all a query names: by name, vendor, device or dispatch key. */
  #platformsCalled(asked, order) {
    const some = asked.filter((token) => !this.language.isNoise(token));
    const words = (some.length > 0 ? some : asked).map(({ text }) => text);
    if (words.every((word) => /^[a-z]$/.test(word))) return []; // "N/A"
    const ranked = this.platforms.map((owner) => ({ owner, rank: rankOfPlatform(owner, words) })).filter(({ rank }) => rank !== null);
    if (ranked.length === 0) return [];
    const best = Math.min(...ranked.map(({ rank }) => rank));
    const answers = ranked.filter(({ rank }) => rank === best).map(({ owner }) => {
      const [only, ...others] = owner.platform.generations;
      return { owner, generation: others.length > 0 ? null : only, models: [], broad: words.every((word) => owner.vendor.has(word)) };
    });
    const made = this.entries.filter(({ generation, makers }) => generation.vendor && words.every((word) => makers.has(word)));
    const others = made.filter(({ owner }) => !answers.some((answer) => answer.owner === owner));
    return [...answers, ...others.map(({ owner, generation }) => ({ owner, generation, models: [], broad: true }))].sort((a, b) => order(a.owner, b.owner, a.generation, b.generation)).map(answerOf);
  }

  /** Whether a word of a query tells one product from another. */
  #tells(token, asked) {
    if (this.language.isNoise(token)) return false;
    return token.digit || (this.endings.has(token.text) && asked.some(({ digit }) => digit));
  }

  #telling(text) {
    const asked = this.language.tokens(text).slice(0, MOST_TOKENS);
    return asked.filter((token) => !(this.language.isNoise(token) || this.makers.has(token.text)));
  }

  /** The platforms whose vendor a text names. */
  #makersIn(text) {
    return this.platforms.filter(({ isCpu, platform }) => !isCpu && [platform.vendor, ...(platform.vendor_names ?? [])].some((name) => this.#isNamed(name, text)));
  }

  /** Whether all words of a vendor's name stand in a text. */
  #isNamed(vendor, text) {
    const words = this.#setOf(text.slice(0, MOST_CHARACTERS));
    return [...this.#setOf(vendor)].every((word) => words.has(word));
  }

  #setOf(text) {
    return new Set(inWords(this.language.tokens(text)).map(joined));
  }

  #platform(platform) {
    const vendor = new Set([platform.vendor, ...(platform.vendor_names ?? [])].flatMap((name) => [...this.#setOf(name)]));
    const name = this.#setOf(platform.name);
    const newest = platform.generations.map((generation) => generation.newest ?? "").reduce((a, b) => (compare(a, b) < 0 ? b : a), "");
    return { platform, isCpu: platform.dispatch_key === "CPU", vendor, name, newest, software: new Set((platform.fits ?? []).flatMap(({ software }) => Object.keys(software).map((text) => joined(this.language.tokens(text)).replace(/sdk$|^torch/, "")))), words: new Set([...vendor, ...name, platform.id, platform.device]), brands: new Set() };
  }

  #entry(owner, generation) {
    const makers = generation.vendor ? this.#setOf(generation.vendor) : this.#setOf(owner.platform.vendor);
    const named = [generation.name, generation.chip, ...(generation.also ?? [])].filter(Boolean);
    const words = new Set([...owner.words, ...makers, ...named.flatMap((name) => [...this.#setOf(name)]), ...this.#setOf(owner.platform.chip ?? "")]);
    const entry = { owner, generation, makers, words, names: [], family: new Set(), memory: new Set(generation.models.map((model) => `${model.memory_gb}gb`)) };
    const make = (text, model) => entry.names.push(Object.assign(new Name(this.language, text, { owner, generation, model, makers }), { entry }));
    named.forEach((text) => make(text, null));
    generation.models.forEach((model) => [model.name, ...(model.also ?? [])].forEach((text) => make(text, model)));
    for (const name of entry.names) for (const word of name.words) entry.family.add(joined(word));
    entry.rented = generation.models.flatMap((model) => (model.instances ?? []).flatMap(({ types }) => types.map((type) => ({ model, pattern: instancePattern(type) }))));
    return entry;
  }

  #add(name, { owner, makers }) {
    const [word, ...more] = name.core.map(joined);
    if (name.length < SHORTEST) return; // "N-series"
    if (more.length === 0 && this.platforms.some((other) => other !== owner && other.vendor.has(word))) return; // "NVIDIA GeForce" of DirectML
    const key = name.core.flat().find(({ text }) => !/#/.test(text))?.text;
    if (!key || name.core.some((word) => word.some(({ text }) => text === "#"))) this.patterns.push(name);
    else this.index.set(key, [...(this.index.get(key) ?? []), name]);
    name.words.forEach((word, at) => {
      const text = joined(word);
      const beside = [name.words[at - 1], name.words[at + 1]].map((other) => other && /\d/.test(joined(other)));
      if (/\d|#/.test(text) || !beside.some(Boolean) || makers.has(text) || this.language.isNoise(word[0])) return;
      const known = this.endings.get(text) ?? { after: false };
      if (beside[1]) owner.brands.add(text);
      if (name.text === name.model?.name) this.endings.set(text, { after: known.after || beside[0] });
    });
  }
}

function namesOf({ name, also = [], models }) {
  return [name, ...(also ?? []), ...models.flatMap((model) => [model.name, ...(model.also ?? [])])];
}

/** Whether hardware is the NPU of a processor. */
function isUnit({ generation, names }) {
  return generation.verdict === "none" && names.some(({ words }) => joined(words.at(-1)) === "npu");
}

/** The sizes of memory that a query names, in GB. */
function sizesIn(query) {
  return [...query.matchAll(/(?<![\w.])(\d{1,3}) ?g(?:i?b|igs?)?\b/gi)].map(([, size]) => Number(size));
}
