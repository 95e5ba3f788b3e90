// What pages do beyond what their HTML already says.

import { startComparison } from "./comparison.js";
import { startDisclosure } from "./disclosure.js";
import { startFilters } from "./filters.js";
import { startFinder } from "./finder.js";
import { startMatrix } from "./matrix.js";
import { startSelector } from "./selector.js";

document.querySelectorAll("form[data-selector]").forEach(startSelector);
document.querySelectorAll("form[data-filters]").forEach(startFilters);
document.querySelectorAll("form[data-matrix]").forEach(startMatrix);
document.querySelectorAll("form[data-finder]").forEach(startFinder);
document.querySelectorAll("form[data-comparison]").forEach(startComparison);
startDisclosure();
