// Starts the scripts of a page. A page loads only the modules of its own forms.

import { startDisclosure } from "./disclosure.js";
import { showStaticCommands } from "./static-commands.js";

const USE_EVENTS = ["pointerover", "focusin"];

const PARTS = {
  "form[data-selector]": () => import("./selector.js").then(({ startSelector }) => startSelector),
  "form[data-filters]": () => import("./filters.js").then(({ startFilters }) => startFilters),
  "form[data-matrix]": () => import("./matrix.js").then(({ startMatrix }) => startMatrix),
  "form[data-grid]": () => import("./grid.js").then(({ startGrid }) => startGrid),
  "form[data-reports]": () => import("./compare-reports.js").then(({ startReportComparison }) => startReportComparison),
  "form[data-test-history]": () => import("./test-history.js").then(({ startTestHistory }) => startTestHistory),
  "form[data-tests]": () => import("./suite-tests.js").then(({ startSuiteTests }) => startSuiteTests),
  "form[data-rows]": () => import("./report-rows.js").then(({ startReportRows }) => startReportRows),
  "form[data-result-search]": () => import("./result-search.js").then(({ startResultSearch }) => startResultSearch),
  "form[data-questions]": () => import("./questions.js").then(({ startQuestions }) => startQuestions),
};

// Forms whose modules load when the reader points at or enters the form, or at once if the address or a field has a query.
const LOADED_ON_USE = { "form[data-finder]": () => import("./finder.js").then(({ startFinder }) => startFinder) };

/** Starts a form's script when the reader first uses the form, and again at the next use if its modules could not be loaded. */
function startOnUse([selector, load]) {
  for (const form of document.querySelectorAll(selector)) {
    const listen = () => USE_EVENTS.forEach((event) => form.addEventListener(event, start));
    const start = () => {
      for (const event of USE_EVENTS) form.removeEventListener(event, start);
      load().then((startForm) => startForm(form), listen).catch(() => {});
    };
    listen();
    const hasText = [...form.elements].some((control) => control.name && (control.value || new URLSearchParams(location.search).has(control.name)));
    if (hasText) start();
  }
}

/** Starts the script of all forms that match a selector. */
async function startForms([selector, load]) {
  const forms = document.querySelectorAll(selector);
  if (forms.length === 0) return;
  const start = await load().catch((error) => {
    document.querySelectorAll(`${selector}[data-selector]`).forEach(showStaticCommands);
    throw error;
  });
  await Promise.all([...forms].map((form) => start(form)));
}

// Redirects old addresses of the selector.
if (document.querySelector("[data-moved-selector]") && location.search) location.replace(`../${location.search}`);

// A cell of a table of results shows what is behind it beside the table; with a key that opens a tab or a window, the link does.
document.addEventListener("click", (event) => {
  const cell = event.target.closest(".matrix td a.outcome");
  if (!cell || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  import("./evidence.js").then(({ showEvidence }) => showEvidence(cell)).catch(() => location.assign(cell.href));
});

const linked = [...document.querySelectorAll("table.matrix")];
if (linked.length) await import("./matrix-links.js").then(({ linkResults }) => linked.forEach(linkResults)).catch(() => {}); // failures are links already

startDisclosure();
// Before the forms, which filter by age.
if (document.querySelector("[data-age], [data-built]")) await import("./ages.js").then(({ showAges }) => showAges()).catch(() => {}); // the dates stay
Object.entries(LOADED_ON_USE).forEach(startOnUse);
for (const part of Object.entries(PARTS)) await startForms(part).catch(() => {}); // one after the other, in the order of the table
document.documentElement.dataset.scripts = "begun"; // tests wait for this; before, links and forms work as they do without scripts
