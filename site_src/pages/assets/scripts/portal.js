// What pages do beyond what their HTML already says. Each page loads the modules of its own forms only.

import { startDisclosure } from "./disclosure.js";

const TURNING = ["pointerover", "focusin"];

const PARTS = {
  "form[data-selector]": () => import("./selector.js").then(({ startSelector }) => startSelector),
  "form[data-filters]": () => import("./filters.js").then(({ startFilters }) => startFilters),
  "form[data-matrix]": () => import("./matrix.js").then(({ startMatrix }) => startMatrix),
  "form[data-models]": () => import("./models.js").then(({ startModels }) => startModels),
  "form[data-comparison]": () => import("./comparison.js").then(({ startComparison }) => startComparison),
  "form[data-reports]": () => import("./compare-reports.js").then(({ startReportComparison }) => startReportComparison),
  "form[data-test-history]": () => import("./test-history.js").then(({ startTestHistory }) => startTestHistory),
  "form[data-tests]": () => import("./suite-tests.js").then(({ startSuiteTests }) => startSuiteTests),
  "form[data-rows]": () => import("./report-rows.js").then(({ startReportRows }) => startReportRows),
  "form[data-questions]": () => import("./questions.js").then(({ startQuestions }) => startQuestions),
};

// What a reader turns to first: its scripts are fetched then, or where the address or the field already asks something.
const LATER = { "form[data-finder]": () => import("./finder.js").then(({ startFinder }) => startFinder) };

function beginLater([selector, load]) {
  for (const form of document.querySelectorAll(selector)) {
    const start = () => {
      for (const event of TURNING) form.removeEventListener(event, start);
      load().then((begun) => begun(form)).catch(() => {});
    };
    for (const event of TURNING) form.addEventListener(event, start);
    const isAsked = [...form.elements].some((control) => control.name && (control.value || new URLSearchParams(location.search).has(control.name)));
    if (isAsked) start();
  }
}

async function begin([selector, load]) {
  const forms = document.querySelectorAll(selector);
  if (forms.length === 0) return;
  const start = await load();
  await Promise.all([...forms].map((form) => start(form)));
}

// Old addresses of the selector.
if (document.querySelector("[data-moved-selector]") && location.search) location.replace(`../${location.search}`);

startDisclosure();
Object.entries(LATER).forEach(beginLater);
for (const part of Object.entries(PARTS)) await begin(part).catch(() => {}); // what stands first is ready first
document.documentElement.dataset.scripts = "begun"; // until then links and forms work as without scripts
