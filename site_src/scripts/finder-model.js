// Finds the hardware that a reader means by a text that they typed, copied from a box, or pasted from a tool's output.

import { answerOf, best, byGeneration, collapsed, distinct, exactAlone, isWithin, ofSystem, ordering, rankOfPlatform, telling, unique, withProcessor } from "./finder-answers.js";
import { distance, instancePattern, inWords, joined, Language, Name } from "./finder-names.js";
import { MOST_CHARACTERS, Reader } from "./finder-reading.js";
import { compareVersions } from "./selector-model.js";

export const SHORTEST = 2; // letters and digits; a shorter query has no answer

const MOST_TOKENS = 40;
const MOST_SIMILAR = 3; // names
const LONGEST_COMPARED = 40; // characters
const VIRTUAL_GPU = /\bgrid\b|-\d{1,3}[abcq]\b/gi; // "GRID T4-8Q" is a virtual GPU on a T4
const BETWEEN_DEVICES = /[,;&]|\s(?:and|or|vs\.?)\s/i; // between names of hardware that may be in different computers
const SEPARATORS = /[,;+&\n]|\s(?:and|or|vs\.?|with|w\/|plus)\s/i;

/**
 * Searches the cards, chips and rented machines of all platforms. Terms: an owner is a platform prepared for the search; an
 * entry is a generation of an owner's hardware with its names; a fit is a name that matches a query; tokens are those of a
 * query; an ending is a word beside a number in a name, such as "Ti" in "RTX 3060 Ti".
 */
