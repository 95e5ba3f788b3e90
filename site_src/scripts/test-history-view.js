// Draws the history of a test: a strip for each of its settings over one time axis, and a table of all changes.

import { element, link } from "./elements.js";
import { number } from "./numbers.js";
import { changesOf, commitsOf, courseWords, spanOf } from "./test-history-model.js";
import { externalLink, outcomeParts, outcomeWords, scrollingTable } from "./result-elements.js";

const WIDTH = 720;
const MIN_WIDTH = 1.5; // so that a single night among many is visible
const MAX_ROWS = 200; // of the table

/** The strips of all courses. Each has a caption that says in words what it shows. */
export function picture(index, courses, signs) {
  const span = spanOf(index);
  const xOf = (time) => (WIDTH * (time - span.first)) / (span.last - span.first);
  const box = element("div", "courses");
  for (const course of courses) {
    const figure = element("figure", "course");
    const caption = element("figcaption");
    if (course.words) caption.append(element("strong", "", course.words), ": ");
    caption.append(courseWords(course, index.reports, (outcome) => outcomeWords(outcome, signs, index.basis === "baselines")));
    figure.append(caption, strip(course, xOf, signs));
    box.append(figure);
  }
  const dayOf = (time) => new Date(time).toISOString().slice(0, 10);
  const axis = element("p", "course-axis");
  axis.append(element("span", "", dayOf(span.first)), element("span", "", dayOf(span.last)));
  box.append(axis);
  return box;
}

function strip({ parts }, xOf, signs) {
  const svg = svgElement("svg", { class: "course-strip", viewBox: `0 0 ${WIDTH} 14`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" });
  for (const { outcome, from, until } of parts) {
    if (!outcome) continue; // the reports no longer have the test
    const width = Math.max(xOf(until) - xOf(from), MIN_WIDTH);
    const x = Math.min(xOf(from), WIDTH - MIN_WIDTH);
    svg.append(svgElement("rect", { class: `outcome--${signs.get(outcome)?.dataset.color ?? "none"}`, x: x.toFixed(1), width: width.toFixed(1), height: 14 }));
  }
  return svg;
}

function svgElement(name, attributes) {
  const node = document.createElementNS(document.querySelector("svg").namespaceURI, name); // every page has an SVG icon
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value);
  return node;
}

/** A table of the newest changes; if there are more, a link to the file that has all. */
export function changesTable(index, courses, signs, file, commitsRoot) {
  const changes = changesOf(courses, index.reports);
  const rows = changes.slice(0, MAX_ROWS).map((change) => {
    const commits = commitsOf(change.earlier, change.report, commitsRoot);
    return [change.report.started.slice(0, 10), change.words, outcomeCell(change, signs, index.basis === "baselines"), change.report.torch ?? "not stated", commits ? externalLink(commits.href, commits.text) : ""];
  });
  const box = scrollingTable("Changes of the test", ["Report", "With", "Outcome", "PyTorch", "Commits"], rows);
  if (changes.length <= MAX_ROWS) return box;
  const note = element("p", "", `${number(changes.length - MAX_ROWS)} more changes are in `);
  note.append(link(file, "the file"), ".");
  box.append(note);
  return box;
}

function outcomeCell({ outcome, stage }, signs, isExpected) {
  const parts = outcome ? outcomeParts(outcome, signs, isExpected) : ["gone"];
  return stage ? [...parts, element("span", "note", ` ${stage}`)] : parts;
}
