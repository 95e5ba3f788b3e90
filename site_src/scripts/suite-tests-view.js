// Draws a test with all its results, as the static pages show it. Texts come from vendors, so they are inserted as text.

import { element, link } from "./elements.js";
import { externalLink, outcomeParts } from "./result-elements.js";

/**
 * Returns the element of a test, open. `reports` maps the id of each report to its facts, `signs` maps each outcome to the
 * element with its sign, and `root` is the address of the results pages.
 */
export function testDetails(anchor, { name, results }, reports, signs, root) {
  const box = element("details", "fold test");
  box.open = true;
  const title = element("h2", "fold-title test-name", name);
  title.id = anchor;
  const list = element("ul", "evidence");
  for (const result of results) list.append(resultItem(result, reports[result.report], signs, root));
  box.append(element("summary", "", name), title, list);
  return box;
}

/** Returns the list item of one result: its outcome in a sentence, then its facts. */
export function resultItem(result, report, signs, root) {
  const item = element("li");
  item.id = result.id;
  const sentence = element("p");
  const isExpected = report.kind === "baseline";
  sentence.append(...outcomeParts(result.outcome, signs, isExpected), isExpected ? ", not run · " : " · ");
  sentence.append(link(`${root}../compute-platforms/${report.accelerator}/#results`, report.name));
  if (result.settings) sentence.append(` · ${result.settings}`);
  if (result.known_issue) sentence.append(" ", externalLink(result.known_issue, "known issue"));
  for (const note of result.notes ?? []) sentence.append(" ", element("span", "note", note));
  const facts = element("dl");
  for (const [term, parts] of factsOf(result, report, root)) {
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
function* factsOf(result, report, root) {
  const since = [result.since ?? "not stated"];
  if (result.history) since.push(" ", link(`${root}test-history/?${result.history}`, "history"));
  yield ["Since", since];
  if (result.runs) yield ["Runs", [result.runs]];
  yield ["Report", [link(`${root}runs/${result.report}/`, result.report), " ", element("span", `report-kind report-kind-${report.kind}`, report.kind === "made-here" ? "run by this project" : report.kind)]];
  if (result.reported_as) yield ["Reported as", [element("code", "", result.reported_as)]];
  if (result.inputs) yield ["Inputs", [result.inputs]];
  if (result.allowed) yield ["Allowed difference", [result.allowed]];
  yield ["Environment", [result.environment ?? "not stated"]];
  if (result.run_url) yield ["Run", [externalLink(result.run_url, "CI run")]];
  yield ["Log", logOf(result)];
  const command = result.command ? [element("code", "", result.command)] : ["No command published."];
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
