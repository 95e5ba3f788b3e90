// The rows of the install selector, and the row that a reader's wishes lead to, as
// src/accelerator_portal/install/resolution.py has it; tests compare the two.

const PREVIEW = "preview";
const STABLE = "stable";

export class Model {
  constructor(data) {
    this.data = data;
    this.axes = data.order; // in the order of addresses
    this.place = places(data);
    this.rowsOf = new Map();
    this.points = new Map();
    if ("rows" in data) this.add(data.axes.platform[0][0], data); // a page of one platform has its rows
  }

  /** Take the rows of a platform from its own data. The ranges of its cards count these rows. */
  add(platform, data) {
    this.rowsOf.set(platform, decode(data).map((row) => ({ ...row, machine: this.machine(row) })));
    this.data.cards[platform] = data.cards[platform] ?? {};
  }

  hasRows(platform) {
    return this.rowsOf.has(platform);
  }

  values(axis, platform) {
    return this.data.axes[axis] ?? this.data.variants[platform] ?? [];
  }

  /** Whether a value stands on an axis, of whatever platform. */
  knows(axis, value) {
    const lists = axis in this.data.axes ? [this.data.axes[axis]] : Object.values(this.data.variants);
    return lists.some((values) => values.some(([id]) => id === value));
  }

  label(axis, value, platform) {
    return this.values(axis, platform).find(([id]) => id === value)?.[1] ?? "";
  }

  /** The starting choice of an operating system. */
  start(os) {
    return this.data.starts.find((start) => start.os === os) ?? this.data.starts[0];
  }

  /** The machine of wishes or of a choice as one key of `offers`. */
  machine(choice) {
    return this.data.machine.map((axis) => choice[axis]).join(" ");
  }

  /** The build that a reader without other wishes gets, for each machine of a platform. */
  offers(platform) {
    return this.data.offers[platform] ?? {};
  }

  /**
   * What wishes lead to. `wishes` is a list of [axis, value], the oldest first, with the machine's axes among them;
   * `limits` has the reader's driver and card, and `versions` of other requirements. Without a row, `choice` still has the platform and the machine.
   */
  resolve(wishes, limits = {}) {
    const wished = Object.fromEntries(wishes);
    const start = this.start(wished.os);
    const machine = this.#machineOf(wished, start);
    const platform = this.platform(wishes);
    const here = this.#pointsOn(platform, this.machine(machine), start);
    let points = Object.values(limits).some(Boolean) ? here.filter(({ row }) => this.#admits(row, limits)) : here;
    const limited = points.length < here.length;
    if (points.length === 0) return { choice: { ...machine, platform }, row: null, unmet: [], limited };
    const unmet = [];
    for (const [axis, value] of this.#freeWishes(wishes, platform).reverse()) {
      const kept = holding(points, axis, value);
      if (kept.length > 0) points = kept;
      else unmet.unshift([axis, value]);
    }
    const [{ row, python }] = points;
    const choice = Object.fromEntries(this.axes.map((axis) => [axis, row[axis]]));
    choice.python = python || wished.python || start.python;
    return { choice, row, unmet, limited };
  }

  /** The platform that wishes lead to. */
  platform(wishes) {
    const wished = Object.fromEntries(wishes);
    const start = this.start(wished.os);
    return wished.platform ?? this.#usualPlatform(start, this.#machineOf(wished, start));
  }

  /** The values of an axis that a platform has on a machine. */
  available(axis, choice) {
    const machine = this.machine(choice);
    const rows = (this.rowsOf.get(choice.platform) ?? []).filter((row) => row.machine === machine);
    return new Set(rows.flatMap((row) => (axis === "python" ? row.pythons ?? [] : [row[axis]])));
  }

  /** The oldest driver that a variant runs with, if that is stated. */
  oldestDriver(platform, variant, os) {
    return this.data.drivers[platform]?.oldest[variant]?.[os];
  }

  /** The last release with wheels for a machine that newer ones no longer have: its version, platforms and method, and the lines to paste. */
  ended({ os, arch, platform }) {
    const found = this.data.ended[`${os} ${arch}`];
    return found && { ...found, check: found.checks[platform] ?? found.check };
  }

  /** Its name, and a condition or doubt about its builds. */
  card(platform, card) {
    const [name, remark, isUncertain] = this.data.cards[platform]?.[card] ?? [];
    return { name, remark, isUncertain };
  }

  #machineOf(wished, start) {
    return Object.fromEntries(this.data.machine.map((axis) => [axis, wished[axis] ?? start[axis]]));
  }

