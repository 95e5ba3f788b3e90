// Draws the history of a test: a strip for each of its settings over one axis of time, then every change as a table.

import { element, link } from "./elements.js";
import { changesOf, commitsOf, courseWords, spanOf } from "./test-history-model.js";
import { number } from "./matrix-model.js";

const WIDTH = 720;
const LEAST = 1.5; // of a night among many, too, something is seen
const MOST = 200; // rows of the table

/** The picture: what is drawn stands beside each strip in words, too. */
export function picture(index, courses, signs) {
  const span = spanOf(index);
  const place = (time) => (WIDTH * (time - span.first)) / (span.last - span.first);
  const box = element("div", "courses");
  for (const course of courses) {
    const figure = element("figure", "course");
    const words = element("figcaption");
    if (course.words) words.append(element("strong", "", course.words), ": ");
    words.append(courseWords(course, index.reports));
    figure.append(words, strip(course, place, signs));
    box.append(figure);
  }
  const day = (time) => new Date(time).toISOString().slice(0, 10);
  const axis = element("p", "course-axis");
  axis.append(element("span", "", day(span.first)), element("span", "", day(span.last)));
  box.append(axis);
  return box;
}

function strip({ parts }, place, signs) {
  const svg = drawn("svg", { class: "course-strip", viewBox: `0 0 ${WIDTH} 14`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" });
  for (const { outcome, from, until } of parts) {
    if (!outcome) continue; // the test was gone
    const width = Math.max(place(until) - place(from), LEAST);
    const x = Math.min(place(from), WIDTH - LEAST);
    svg.append(drawn("rect", { class: `outcome--${signs.get(outcome)?.dataset.color ?? "none"}`, x: x.toFixed(1), width: width.toFixed(1), height: 14 }));
  }
  return svg;
}

function drawn(name, attributes) {
  const made = document.createElementNS(document.querySelector("svg").namespaceURI, name); // every page has an icon
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}

/** Every change, the newest first; of a long list the file has the rest. */
export function changesTable(index, courses, signs, file, commitsRoot) {
  const changes = changesOf(courses, index.reports);
  const box = element("div", "table-box");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Changes of the test");
  const table = element("table", "data");
  const head = table.createTHead().insertRow();
  for (const title of ["Report", "With", "Outcome", "PyTorch", "Commits"]) {
    const cell = element("th", "", title);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const change of changes.slice(0, MOST)) {
    const row = body.insertRow();
    const commits = commitsOf(change.earlier, change.report, commitsRoot);
    const cells = [change.report.started.slice(0, 10), change.words, outcomeWords(change, signs), change.report.torch ?? "not stated", commits ? outside(commits) : ""];
    for (const value of cells) row.insertCell().append(value);
  }
  box.append(table);
  if (changes.length <= MOST) return box;
  const rest = element("p", "", `${number(changes.length - MOST)} more changes are in `);
  rest.append(link(file, "the file"), ".");
  box.append(rest);
  return box;
}

function outcomeWords({ outcome, stage }, signs) {
  const made = document.createDocumentFragment();
  const sign = signs.get(outcome)?.querySelector(".outcome");
  if (sign) made.append(sign.cloneNode(true), " ");
  made.append(outcome ? outcome.replaceAll("-", " ") : "gone");
  if (stage) made.append(element("span", "note", ` ${stage}`));
  return made;
}

function outside({ href, text }) {
  const made = link(href, text);
  made.rel = "nofollow noopener noreferrer";
  return made;
}