export class Cards {
  constructor(data) {
    const texts = [data.words.ignored, data.platforms.flatMap(({ vendor_names = [], generations }) => [...vendor_names, ...generations.flatMap(namesOf)])].flat();
    const namesInOtherScripts = new Set(texts.flatMap((text) => text.match(/[^\P{Letter}\p{Script=Latin}]+/gu) ?? []));
    this.language = new Language(data.words, [...namesInOtherScripts]);
    this.platforms = data.platforms.map((platform) => this.#createOwner(platform));
    this.mobile = new RegExp(`\\b(?:laptop|notebook|mobile|max-?q|${data.words.computers.join("|").replaceAll("#", "\\d")})\\b|笔记本|ноутбук`, "i");
    this.reader = new Reader(data.words, this.platforms);
    this.entries = this.platforms.flatMap((owner) => owner.platform.generations.map((generation) => this.#createEntry(owner, generation)));
    this.makers = new Set(this.entries.flatMap(({ makers }) => [...makers]));
    this.index = new Map();
    this.patterns = [];
    this.endings = new Map(); // ending → { after: whether it follows a number in a model's name }
    this.entries.forEach((entry) => entry.names.forEach((name) => this.#indexName(name, entry)));
  }

  /**
   * Returns the answers to a query, the best first. An answer has `platform`; `generation`, null if the query names the
   * platform but no card; `models`, those that the query names; and what else the query says: `driver`, `toolkit`, `os`,
   * `arch`, `method`, `release`, `python`, `versions`, `system` with its version, `page` (explains why there is no wheel
   * for the system), `notebook` (the service that the query names), `wsl`, `mobile` (the query names a laptop) and `sizes` of memory in GB. `broad`: the query names only
   * a vendor or a brand. `guessed`: the name is not in the list.
   * `runsHere(platformId, os)` returns whether a platform has commands for a system; if `os` is null, for the reader's own.
   */
  find(query, runsHere = () => true, readerSystem = "linux") {
    return this.read(query, runsHere, readerSystem).answers;
  }

  /** Returns the `answers` and `unknown`, the part of the query that is not in the list; "" if there is none. */
  read(query, runsHere = () => true, readerSystem = "linux") {
    const notebook = this.reader.notebookIn(query);
    if (notebook && this.#namesNothing(notebook.rest)) {
      const answers = notebook.hardware.flatMap((name) => this.find(`${name} ${notebook.rest}`, runsHere, readerSystem));
      return { answers: answers.map((answer) => ({ ...answer, os: "linux", notebook })), unknown: "" };
    }
    if (notebook) query = notebook.rest;
    const reading = this.reader.read(query);
    let { answers, unknown } = this.#answersTo(reading, query, runsHere, readerSystem);
    const cardsById = answers.some(({ generation }) => generation) ? "" : this.reader.cardsByPciId(query);
    if (cardsById) ({ answers, unknown } = this.#answersTo({ ...this.reader.read(cardsById), os: reading.os }, cardsById, runsHere, readerSystem));
    const { software } = reading;
    if (!software) return { answers, unknown };
    const matchingRows = this.#versionRows(software);
    const rowsOfRelease = matchingRows.filter(({ torch }) => `${torch}.`.startsWith(`${reading.release}.`));
    const fits = rowsOfRelease.length > 0 ? rowsOfRelease : matchingRows;
    return { answers: answers.map((answer) => (answer.platform.id === software.platform ? { ...answer, software: { ...software, fits } } : answer)), unknown };
  }

  /** Returns whether a text names neither hardware nor a platform. */
  #namesNothing(text) {
    const { names, platforms } = this.reader.read(text);
    return platforms.size === 0 && this.language.tokens(names[0]?.text ?? "").every((token) => this.language.isNoise(token));
  }

  /** Returns the rows of a platform's version table that have the versions in a query; "2.4.0" also matches "2.4.0.post2". */
  #versionRows({ platform, versions }) {
    const { fits } = this.platforms.find((owner) => owner.platform.id === platform).platform;
    const isSame = (stated, requested) => `${stated.replace(/^==/, "").toLowerCase()}.`.startsWith(`${requested}.`);
    const isInRange = (stated, requested) => /^[<>]/.test(stated) && stated.split(",").every((bound) => isWithin(bound.trim(), requested));
    const rowsWith = (isMatch) => fits.filter(({ software }) => Object.entries(versions).every(([name, requested]) => software[name] && (isSame(software[name], requested) || isMatch(software[name], requested))));
    return unique([...rowsWith(() => false), ...rowsWith(isInRange)]);
  }

  /** Returns `{ answers, unknown }` for a query and what `Reader.read` returns for it. */
  #answersTo(reading, query, runsHere, readerSystem) {
    const { driver, toolkit, os, arch, method, release, python, versions, page, system } = reading;
    const details = { driver, toolkit, os, arch, method, release, python, versions, page, system, wsl: /\bwsl ?2?\b/i.test(query), mobile: this.mobile.test(query), sizes: reading.pasted ? [] : sizesIn(query) };
    const compareOwners = ordering((platform) => runsHere(platform, os));
    const wholePlatforms = (owners, extra) => owners.sort(compareOwners).map(({ platform }) => ({ ...details, ...extra, platform, generation: null, models: [] }));
    if (reading.cpuOnly) return { answers: wholePlatforms(this.platforms.filter(({ isCpu }) => isCpu)), unknown: "" };
    const { answers: allAnswers, unknown } = this.#answersForNames(reading, compareOwners, runsHere);
    const answers = ofSystem(allAnswers, os ?? readerSystem);
    if (versions.macOS && answers.length > 1) answers.splice(0, Infinity, ...answers.filter(({ platform }) => platform.dispatch_key !== "CPU")); // only builds for MPS require a macOS version
    const isForOther = ({ platform }) => reading.isOfComputer && BETWEEN_DEVICES.test(query) && !runsHere(platform.id, os) && answers.some((other) => runsHere(other.platform.id, os));
    if (answers.length > 0) return { answers: answers.map((answer) => ({ ...details, ...(isForOther(answer) && { os: null }), ...answer })), unknown };
    if (page) return { answers: wholePlatforms(this.platforms.filter(({ isCpu }) => isCpu)), unknown: reading.names[0]?.text ? unknown : "" }; // there is no wheel for this system
    const namedPlatforms = this.platforms.filter(({ platform }) => reading.platforms.has(platform.id));
    const vendorPlatforms = this.#platformsOfVendorIn(query);
    const jetsons = /\bjetpack\b/i.test(query) ? this.#jetsonEntries(versions.JetPack) : [];
    if (jetsons.length > 0) return { answers: jetsons.map((entry) => ({ ...details, ...answerOf(entry) })), unknown: "" };
    const hasSimilar = this.nearest(query).length > 0 && !reading.pasted;
    if (namedPlatforms.length > 0 && !hasSimilar) return { answers: wholePlatforms(namedPlatforms, unknown || (reading.pasted && !reading.software) ? { guessed: true } : {}), unknown };
    return { answers: hasSimilar ? [] : wholePlatforms(vendorPlatforms, { guessed: true }), unknown: unknown || query.trim() };
  }

  /** Returns the listed names that are most similar to an unlisted one, `{ name, platform }`, the most similar first. */
  nearest(query) {
    const [{ text = "" } = {}] = this.reader.read(query).names;
    const cardName = text.replace(VIRTUAL_GPU, " ").trim();
    const cardAnswers = cardName === text.trim() ? [] : this.find(cardName).filter(({ models, guessed }) => models.length > 0 && !guessed);
    if (cardAnswers.length > 0) return cardAnswers.slice(0, MOST_SIMILAR).map(({ platform, models: [{ name }] }) => ({ name, editDistance: 0, platform }));
    const tokens = this.#distinguishingTokens(cardName);
    const words = new Set(inWords(tokens).map(joined));
    const queryText = joined(tokens).slice(0, LONGEST_COMPARED);
    const maxDistance = Math.floor(queryText.length / 5);
    const endings = (words) => words.map((_, index) => words.slice(index).map(joined).join("").slice(0, LONGEST_COMPARED)); // "RTX 3060" of "GeForce RTX 3060"
    const vendorPlatforms = this.#platformsOfVendorIn(query);
    const isOfVendor = ({ owner, words }) => vendorPlatforms.length === 0 || vendorPlatforms.some((maker) => maker === owner || [...maker.vendor].some((word) => words.has(word)));
    const similar = this.entries.filter(isOfVendor).flatMap(({ names, owner }) => {
      const ratedNames = names.filter(({ model }) => model).map((name) => {
        const partialRating = (tokens.length > 1 && name.continues(tokens)) || (name.isWeak && words.has(joined(name.core.flat()))) ? 0.5 : Infinity;
        return { name: /[#*]/.test(name.text) ? name.model.name : name.text, editDistance: Math.min(partialRating, ...endings(name.words).map((ending) => distance(queryText, ending))), platform: owner.platform };
      });
      return ratedNames.filter(({ editDistance }) => editDistance <= maxDistance);
    });
    const distinctNames = new Map(similar.sort((a, b) => b.editDistance - a.editDistance).map((candidate) => [candidate.name, candidate]));
    return [...distinctNames.values()].sort((a, b) => a.editDistance - b.editDistance).slice(0, MOST_SIMILAR);
  }

  /** Returns the entries of Jetson modules for a JetPack release. The newest releases have builds here; for older ones there are the vendor's builds. */
  #jetsonEntries(version = "") {
    const entries = this.entries.filter(({ generation }) => generation.models.some(({ name }) => name.startsWith("Jetson"))).map((entry) => ({ ...entry, models: entry.generation.models.filter(({ name }) => name.startsWith("Jetson")) }));
    const [listedVersion] = entries.flatMap(({ generation }) => generation.jetpack ?? []);
    const isCurrent = listedVersion && compareVersions(version, listedVersion.split(".")[0]) >= 0;
    return entries.filter(({ generation }) => (isCurrent ? generation.jetpack || !generation.other_builds : generation.other_builds || !version));
  }

  /** Returns the answers for all names that a text contains, and `unknown`, the names that are not in the list. */
  #answersForNames({ names, platforms, pasted, os }, compareOwners, runsOn) {
    const runsHere = (id) => !os || runsOn(id, os);
    const answers = [];
    let unknown = "";
    const addAnswers = (text, strict) => {
      const result = this.#answersForName(text, platforms, compareOwners, strict);
      answers.push(...result.answers);
      return result;
    };
    if (pasted) {
      for (const { text } of names.filter(({ strict }) => !strict)) addAnswers(text, false);
      if (answers.length === 0) for (const { text } of names.filter(({ strict }) => strict)) addAnswers(text, true);
      const processor = answers.find(({ platform, generation }) => platform.dispatch_key === "CPU" && generation?.arch)?.generation;
      const isOtherArch = (platform) => processor && os && !runsOn(platform.id, `${os} ${processor.arch}`); // MPS does not run on a Mac with an Intel processor
      const relevantAnswers = answers.filter(({ platform, generation }) => generation || !(isOtherArch(platform) || answers.some((other) => other.generation && other.platform === platform)));
      const sortKey = (answer) => telling(answer) + (runsHere(answer.platform.id) ? 0 : 4);
      return { answers: distinct(relevantAnswers).sort((a, b) => sortKey(a) - sortKey(b)), unknown };
    }
    for (const { text } of names) {
      const result = addAnswers(text, false);
      const pieces = text.split(SEPARATORS).map((piece) => piece.trim()).filter(Boolean);
      if (result.unknown && pieces.length > 1) {
        answers.splice(0);
        const unknownPieces = pieces.map((piece) => addAnswers(piece, false).unknown).filter(Boolean);
        if (answers.some(({ generation }) => generation)) answers.splice(0, Infinity, ...answers.filter(({ generation }) => generation));
        unknown ||= answers.length > 0 ? unknownPieces.join(", ") : result.unknown;
      } else unknown ||= result.unknown;
      if (answers.length > 0 || result.unknown || platforms.size > 0) break; // the last name is the whole text: read it only if nothing else is a name
    }
    return { answers: distinct(answers).sort((a, b) => runsHere(b.platform.id) - runsHere(a.platform.id)), unknown };
  }

  /** Returns the answers for one name (machine types, a platform, or cards), and `unknown`, the name if it is not in the list. */
  #answersForName(text, platformIds, compareOwners, strict) {
    const tokens = this.language.tokens(text).slice(0, MOST_TOKENS);
    if (joined(tokens).length < SHORTEST) return { answers: [], unknown: "" };
    const candidates = this.#findFits(tokens);
    const completeFits = candidates.filter(({ all }) => tokens.every((token, index) => all.has(index) || this.language.isNoise(token)));
    const sortedAnswers = (fits) => byGeneration(fits).sort((a, b) => compareOwners(a.owner, b.owner)).map(answerOf);
    const exactAnswers = sortedAnswers(completeFits);
    const rentedAnswers = this.#entriesWithInstance(text.toLowerCase()).sort((a, b) => compareOwners(a.owner, b.owner)).map((entry) => ({ ...answerOf(entry), os: "linux", rented: true }));
    if (rentedAnswers.length > 0) return { answers: [...rentedAnswers, ...exactAnswers], unknown: "" };
    const isForeign = tokens.some((token) => this.language.foreign.has(token.text));
    const platformAnswers = isForeign ? [] : this.#platformAnswers(tokens, compareOwners);
    const mostTokens = Math.max(...completeFits.map(({ all }) => all.size)); // "Mac Pro 2019" must not match Mac Pro (2023)
    if (platformAnswers.length > 0 && !strict && exactAnswers.length === 0) return { answers: this.#withNpuAnswers(tokens, platformAnswers), unknown: "" };
    if (platformAnswers.length > 0 && !strict) return { answers: sortedAnswers(completeFits.filter(({ all }) => all.size === mostTokens)), unknown: "" };
    const isNamed = ({ owner }) => platformIds.size === 0 || owner.isCpu || platformIds.has(owner.platform.id);
    const { groups, unexplainedBy } = this.#groupFits(tokens, isForeign ? [] : candidates.filter(({ name }) => isNamed(name)));
    let valid = groups;
    for (let count = Infinity; valid.length < count; ) {
      count = valid.length;
      const unexplained = unexplainedBy(valid);
      valid = valid.filter((group) => this.#isMeant(group, valid, tokens, unexplained, strict));
    }
    const unexplained = isForeign ? [0] : unexplainedBy(groups);
    const continuedEntries = groups.length > 0 || isForeign || strict || tokens.some(({ digit }) => digit) ? [] : this.#entriesContinuing(tokens);
    const groupAnswers = valid.flatMap((group) => this.#answersForGroup(group, tokens, compareOwners));
    if (unique(continuedEntries.map(({ owner }) => owner)).length === 1) groupAnswers.push(...continuedEntries.map(answerOf));
    const isUnknown = unexplained.length > 0 && valid.length < Math.max(groups.length, 1);
    const answers = [...this.#npuAnswers(tokens, groupAnswers, candidates), ...withProcessor(collapsed(groupAnswers, tokens, exactAnswers), this.platforms, candidates)];
    if (valid.length > 1) answers.sort((a, b) => telling(a) - telling(b));
    return { answers: answers, unknown: isUnknown ? text.trim() : "" };
  }

  /** Returns answers for NPUs that are listed as separate hardware, if a query says "NPU" and names the NPU itself or its platform. */
  #npuAnswers(tokens, answers, candidates) {
    if (!tokens.some(({ text }) => text === "npu")) return [];
    const namedEntries = new Set(candidates.filter(({ missing }) => missing === 0).map(({ name }) => name.entry));
    const isMissing = ({ generation }) => answers.length > 0 && answers.every((answer) => answer.generation !== generation);
    const isMeant = (entry) => namedEntries.has(entry) || (!entry.owner.isCpu && answers.some(({ platform }) => platform === entry.owner.platform));
    return this.entries.filter((entry) => isNpu(entry) && isMissing(entry) && isMeant(entry)).map((entry) => answerOf({ ...entry, models: entry.generation.models }));
  }

  /** Adds the NPUs of processors to the answers for a query that says only "NPU", and marks the answers as broad. */
  #withNpuAnswers(tokens, platformAnswers) {
    const distinguishing = tokens.filter((token) => !this.language.isNoise(token));
    if (distinguishing.length !== 1 || distinguishing[0].text !== "npu") return platformAnswers;
    const npuAnswers = this.entries.filter((entry) => !entry.owner.isCpu && isNpu(entry)).map((entry) => answerOf({ ...entry, models: entry.generation.models }));
    return [...platformAnswers.map((answer) => ({ ...answer, broad: true })), ...npuAnswers];
  }

  /**
   * Groups fits so that each group means different hardware: `seed` is its best fit, `members` are the fits that explain
   * the same tokens, `known` has the positions of these tokens. `unexplainedBy(groups)` returns the positions of
   * distinguishing tokens that no group explains.
   */
  #groupFits(tokens, candidates) {
    const distinguishing = tokens.flatMap((token, position) => (this.#isDistinguishing(token, tokens) ? [position] : []));
    const weightOf = (fit) => distinguishing.filter((position) => fit.known.has(position)).length;
    const weightedFits = candidates.map((fit) => ({ ...fit, weight: weightOf(fit) }));
    weightedFits.sort((a, b) => b.weight - a.weight || b.known.size - a.known.size || a.missing - b.missing);
    const coveredPositions = new Set();
    const namePositions = new Set(); // positions that are covered by the name itself
    const addsTokens = ({ core }) => ![...core].some((position) => namePositions.has(position)) && distinguishing.some((position) => core.has(position) && !coveredPositions.has(position));
    const groups = [];
    for (const seed of weightedFits) {
      if ([...seed.core].some((position) => coveredPositions.has(position)) && !addsTokens(seed)) continue;
      const alikeFits = weightedFits.filter((fit) => fit.known.size === seed.known.size && [...fit.known].every((position) => seed.known.has(position)));
      const members = exactAlone(this.platforms.flatMap((owner) => best(alikeFits.filter(({ name }) => name.owner === owner))));
      members.forEach(({ known, all }) => [known.forEach((position) => coveredPositions.add(position)), all.forEach((position) => namePositions.add(position))]);
      groups.push({ seed, members, known: new Set(members.flatMap(({ known }) => [...known])) });
    }
    return { groups, unexplainedBy: (someGroups) => distinguishing.filter((position) => !someGroups.some(({ known }) => known.has(position))) };
  }

  /** Returns all names that fit a query; `known` has the positions of the tokens that a name and its hardware explain. */
  #findFits(tokens) {
    const names = new Set([...this.patterns, ...tokens.flatMap(({ text }) => this.index.get(text) ?? [])]);
    return [...names].flatMap((name) => {
      const { words, memory, family } = name.entry;
      const fit = name.fit(tokens, { words: family, ignored: this.language.ignored });
      if (!fit) return [];
      const { brands } = name.owner;
      const isExplained = ({ text, word, digit }) => (brands.has(text) && !digit && (!name.generation.vendor || family.has(text)) ? !name.isNumber && !this.endings.get(text)?.after : words.has(word) && !this.language.ignored.has(word)) || (name.model ? text === `${name.model.memory_gb}gb` : memory.has(text));
      return [{ ...fit, known: new Set([...fit.all, ...tokens.flatMap((token, index) => (isExplained(token) ? [index] : []))]) }];
    });
  }

  /** Returns whether a query means the hardware of a group: no word beside the name makes it different hardware. */
  #isMeant({ seed, known, members }, groups, tokens, unexplained, strict) {
    const { language } = this;
    const unexplainedSet = new Set(unexplained);
    const neighbor = (position, step) => {
      let index = position + step;
      while (tokens[index] && language.ignored.has(tokens[index].text) && !known.has(index) && !unexplainedSet.has(index)) index += step;
      return index;
    };
    for (const position of seed.all) {
      const [before, after] = [neighbor(position, -1), neighbor(position, 1)];
      const hasBrandBefore = tokens[before] && !tokens[before].digit && !seed.all.has(before) && !language.isNoise(tokens[before]) && this.endings.has(tokens[before].text);
      if (unexplainedSet.has(after) || (seed.missing > 0 && hasBrandBefore)) return false; // "BI-V100" must not match MR-V100
      const isEnding = this.endings.get(tokens[after]?.text)?.after || this.#isMisspelledEnding(tokens[after]);
      if (isEnding && !known.has(after) && !groups.some((group) => group.seed.core.has(after))) return false; // "RTX 4070 Tii"
      const isGlued = !tokens[position].start && before === position - 1;
      if (unexplainedSet.has(before) && (isGlued || !tokens[before].digit || (/^\d{3,}$/.test(tokens[before].word) && tokens[position].digit))) return false;
    }
    const { name } = seed;
    const explained = new Set(groups.flatMap((group) => [...group.known]));
    const unknownTokens = tokens.filter((token, position) => !explained.has(position) && token.text !== "npu" && !language.isNoise(token) && ![...name.makers, ...name.words.map(joined)].some((word) => distance(word, token.text) <= word.length / 3.5)); // "nvidea"
    const besideCore = [...known].filter((position) => !seed.core.has(position) && !language.isNoise(tokens[position]));
    const isAlone = name.isWeak && besideCore.every((position) => name.makers.has(tokens[position].text));
    const firstPosition = Math.min(...seed.core);
    const tokenBefore = tokens[firstPosition - 1];
    if (unknownTokens.length > 0 && (strict || isAlone)) return false; // "Foo 1080"
    if (unknownTokens.some(({ text }) => text.length > 2 && this.makers.has(text))) return false; // "NVIDIA MI300X"
    if (name.isNumber && unknownTokens.includes(tokenBefore) && !tokenBefore.digit && besideCore.some((position) => position < firstPosition)) return false; // "Radeon Foo 7600"
    if (isAlone && ((strict && besideCore.length === 0) || (tokenBefore && /^[a-z]{2}/.test(tokenBefore.word) && language.form.test(tokenBefore.word)))) return false; // "DDR5 6000"
    const isPlatformNamed = tokens.some(({ text }, position) => !seed.core.has(position) && members.some((member) => member.name.owner.words.has(text)));
    if (name.short && name.core.every((word) => /^[\d.]/.test(joined(word)))) return unknownTokens.length === 0;
    if (/^v\d$/.test(name.core.map(joined).join(""))) return isPlatformNamed || (unknownTokens.length === 0 && groups.length === 1); // "RTX 5090 D v2"
    if (name.core.some((word) => word.some(({ text }) => /\d|#/.test(text)))) return true;
    if (unexplained.some((position) => tokens[position].digit && position > Math.max(...seed.core))) return false; // "Jetson Orin Mega 5"
    return (name.length >= 4 || isPlatformNamed || unknownTokens.length === 0) && unknownTokens.length <= seed.known.size + 1;
  }

  /** Returns whether a token is a misspelled ending, such as "Tii" or "Supr". */
  #isMisspelledEnding(token) {
    if (!token || token.digit || this.language.isNoise(token) || this.endings.has(token.text)) return false;
    return [...this.endings.keys()].some((ending) => ending.length > 1 && token.text[0] === ending[0] && distance(ending, token.text) === 1);
  }

  /** Returns the answers for a group, with further hardware if the query may be the beginning of longer names. */
  #answersForGroup({ seed, members }, tokens, compareOwners) {
    const entries = byGeneration(members).sort((a, b) => this.entries.indexOf(a.entry) - this.entries.indexOf(b.entry));
    const isOpenEnded = tokens.every(({ digit }) => !digit) || (seed.missing > 0 && members.every(({ name, missing }) => missing > 0 && name.optional.some((word) => !this.endings.has(joined(word)) || this.endings.get(joined(word)).after)));
    if (isOpenEnded) entries.push(...this.#entriesContinuing(tokens, seed.missing === 0).filter(({ owner, generation }) => members.some(({ name }) => name.owner === owner) && !entries.some((entry) => entry.generation === generation)));
    return entries.map((entry, index) => [entry, index]).sort(([a, n], [b, m]) => compareOwners(a.owner, b.owner, a.generation, b.generation) || n - m).map(([entry]) => answerOf(entry));
  }

  /** Returns the hardware with names that contain all distinguishing tokens, the last one perhaps incomplete. */
  #entriesContinuing(tokens, mustBeginName = false) {
    const distinguishing = tokens.filter((token) => !this.language.isNoise(token));
    if (joined(distinguishing).length <= SHORTEST) return [];
    return this.entries.flatMap(({ owner, generation, names, makers }) => {
      const withoutMaker = distinguishing.filter(({ text }) => !makers.has(text));
      const continuedNames = withoutMaker.some(({ text }) => !this.endings.get(text)?.after) ? names.filter((name) => name.continues(withoutMaker, mustBeginName)) : [];
      return continuedNames.length > 0 ? [{ owner, generation, models: unique(continuedNames.flatMap(({ model }) => model ?? [])) }] : [];
    });
  }

  /** Returns the hardware of the cloud machine types that a text names. */
  #entriesWithInstance(text) {
    return this.entries.flatMap(({ owner, generation, rented }) => {
      const models = rented.filter(({ pattern }) => pattern.test(text)).map(({ model }) => model);
      return models.length > 0 ? [{ owner, generation, models: unique(models) }] : [];
    });
  }

  /** Returns answers for platforms, if a query has nothing but their name, vendor, device or dispatch key. */
  #platformAnswers(tokens, compareOwners) {
    const distinguishing = tokens.filter((token) => !this.language.isNoise(token));
    const words = (distinguishing.length > 0 ? distinguishing : tokens).map(({ text }) => text);
    if (words.every((word) => /^[a-z]$/.test(word))) return []; // "N/A"
    const ranked = this.platforms.map((owner) => ({ owner, rank: rankOfPlatform(owner, words) })).filter(({ rank }) => rank !== null);
    if (ranked.length === 0) return [];
    const bestRank = Math.min(...ranked.map(({ rank }) => rank));
    const answers = ranked.filter(({ rank }) => rank === bestRank).map(({ owner }) => {
      const [onlyGeneration, ...otherGenerations] = owner.platform.generations;
      return { owner, generation: otherGenerations.length > 0 ? null : onlyGeneration, models: [], broad: words.every((word) => owner.vendor.has(word)) };
    });
    const vendorEntries = this.entries.filter(({ generation, makers }) => generation.vendor && words.every((word) => makers.has(word)));
    const otherEntries = vendorEntries.filter(({ owner }) => !answers.some((answer) => answer.owner === owner));
    return [...answers, ...otherEntries.map(({ owner, generation }) => ({ owner, generation, models: [], broad: true }))].sort((a, b) => compareOwners(a.owner, b.owner, a.generation, b.generation)).map(answerOf);
  }

  /** Returns whether a token distinguishes products: it is a number, or an ending in a query with a number. */
  #isDistinguishing(token, tokens) {
    if (this.language.isNoise(token)) return false;
    return token.digit || (this.endings.has(token.text) && tokens.some(({ digit }) => digit));
  }

  /** Returns the tokens of a text that are not noise and not part of a vendor's name. */
  #distinguishingTokens(text) {
    const tokens = this.language.tokens(text).slice(0, MOST_TOKENS);
    return tokens.filter((token) => !(this.language.isNoise(token) || this.makers.has(token.text)));
  }

