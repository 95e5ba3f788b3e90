// What the reader picked: kept in the page's address and, for the next visit, on this device.

const STORED = "accelerator-portal.selector";
export const LIMITS = ["card", "driver"]; // wishes about the reader's machine that no axis has
const NO_AXES = [...LIMITS, "pypi-mirror", "pytorch-mirror"]; // wishes that no axis has
const ALIASES = { torch: "build" };
const DRIVER = /^\d{2,4}(\.\d{1,4}){0,3}$/;

export class Wishes {
  /** `list` is [axis, value], the oldest first. */
  constructor(list = []) {
    this.list = list;
  }

  get(axis) {
    return this.list.find(([name]) => name === axis)?.[1];
  }

  /** These wishes with a newer one; a value of null takes one back. */
  with(axis, value) {
    const others = this.list.filter(([name]) => name !== axis);
    return new Wishes(value === null ? others : [...others, [axis, value]]);
  }

  get limits() {
    return Object.fromEntries(LIMITS.map((name) => [name, this.get(name)]));
  }

  /** As the part of an address behind the question mark; empty where there is none. */
  query(fixedPlatform) {
    const kept = this.list.filter(([axis]) => !(fixedPlatform && axis === "platform"));
    return new URLSearchParams(kept).toString();
  }
}

/** What an address asks for: wishes, and what it asks for that does not exist. */
export function readAddress(model, search) {
  const wishes = [];
  const unknown = [];
  for (const [name, text] of new URLSearchParams(search)) {
    const axis = ALIASES[name] ?? name;
    const value = axis === "build" ? newestOf(model, text) : text;
    if (!model.axes.includes(axis) && !NO_AXES.includes(axis)) continue;
    if (isKnown(model, axis, value)) wishes.push([axis, value]);
    else unknown.push([axis, value.slice(0, 60)]);
  }
  const last = new Map(wishes); // of a value that stands twice, the last counts
  return { wishes: new Wishes([...last]), unknown };
}

/** The newest release of a minor version: "2.9" is 2.9.1; other builds as they are. */
function newestOf(model, build) {
  return model.values("build").map(([id]) => id).find((id) => id.startsWith(`${build}.`)) ?? build;
}

/** The wishes of the last visit; none where the browser does not keep them or they are of another site's version. */
export function recall(model) {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED) ?? "[]");
    return new Wishes(stored.filter(([axis, value]) => isKnown(model, axis, value)));
  } catch {
    return new Wishes();
  }
}

export function remember(wishes) {
  try {
    if (wishes.list.length > 0) localStorage.setItem(STORED, JSON.stringify(wishes.list));
    else localStorage.removeItem(STORED);
  } catch {
    // Some readers forbid it; then the address alone keeps the choice.
  }
}

/** The driver's version in what a reader typed or pasted from nvidia-smi; null where there is none. */
export function driverVersion(text) {
  const printed = /Driver Version:\s*([\d.]+)/i.exec(text)?.[1];
  const typed = text.trim().replace(/^v(ersion)?\s*/i, "");
  const found = (printed ?? typed).replace(/\.$/, "");
  return DRIVER.test(found) ? found : null;
}

function isKnown(model, axis, value) {
  if (typeof value !== "string") return false;
  if (axis === "driver") return DRIVER.test(value);
  if (axis === "card") return Object.values(model.data.cards).some((cards) => Object.hasOwn(cards, value));
  if (axis.endsWith("-mirror")) return [...document.querySelectorAll(`#${CSS.escape(axis)} option`)].some((option) => option.value === value);
  return model.axes.includes(axis) && model.knows(axis, value);
}
