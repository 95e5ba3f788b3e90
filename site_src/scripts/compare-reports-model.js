// Compares two reports test by test, as `accelerator-portal report compare` does. This module does not use the page.

/**
 * Compares two reports. `groups` maps each outcome to its group, such as "pass"; `settings` are the names of parameters that
 * apply to a whole run. Returns `differences`, sorted by test; `unchanged`, a map from suite to number of tests; and
 * `onlyFirst` and `onlySecond`, the suites or settings that only one report has, [name, number of tests].
 */
export function compareReports(first, second, groups, settings) {
  const [firstResults, secondResults] = [first, second].map((report) => resultsOf(report, settings));
  const differences = [];
  const unchanged = new Map();
  for (const [group, firstTests] of firstResults) {
    const secondTests = secondResults.get(group);
    if (!secondTests) continue;
    for (const key of new Set([...firstTests.keys(), ...secondTests.keys()])) {
      const [firstTest, secondTest] = [firstTests.get(key), secondTests.get(key)];
      const test = firstTest ?? secondTest;
      const kind = kindOf(firstTest?.outcome, secondTest?.outcome, groups);
      unchanged.set(test.suite, (unchanged.get(test.suite) ?? 0) + (kind === null));
      if (kind) differences.push({ kind, key, test, first: firstTest?.outcome, second: secondTest?.outcome });
    }
  }
  differences.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { differences, unchanged, onlyFirst: missing(firstResults, secondResults), onlySecond: missing(secondResults, firstResults) };
}

/** Returns how two outcomes of a test differ; null if they are the same. An outcome is undefined if a report lacks the test. */
function kindOf(first, second, groups) {
  if (!first || !second) return first ? "only-first" : "only-second";
  const [firstGroup, secondGroup] = [first, second].map((outcome) => groups[outcome]);
  if (firstGroup === "pass" && secondGroup === "failure") return "new-failure";
  if (firstGroup === "failure" && secondGroup === "pass") return "fix";
  return first === second ? null : "changed";
}

/** Returns a map from suite and settings to a map from test identity to test; of several results of a test, the first counts. */
function resultsOf(report, settings) {
  const results = new Map();
  for (const test of report.tests) {
    const parameters = Object.entries(test.parameters ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
    const group = textOf(test.suite, parameters.filter(([name]) => settings.includes(name)));
    const key = textOf(`${test.suite}/${test.name}`, parameters);
    if (!results.has(group)) results.set(group, new Map());
    if (!results.get(group).has(key)) results.get(group).set(key, test);
  }
  return results;
}

const textOf = (name, parameters) =>
  name + (parameters.length ? ` (${parameters.map(([key, value]) => `${key}=${value}`).join(", ")})` : "");

/** Returns what only `results` have, [name, number of tests]; a suite that `others` lack completely is one entry. */
function missing(results, others) {
  const otherSuites = new Set([...others.values()].map((tests) => tests.values().next().value.suite));
  const counts = new Map();
  for (const [group, tests] of results) {
    if (others.has(group)) continue;
    const { suite } = tests.values().next().value;
    const label = otherSuites.has(suite) ? group : suite;
    counts.set(label, (counts.get(label) ?? 0) + tests.size);
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Returns the differences between the environments of two reports: [name, first, second]; undefined if a report lacks a value. */
export function environmentDifferences(first, second) {
  const [firstValues, secondValues] = [first, second].map((report) => flat(report.environment ?? {}));
  const names = [...new Set([...Object.keys(firstValues), ...Object.keys(secondValues)])];
  return names.filter((name) => firstValues[name] !== secondValues[name]).map((name) => [name, firstValues[name], secondValues[name]]);
}

/** Returns the values of a nested object as texts; the keys of an inner value are joined by spaces. */
function flat(environment, prefix = "") {
  const pairs = Object.entries(environment).flatMap(([name, value]) =>
    value !== null && typeof value === "object" ? Object.entries(flat(value, `${prefix}${name} `)) : [[`${prefix}${name.replaceAll("_", " ")}`, String(value)]],
  );
  return Object.fromEntries(pairs);
}

/** Returns the kind of a pair of reports, which decides the wording: whether each is a baseline, and whether runs share a platform. */
export function pairOf(first, second) {
  if (first.kind === "baseline") return second.kind === "baseline" ? "baselines" : "from-baseline";
  if (second.kind === "baseline") return "to-baseline";
  return first.accelerator === second.accelerator ? "runs" : "platforms";
}

/** Returns the settings of a test as text, such as `inference, eager, float32, shapes open`. */
export function settingsOf({ parameters = {} }) {
  const commonNames = ["mode", "compiler", "dtype"];
  const commonValues = commonNames.filter((name) => name in parameters).map((name) => parameters[name]);
  const others = Object.entries(parameters).filter(([name]) => !commonNames.includes(name));
  return [...commonValues, ...others.map(([name, value]) => `${name} ${value}`)].join(", ");
}

const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "section";

/** Returns the folder of a suite; the portal's Python code has the same rule. */
export const folderOf = (suite) => suite.replace("/", "--");

/** Returns the letter of a test's page: the first letter of its name, or of the function in a pytest name (`a::test_copy`: c). */
function initialOf(name) {
  const shortName = name.includes("::") ? name.split("::").at(-1).replace(/^test_/, "") : name;
  return /^[a-z]/.test(shortName.toLowerCase()) ? shortName[0].toLowerCase() : "0";
}

/**
 * Returns the address of a test relative to `results/`. Browsers compute digests only on secure origins; elsewhere, the
 * address leads to the page but not to the test.
 */
export async function addressOf({ suite, name }) {
  const page = `${folderOf(suite)}/tests/${initialOf(name)}/`;
  if (!globalThis.crypto?.subtle) return page;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name)));
  const hex = [...digest.slice(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${page}#test-${slug(name)}-${hex}`;
}