  /** Returns the accelerator platforms (not the CPU) whose vendor a text names. */
  #platformsOfVendorIn(text) {
    return this.platforms.filter(({ isCpu, platform }) => !isCpu && [platform.vendor, ...(platform.vendor_names ?? [])].some((name) => this.#hasVendor(name, text)));
  }

  /** Returns whether a text has all words of a vendor's name. */
  #hasVendor(vendor, text) {
    const words = this.#wordSet(text.slice(0, MOST_CHARACTERS));
    return [...this.#wordSet(vendor)].every((word) => words.has(word));
  }

  /** Returns the words of a text as a set. */
  #wordSet(text) {
    return new Set(inWords(this.language.tokens(text)).map(joined));
  }

  /** Returns a platform prepared for the search: the words of its name, vendor and software, and its newest release. */
  #createOwner(platform) {
    const vendor = new Set([platform.vendor, ...(platform.vendor_names ?? [])].flatMap((name) => [...this.#wordSet(name)]));
    const name = this.#wordSet(platform.name);
    const newest = platform.generations.map((generation) => generation.newest ?? "").reduce((a, b) => (compareVersions(a, b) < 0 ? b : a), "");
    return { platform, isCpu: platform.dispatch_key === "CPU", vendor, name, newest, software: new Set((platform.fits ?? []).flatMap(({ software }) => Object.keys(software).map((text) => joined(this.language.tokens(text)).replace(/sdk$|^torch/, "")))), words: new Set([...vendor, ...name, platform.id, platform.device]), brands: new Set() };
  }

  /** Returns a generation prepared for the search: its names, the words of all its names, and patterns of its machine types. */
  #createEntry(owner, generation) {
    const makers = generation.vendor ? this.#wordSet(generation.vendor) : this.#wordSet(owner.platform.vendor);
    const familyNames = [generation.name, generation.chip, ...(generation.also ?? [])].filter(Boolean);
    const words = new Set([...owner.words, ...makers, ...familyNames.flatMap((name) => [...this.#wordSet(name)]), ...this.#wordSet(owner.platform.chip ?? "")]);
    const entry = { owner, generation, makers, words, names: [], family: new Set(), memory: new Set(generation.models.map((model) => `${model.memory_gb}gb`)) };
    const addName = (text, model) => entry.names.push(Object.assign(new Name(this.language, text, { owner, generation, model, makers }), { entry }));
    familyNames.forEach((text) => addName(text, null));
    generation.models.forEach((model) => [model.name, ...(model.also ?? [])].forEach((text) => addName(text, model)));
    for (const name of entry.names) for (const word of name.words) entry.family.add(joined(word));
    entry.rented = generation.models.flatMap((model) => (model.instances ?? []).flatMap(({ types }) => types.map((type) => ({ model, pattern: instancePattern(type) }))));
    return entry;
  }

  /** Adds a name to the index of the search, and the words beside its numbers to the endings and brands. */
  #indexName(name, { owner, makers }) {
    const [word, ...otherWords] = name.core.map(joined);
    if (name.length < SHORTEST) return; // "N-series"
    if (otherWords.length === 0 && this.platforms.some((other) => other !== owner && other.vendor.has(word))) return; // "NVIDIA GeForce" of DirectML
    const indexKey = name.core.flat().find(({ text }) => !/#/.test(text))?.text;
    if (!indexKey || name.core.some((word) => word.some(({ text }) => text === "#"))) this.patterns.push(name);
    else this.index.set(indexKey, [...(this.index.get(indexKey) ?? []), name]);
    name.words.forEach((word, index) => {
      const text = joined(word);
      const hasNumberBeside = [name.words[index - 1], name.words[index + 1]].map((other) => other && /\d/.test(joined(other)));
      if (/\d|#/.test(text) || !hasNumberBeside.some(Boolean) || makers.has(text) || this.language.isNoise(word[0])) return;
      const ending = this.endings.get(text) ?? { after: false };
      if (hasNumberBeside[1]) owner.brands.add(text);
      if (name.text === name.model?.name) this.endings.set(text, { after: ending.after || hasNumberBeside[0] });
    });
  }
}

/** Returns all names of a generation and its models. */
function namesOf({ name, also, models }) {
  return [name, ...(also ?? []), ...models.flatMap((model) => [model.name, ...(model.also ?? [])])];
}

/** Returns whether an entry is the NPU of a processor. */
function isNpu({ generation, names }) {
  return generation.verdict === "none" && names.some(({ words }) => joined(words.at(-1)) === "npu");
}

/** Returns the sizes of memory that a query names, in GB. */
function sizesIn(query) {
  return [...query.matchAll(/(?<![\w.])(\d{1,3}) ?g(?:i?b|igs?)?\b/gi)].map(([, size]) => Number(size));
}