  #usualPlatform(start, machine) {
    const key = this.machine(machine);
    const usual = [start.platform, ...this.data.axes.platform.map(([id]) => id)];
    return usual.find((platform) => key in this.offers(platform)) ?? start.platform;
  }

  #admits(row, { driver, card, versions = {} }) {
    const tooOld = ([name, least]) => versions[name] && least?.startsWith(">=") && compareVersions(versions[name], least.slice(2)) < 0;
    if (row.needs.some(tooOld)) return false;
    const oldest = driver && this.oldestDriver(row.platform, row.variant, row.os);
    if (oldest && compareVersions(driver, oldest) < 0) return false;
    const [name, , , ...ranges] = (card && this.data.cards[row.platform]?.[card]) || [];
    if (!name) return true;
    for (let n = 0; n < ranges.length; n += 2) if (ranges[n] <= row.number && row.number < ranges[n + 1]) return true;
    return false;
  }

  /** Wishes about neither the machine nor the platform; `stable` wishes for what comes anyway. */
  #freeWishes(wishes, platform) {
    const own = new Set(this.values("variant", platform).map(([id]) => id));
    return wishes.filter(([axis, value]) => {
      if (!this.data.weights.includes(axis) || (axis === "build" && value === STABLE)) return false;
      return axis !== "variant" || own.has(value);
    });
  }

  /** The rows of a machine, each with one Python, in the order of preference: worked out once, as each click asks often. */
  #pointsOn(platform, machine, start) {
    const key = `${platform} ${machine}`;
    if (!this.rowsOf.has(platform)) return [];
    if (!this.points.has(key)) {
      const rows = this.rowsOf.get(platform).filter((row) => row.machine === machine);
      const points = rows.flatMap((row) => (row.pythons ?? [""]).map((python) => ({ row, python })));
      const ranked = points.map((point) => [this.#preference(start, point), point]).sort(inOrder);
      this.points.set(key, ranked.map(([, point]) => point));
    }
    return this.points.get(key);
  }

  /** The order among points: what is known to fail last, then the newest and the most usual. */
  #preference(start, { row, python }) {
    const weighed = this.data.weights.map((axis) => {
      const value = axis === "python" ? python : row[axis];
      return value === start[axis] ? -1 : this.place.get(`${axis} ${value}`) ?? 0;
    });
    const fails = row.finding(python)?.[0] === "none";
    return [fails, row.build === PREVIEW, !this.data.ready.includes(row.method), row.onRequest, ...weighed].map(Number);
  }
}

/** Versions of drivers: numbers parted by dots. */
export function compareVersions(a, b) {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (let n = 0; n < Math.max(left.length, right.length); n += 1) {
    const difference = (left[n] ?? 0) - (right[n] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function inOrder([a], [b]) {
  const n = a.findIndex((number, place) => number !== b[place]);
  return n < 0 ? 0 : a[n] - b[n];
}

/** The points with a value; those for which Python does not matter only where none is for that Python. */
function holding(points, axis, value) {
  if (axis !== "python") return points.filter(({ row }) => row[axis] === value);
  const own = points.filter(({ python }) => python === value);
  return own.length > 0 ? own : points.filter(({ python }) => python === "");
}

function places(data) {
  const lists = [...Object.entries(data.axes), ...Object.values(data.variants).map((values) => ["variant", values])];
  return new Map(lists.flatMap(([axis, values]) => values.map(([id], place) => [`${axis} ${id}`, place])));
}

function decode(data) {
  const columns = Object.entries(data.rows);
  const single = Object.keys(data.rows).filter((name) => name in data.axes);
  return data.rows.commands.map((_, place) => {
    const number = Object.fromEntries(columns.map(([name, numbers]) => [name, numbers[place]]));
    const ids = Object.fromEntries(single.map((axis) => [axis, data.axes[axis][number[axis]][0]]));
    const pythons = number.pythons < 0 ? null : data.pythons[number.pythons].map((python) => data.axes.python[python][0]);
    return {
      ...ids,
      number: place,
      variant: number.variant < 0 ? "default" : data.variants[ids.platform][number.variant][0],
      pythons,
      commands: data.commands[number.commands],
      files: data.files[number.files] ?? [],
      needs: data.needs[number.needs] ?? [],
      check: data.check[number.check] ?? null,
      note: data.note[number.note] ?? "",
      stage: data.stage[number.stage] ?? null, // [words, the day on which it ends or null]
      onRequest: number.on_request >= 0,
      finding: (python) => finding(data, number, pythons, python), // [kind, words] or null
    };
  });
}

/** What is known of a row's versions for one Python: a number each, or one for all. */
function finding(data, number, pythons, python) {
  const numbers = data.findings[number.findings];
  if (!numbers) return null;
  const place = numbers.length === 1 ? 0 : pythons.indexOf(python);
  return data.finding[numbers[place]] ?? null;
}
