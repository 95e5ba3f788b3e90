// Draws a test with every result, as the static pages show one. Texts come from vendors: they are put in as text.

import { element, link } from "./elements.js";

/** The test, open; `reports` has what is known of each report, `root` is where the pages of results begin. */
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

function resultItem(result, report, signs, root) {
  const item = element("li");
  item.id = result.id;
  const words = element("p");
  if (report.kind === "baseline") words.append("expected, not run: ");
  words.append(signs.get(result.outcome).firstElementChild.cloneNode(true), ` ${result.outcome.replaceAll("-", " ")} · `);
  words.append(link(`${root}../compute-platforms/${report.accelerator}/#results`, report.name));
  if (result.settings) words.append(` · ${result.settings}`);
  if (result.known_issue) words.append(" ", outside(result.known_issue, "known issue"));
  for (const note of result.notes ?? []) words.append(" ", element("span", "note", note));
  const facts = element("dl");
  for (const [term, parts] of factsOf(result, report, root)) {
    const row = element("div");
    const value = element("dd");
    value.append(...parts);
    row.append(element("dt", "", term), value);
    facts.append(row);
  }
  item.append(words, facts);
  return item;
}

function* factsOf(result, report, root) {
  const since = [result.since ?? "not stated"];
  if (result.history) since.push(" ", link(`${root}test-history/?${result.history}`, "history"));
  yield ["Since", since];
  if (result.runs) yield ["Runs", [result.runs]];
  yield ["Report", [link(`${root}runs/${result.report}/`, result.report), " ", element("span", `report-kind report-kind-${report.kind}`, report.kind === "made-here" ? "run by this project" : report.kind)]];
  if (result.reported_as) yield ["Reported as", [element("code", "", result.reported_as)]];
  yield ["Environment", [result.environment ?? "not stated"]];
  yield ["Log", logOf(result)];
  yield ["Command", [result.command ? element("code", "", result.command) : "No command published."]];
}

function logOf({ evidence = [], log_tail: tail }) {
  const parts = evidence.flatMap(({ url, label }) => [outside(url, label), " "]);
  if (tail) {
    const log = element("pre");
    log.tabIndex = 0;
    log.append(element("code", "", tail));
    parts.push(log);
  }
  return parts.length ? parts : ["No log published."];
}

/** A link to elsewhere; what is no address of the web is only shown. */
function outside(address, text) {
  if (!/^https?:\/\//.test(address)) return text;
  const made = link(address, text);
  made.rel = "nofollow noopener noreferrer";
  return made;
}
