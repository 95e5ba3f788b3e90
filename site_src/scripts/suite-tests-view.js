// Draws a test with all its results, as the static pages show it. Texts come from vendors, so they are inserted as text.

import { element, link } from "./elements.js";
import { externalLink, outcomeParts } from "./result-elements.js";

/**
 * Returns the element of a test, open. `index` is the index of the suite's tests, `signs` maps each outcome to the element
 * with its sign, and `root` is the address of the results pages.
 */
export function testDetails(anchor, test, index, signs, root) {
  const box = element("details", "fold test");
  box.open = true;
  const title = element("h2", "fold-title test-name", test.name);
  title.id = anchor;
  const list = element("ul", "evidence");
  for (const result of test.results) list.append(resultItem(anchor, test, result, index, signs, root));
  box.append(element("summary", "", test.name), title);
  if (test.same) {
    const others = element("p", "note", "The same model in other suites: ");
    for (const [index, [name, address]] of test.same.entries()) others.append(index ? ", " : "", link(root + address, name));
    others.append(`. ${test.same_note ?? ""}`);
    box.append(others);
  }
  box.append(list);
  return box;
}

/** Returns the list item of one result of a test: its outcome in a sentence, then its facts. */
export function resultItem(anchor, { name, key }, ownFacts, { suite, reports }, signs, root) {
  const report = reports[ownFacts.report];
  const result = { ...report.common, ...ownFacts };
  const item = element("li");
  item.id = anchor + result.id;
  const sentence = element("p");
  const isExpected = report.kind === "baseline";
  sentence.append(...outcomeParts(result.outcome, signs, isExpected), isExpected ? ", not run · " : " · ");
  sentence.append(link(`${root}../compute-platforms/${report.accelerator}/#results`, report.name));
  if (result.settings) sentence.append(` · ${result.settings}`);
  if (result.known_issue) sentence.append(" ", externalLink(result.known_issue, "known issue"));
  for (const note of result.notes ?? []) sentence.append(" ", element("span", "note", note));
  const facts = element("dl");
  const history = new URLSearchParams({ platform: report.history, test: key ?? `${suite}/${name}` });
  for (const [term, parts] of factsOf(result, report, root, history)) {
    const row = element("div");
    const value = element("dd");
    value.append(...parts);
    row.append(element("dt", "", term), value);
    facts.append(row);
  }
  item.append(sentence, facts);
  return item;
}

/** Yields the facts of a result: [term, list of texts and elements]. */
function* factsOf(result, report, root, history) {
  const since = [result.since ?? "not stated"];
  if (result.has_history) since.push(" ", link(`${root}test-history/?${history}`, "history"));
  yield ["Since", since];
  if (result.runs) yield ["Runs", [result.runs]];
  yield ["Report", [link(`${root}runs/${result.report}/`, result.report), " ", element("span", `report-kind report-kind-${report.kind}`, report.kind === "made-here" ? "run by this project" : report.kind)]];
  const values = (result.measured ?? []).map((value, index) => `${result.measures[index]} ${value}`).join(", ");
  if (result.reported_as || values) yield ["Reported as", [...(result.reported_as ? [element("code", "", result.reported_as), " "] : []), values]];
  if (result.inputs) yield ["Inputs", [result.inputs]];
  if (result.allowed) yield ["Allowed difference", [result.allowed]];
  yield ["Environment", [report.environment ?? "not stated"]];
  if (report.run_url) yield ["Run", [externalLink(report.run_url, "CI run")]];
  yield ["Log", logOf(result)];
  const command = result.command ? [element("code", "", result.command.replace("{}", () => result.test ?? "{}"))] : ["No command published."];
  if (result.whole_suite) command.push(" (runs the whole suite)");
  if (result.seed !== undefined) command.push(` (seed ${result.seed})`);
  yield ["Command", command];
  if (result.lacks) yield ["Not stated", [result.lacks]];
}

/** Returns the links to a result's logs and the end of its log, as a list of texts and elements. */
function logOf({ evidence = [], log_tail: tail }) {
  const parts = evidence.flatMap(({ url, label }) => [externalLink(url, label), " "]);
  if (tail) {
    const log = element("pre");
    log.tabIndex = 0;
    log.append(element("code", "", tail));
    parts.push(log);
  }
  return parts.length ? parts : ["No log published."];
}
