// What pages do beyond what their HTML already says.

import { startFilters } from "./filters.js";
import { startSelector } from "./selector.js";

document.querySelectorAll("form[data-selector]").forEach(startSelector);
document.querySelectorAll("form[data-filters]").forEach(startFilters);
