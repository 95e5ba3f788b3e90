// Compares two reports test by test, as `accelerator-portal report compare` does. Nothing here knows the page.

/** Two reports side by side; `groups` says what each outcome is of, `settings` names the parameters of a whole run. */
export function compareReports(first, second, groups, settings) {
  const [one, other] = [first, second].map((report) => resultsOf(report, settings));
  const differences = [];
  const unchanged = new Map();
  for (const [group, before] of one) {
    const after = other.get(group);
    if (!after) continue;
    for (const key of new Set([...before.keys(), ...after.keys()])) {
      const [earlier, later] = [before.get(key), after.get(key)];
      const test = earlier ?? later;
      const kind = kindOf(earlier?.outcome, later?.outcome, groups);
      unchanged.set(test.suite, (unchanged.get(test.suite) ?? 0) + (kind === null));
      if (kind) differences.push({ kind, key, test, first: earlier?.outcome, second: later?.outcome });
    }
  }
  differences.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { differences, unchanged, onlyFirst: missing(one, other), onlySecond: missing(other, one) };
}

/** How two outcomes of one test differ; null where they are the same. */
function kindOf(first, second, groups) {
  if (!first || !second) return first ? "only-first" : "only-second";
  const [before, after] = [first, second].map((outcome) => groups[outcome]);
  if (before === "pass" && after === "failure") return "new-failure";
  if (before === "failure" && after === "pass") return "fix";
  return first === second ? null : "changed";
}

/** The tests of a report by suite and settings, then by identity; of two results of one test the first counts. */
function resultsOf(report, settings) {
  const found = new Map();
  for (const test of report.tests) {
    const parameters = Object.entries(test.parameters ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    const group = textOf(test.suite, parameters.filter(([name]) => settings.includes(name)));
    const key = textOf(`${test.suite}/${test.name}`, parameters);
    if (!found.has(group)) found.set(group, new Map());
    if (!found.get(group).has(key)) found.get(group).set(key, test);
  }
  return found;
}

const textOf = (name, parameters) =>
  name + (parameters.length ? ` (${parameters.map(([key, value]) => `${key}=${value}`).join(", ")})` : "");

/** What only `results` have, with the number of tests; a suite that `others` lack stands as a whole. */
function missing(results, others) {
  const suites = new Set([...others.values()].map((tests) => tests.values().next().value.suite));
  const found = new Map();
  for (const [group, tests] of results) {
    if (others.has(group)) continue;
    const { suite } = tests.values().next().value;
    const name = suites.has(suite) ? group : suite;
    found.set(name, (found.get(name) ?? 0) + tests.size);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What two environments state differently: [name, first, second]; undefined where one does not state it. */
export function environmentDifferences(first, second) {
  const [one, other] = [first, second].map((report) => flat(report.environment ?? {}));
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.filter((name) => one[name] !== other[name]).map((name) => [name, one[name], other[name]]);
}

function flat(environment, prefix = "") {
  const pairs = Object.entries(environment).flatMap(([name, value]) =>
    value !== null && typeof value === "object" ? Object.entries(flat(value, `${prefix}${name} `)) : [[`${prefix}${name.replaceAll("_", " ")}`, String(value)]],
  );
  return Object.fromEntries(pairs);
}

/** Which of two reports are baselines, and whether two runs are of one platform: it decides the words. */
export function pairOf(first, second) {
  if (first.kind === "baseline") return second.kind === "baseline" ? "baselines" : "from-baseline";
  if (second.kind === "baseline") return "to-baseline";
  return first.accelerator === second.accelerator ? "runs" : "platforms";
}

/** The settings of a test in words: `inference, eager, float32, shapes open`. */
export function settingsOf({ parameters = {} }) {
  const plain = ["mode", "compiler", "dtype"];
  const shown = plain.filter((name) => name in parameters).map((name) => parameters[name]);
  const others = Object.entries(parameters).filter(([name]) => !plain.includes(name));
  return [...shown, ...others.map(([name, value]) => `${name} ${value}`)].join(", ");
}

const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "section";

/** The folder of a suite; the portal's Python has the same rule. */
export const folderOf = (suite) => suite.replace("/", "--");

/** The letter of a test's page; of a function that pytest names, `a::test_copy`, that of its own word. */
function initial(name) {
  const word = name.includes("::") ? name.split("::").at(-1).replace(/^test_/, "") : name;
  return /^[a-z]/.test(word.toLowerCase()) ? word[0].toLowerCase() : "0";
}

/** Where a test stands, from `results/`. Without a secure origin no digest can be made: then the page, not the place. */
export async function addressOf({ suite, name }) {
  const page = `${folderOf(suite)}/tests/${initial(name)}/`;
  if (!globalThis.crypto?.subtle) return page;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name)));
  const hex = [...digest.slice(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${page}#test-${slug(name)}-${hex}`;
}
