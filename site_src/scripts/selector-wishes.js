// Reads and stores the reader's wishes, which are the values that they selected.
// The page's address has them and, for the next visit, this device.

const STORAGE_KEY = "accelerator-portal.selector";
export const LIMITS = ["card", "driver"]; // wishes about the reader's machine that are not axes
const NAMES_WITHOUT_AXIS = [...LIMITS, "pypi-mirror", "pytorch-mirror"]; // all wishes that are not axes
const ALIASES = { torch: "build" };
const DRIVER_VERSION = /^\d{2,4}(\.\d{1,4}){0,3}$/;

export class Wishes {
  /** `list` is [axis, value], the oldest first. */
  constructor(list = []) {
    this.list = list;
  }

  get(axis) {
    return this.list.find(([name]) => name === axis)?.[1];
  }

  /** These wishes with a newer one; null as value removes a wish. */
  with(axis, value) {
    const otherWishes = this.list.filter(([name]) => name !== axis);
    return new Wishes(value === null ? otherWishes : [...otherWishes, [axis, value]]);
  }

  get limits() {
    return Object.fromEntries(LIMITS.map((name) => [name, this.get(name)]));
  }

  /** The wishes as a query string without question mark; empty if there are none. */
  query(fixedPlatform) {
    const addressWishes = this.list.filter(([axis]) => !(fixedPlatform && axis === "platform"));
    return new URLSearchParams(addressWishes).toString();
  }
}

/** What `readAddress` returns for an address; for one that has no wishes, those of the last visit. */
export function shownWishes(model, search, lastWishes = recall(model)) {
  const inAddress = readAddress(model, search);
  const isEmpty = inAddress.wishes.list.length === 0 && inAddress.unknown.length === 0;
  return isEmpty ? { wishes: lastWishes, unknown: [] } : inAddress;
}

/** Read the query string of an address: the wishes, and pairs [axis, value] whose value does not exist. */
export function readAddress(model, search) {
  const wishes = [];
  const unknown = [];
  for (const [name, text] of new URLSearchParams(search)) {
    const axis = ALIASES[name] ?? name;
    const value = axis === "build" ? newestRelease(model, text) : text;
    if (!model.axes.includes(axis) && !NAMES_WITHOUT_AXIS.includes(axis)) continue;
    if (isKnown(model, axis, value)) wishes.push([axis, value]);
    else unknown.push([axis, value.slice(0, 60)]);
  }
  const lastWishes = new Map(wishes); // if an address repeats a parameter, the last value counts
  return { wishes: new Wishes([...lastWishes]), unknown };
}

/** The newest release of a minor version, such as 2.9.1 for "2.9"; other builds unchanged. */
function newestRelease(model, build) {
  return model.values("build").map(([id]) => id).find((id) => id.startsWith(`${build}.`)) ?? build;
}

/** The wishes of the last visit, without values that no longer exist; none if the browser does not store them. */
export function recall(model) {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return new Wishes(stored.filter(([axis, value]) => isKnown(model, axis, value)));
  } catch {
    return new Wishes();
  }
}

export function remember(wishes) {
  try {
    if (wishes.list.length > 0) localStorage.setItem(STORAGE_KEY, JSON.stringify(wishes.list));
    else localStorage.removeItem(STORAGE_KEY);
  } catch {
    // The browser does not allow storage. The address still has the wishes.
  }
}

/** The driver version in a text that the reader typed or pasted from nvidia-smi; null if there is none. */
export function driverVersion(text) {
  const reportedVersion = /Driver Version:\s*([\d.]+)/i.exec(text)?.[1];
  const typedVersion = text.trim().replace(/^v(ersion)?\s*/i, "");
  const version = (reportedVersion ?? typedVersion).replace(/\.$/, "");
  return DRIVER_VERSION.test(version) ? version : null;
}

/** Whether the site has such a card, mirror or value of an axis, or the value is a driver version. */
function isKnown(model, axis, value) {
  if (typeof value !== "string") return false;
  if (axis === "driver") return DRIVER_VERSION.test(value);
  if (axis === "card") return Object.values(model.data.cards).some((cards) => Object.hasOwn(cards, value));
  if (axis.endsWith("-mirror")) return [...document.querySelectorAll(`#${CSS.escape(axis)} option`)].some((option) => option.value === value);
  return model.axes.includes(axis) && model.knows(axis, value);
}
