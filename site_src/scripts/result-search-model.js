// Answers questions about all test results, such as "cuda:pass cpu:fail". The words of a question are joined by "and".

const FIELDS = ["suite", "mode", "status", "basis", "only-fails"];
const BASES = ["run", "baseline"];
const NO_RESULT = "-";

// Words for groups of outcomes; every outcome is a word, too.
const GROUPS = { pass: "pass", fail: "failure", error: "error", skip: "skip", unchecked: "unchecked" };

/** A question that cannot be answered; the message says which word, and what to write instead. */
export class QuestionError extends Error {}

/** Returns the matching tests of all matrices, each with its results in the columns that count: those of the asked basis. */
export function answer(data, question) {
  const known = {
    platforms: distinctOf(data.matrices.flatMap(({ columns }) => columns.map(([platform]) => platform))),
    suite: distinctOf(data.matrices.map(({ suite }) => suite)),
    mode: distinctOf(data.matrices.map(({ mode }) => mode).filter(Boolean)),
    outcomes: new Map(Object.entries(data.outcomes)),
  };
  const terms = question.trim().split(/\s+/).filter(Boolean).map((word) => termOf(word, known));
  const bases = terms.filter(({ basis }) => basis);
  const conditions = terms.filter(({ test }) => test);
  return data.matrices.flatMap((matrix) => {
    const counting = matrix.columns.map(([, kind]) => bases.every(({ basis, no }) => ((kind === "baseline") === (basis === "baseline")) !== no));
    return Object.entries(matrix.tests).flatMap(([name, letters]) => {
      const results = [...letters].flatMap((letter, index) => {
        if (letter === NO_RESULT || !counting[index]) return [];
        const [outcome, group] = known.outcomes.get(letter);
        const [platform, kind, parameters] = matrix.columns[index];
        return [{ platform, kind, parameters, outcome, group }];
      });
      const row = { suite: matrix.suite, mode: matrix.mode, name, results };
      return results.length && conditions.every(({ test, no }) => test(row) !== no) ? [row] : [];
    });
  });
}

const distinctOf = (names) => [...new Set(names.map((name) => name.toLowerCase()))].sort();

/** Returns the condition that a word of a question states; "-" before the word negates it. */
function termOf(word, known) {
  const no = word.startsWith("-") && word.length > 1;
  const [key, value] = splitOnce(no ? word.slice(1) : word);
  if (value === null) return { no, test: ({ name }) => name.toLowerCase().includes(key) };
  if (key === "suite" || key === "mode") {
    oneOf(known[key], value, word);
    return { no, test: (row) => row[key].toLowerCase() === value };
  }
  if (key === "basis") return { no, basis: oneOf(BASES, value, word) };
  if (key === "status") return { no, test: hasOutcome(value, known, word) };
  if (key === "only-fails") return { no, test: onlyFails(oneOf(known.platforms, value, word)) };
  if (!known.platforms.includes(key)) throw new QuestionError(`“${word}”: “${key}” is neither a platform with results nor one of ${FIELDS.join(", ")}. Platforms: ${known.platforms.join(", ")}.`);
  const ofPlatform = ({ results }) => results.filter(({ platform }) => platform === key);
  if (value === "none") return { no, test: (row) => ofPlatform(row).length === 0 };
  const has = hasOutcome(value, known, word);
  return { no, test: (row) => has({ results: ofPlatform(row) }) };
}

/** Splits "cuda:pass" at the colon; a word without a colon has no value. A test name may contain "::". */
function splitOnce(word) {
  const lower = word.toLowerCase();
  const match = /^([^:]+):([^:]*)$/.exec(lower);
  return match ? [match[1], match[2]] : [lower, null];
}

function oneOf(choices, value, word) {
  if (choices.includes(value)) return value;
  throw new QuestionError(`“${word}”: write one of ${choices.join(", ")} after the colon.`);
}

/** Returns whether at least one result of a row has the outcome, or an outcome of the group. */
function hasOutcome(value, known, word) {
  const outcomes = [...known.outcomes.values()].map(([outcome]) => outcome);
  const group = Object.hasOwn(GROUPS, value) ? GROUPS[value] : null;
  if (!group) oneOf([...Object.keys(GROUPS), ...outcomes], value, word);
  return ({ results }) => results.some((result) => (group ? result.group === group : result.outcome === value));
}

/** Returns whether a test fails on one platform, fails on no other, and passes on at least one other. */
function onlyFails(platform) {
  return ({ results }) => {
    const others = results.filter((result) => result.platform !== platform);
    const fails = ({ group }) => group === "failure";
    return results.some((result) => result.platform === platform && fails(result)) && !others.some(fails) && others.some(({ group }) => group === "pass");
  };
}
