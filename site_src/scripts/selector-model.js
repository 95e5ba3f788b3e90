// Finds the install commands that fit a reader's wishes, as src/accelerator_portal/install/resolution.py does.
// Tests compare the two. A wish is [axis, value]. A choice has a value for each axis, and a row has the commands for it.

const PREVIEW = "preview";
const STABLE = "stable";

export class Model {
  constructor(data) {
    this.data = data;
    this.axes = data.order; // in the order of URL parameters
    this.positions = positionsOfValues(data);
    this.rowsOf = new Map();
    this.candidatesOf = new Map();
    this.removedBy = new Map();
    if ("rows" in data) this.add(data.axes.platform[0][0], data); // the data of a platform's page includes its rows
  }

  /** Add the rows of a platform from its own data. The ranges of its cards refer to the numbers of these rows. */
  add(platform, data) {
    this.rowsOf.set(platform, data.rows.map((row, number) => modelRow(row, number, this.machine(row))));
    this.data.cards[platform] = data.cards[platform] ?? {};
    this.removedBy.set(platform, data.removed ?? {});
  }

  hasRows(platform) {
    return this.rowsOf.has(platform);
  }

  values(axis, platform) {
    return this.data.axes[axis] ?? this.data.variants[platform] ?? [];
  }

  /** Whether an axis has a value, on any platform. */
  knows(axis, value) {
    const valueLists = axis in this.data.axes ? [this.data.axes[axis]] : Object.values(this.data.variants);
    return valueLists.some((values) => values.some(([id]) => id === value));
  }

  label(axis, value, platform) {
    return this.values(axis, platform).find(([id]) => id === value)?.[1] ?? "";
  }

  /** The default choice for an operating system. */
  start(os) {
    return this.data.starts.find((start) => start.os === os) ?? this.data.starts[0];
  }

  /** The machine of a choice as a key of `offers`: "linux x86_64". */
  machine(choice) {
    return this.data.machine.map((axis) => choice[axis]).join(" ");
  }

  /** The default build of a platform, by machine. */
  offers(platform) {
    return this.data.offers[platform] ?? {};
  }

  /**
   * Find the row that fits the wishes. `wishes` is a list of [axis, value], the oldest first; newer wishes win. `limits` has
   * the reader's `driver` and `card`, and `versions` of other requirements by name. Returns the choice, its row, the unmet
   * wishes, and whether the limits exclude any row. If no row fits, `row` is null and `choice` has only machine and platform.
   */
  resolve(wishes, limits = {}) {
    const wishByAxis = Object.fromEntries(wishes);
    const start = this.start(wishByAxis.os);
    const machine = this.#machineOf(wishByAxis, start);
    const platform = this.platform(wishes);
    const machineCandidates = this.#candidatesOn(platform, this.machine(machine), start);
    let candidates = Object.values(limits).some(Boolean) ? machineCandidates.filter(({ row }) => this.#admits(row, limits)) : machineCandidates;
    const isLimited = candidates.length < machineCandidates.length;
    if (candidates.length === 0) return { choice: { ...machine, platform }, row: null, unmet: [], limited: isLimited };
    const unmet = [];
    for (const [axis, value] of this.#freeWishes(wishes, platform).reverse()) {
      const matching = candidatesWith(candidates, axis, value);
      if (matching.length > 0) candidates = matching;
      else unmet.unshift([axis, value]);
    }
    const [{ row, python }] = candidates;
    const choice = Object.fromEntries(this.axes.map((axis) => [axis, row[axis]]));
    choice.python = python || wishByAxis.python || start.python;
    return { choice, row, unmet, limited: isLimited };
  }

  /** The platform of the wishes, or the default one for their machine. */
  platform(wishes) {
    const wishByAxis = Object.fromEntries(wishes);
    const start = this.start(wishByAxis.os);
    return wishByAxis.platform ?? this.#usualPlatform(start, this.#machineOf(wishByAxis, start));
  }

  /** The set of values of an axis that the platform of a choice has on its machine. */
  available(axis, choice) {
    const machine = this.machine(choice);
    const rows = (this.rowsOf.get(choice.platform) ?? []).filter((row) => row.machine === machine);
    return new Set(rows.flatMap((row) => (axis === "python" ? row.pythons ?? [] : [row[axis]])));
  }

  /** The oldest driver version that a variant runs with; undefined if no source states it. */
  oldestDriver(platform, variant, os) {
    return this.data.drivers[platform]?.oldest[variant]?.[os];
  }

  /** The last release for a machine without wheels of newer releases: version, platforms, method and commands; undefined for other machines. */
  ended({ os, arch, platform }) {
    const release = this.data.ended[`${os} ${arch}`];
    return release && { ...release, check: release.checks[platform] ?? release.check };
  }

  /** A sentence about what the release of a choice no longer supports; undefined if no source states it. */
  removed({ platform, build }) {
    return this.removedBy.get(platform)?.[build];
  }

  /** The name of a card, a remark about its builds, and whether no source confirms them. */
  card(platform, card) {
    const [name, remark, isUncertain] = this.data.cards[platform]?.[card] ?? [];
    return { name, remark, isUncertain };
  }

  #machineOf(wishByAxis, start) {
    return Object.fromEntries(this.data.machine.map((axis) => [axis, wishByAxis[axis] ?? start[axis]]));
  }

  #usualPlatform(start, machine) {
    const key = this.machine(machine);
    const platforms = [start.platform, ...this.data.axes.platform.map(([id]) => id)];
    return platforms.find((platform) => key in this.offers(platform)) ?? start.platform;
  }

  #admits(row, { driver, card, versions = {} }) {
    const isTooOld = ({ name, version }) => versions[name] && version?.startsWith(">=") && compareVersions(versions[name], version.slice(2)) < 0;
    if (row.prerequisites.some(isTooOld)) return false;
    const oldestDriver = driver && this.oldestDriver(row.platform, row.variant, row.os);
    if (oldestDriver && compareVersions(driver, oldestDriver) < 0) return false;
    const [name, , , ...ranges] = (card && this.data.cards[row.platform]?.[card]) || [];
    if (!name) return true;
    for (let index = 0; index < ranges.length; index += 2) if (ranges[index] <= row.number && row.number < ranges[index + 1]) return true;
    return false;
  }

  /** The wishes about neither the machine nor the platform, without `stable`, which is the default. */
  #freeWishes(wishes, platform) {
    const variants = new Set(this.values("variant", platform).map(([id]) => id));
    return wishes.filter(([axis, value]) => {
      if (!this.data.weights.includes(axis) || (axis === "build" && value === STABLE)) return false;
      return axis !== "variant" || variants.has(value);
    });
  }

  /** All pairs of a row and one of its Python versions for a machine, the preferred ones first. Cached, as each click needs them often. */
  #candidatesOn(platform, machine, start) {
    const key = `${platform} ${machine}`;
    if (!this.rowsOf.has(platform)) return [];
    if (!this.candidatesOf.has(key)) {
      const rows = this.rowsOf.get(platform).filter((row) => row.machine === machine);
      const candidates = rows.flatMap((row) => (row.pythons ?? [""]).map((python) => ({ row, python })));
      const ranked = candidates.map((candidate) => [this.#preference(start, candidate), candidate]).sort(compareRanks);
      this.candidatesOf.set(key, ranked.map(([, candidate]) => candidate));
    }
    return this.candidatesOf.get(key);
  }

  /** The rank of a candidate, a list of numbers; lower ones come first. Rows that are known to fail are last. */
  #preference(start, { row, python }) {
    const axisRanks = this.data.weights.map((axis) => {
      const value = axis === "python" ? python : row[axis];
      return value === start[axis] ? -1 : this.positions.get(`${axis} ${value}`) ?? 0;
    });
    const isKnownToFail = row.finding(python)?.kind === "none";
    return [isKnownToFail, row.build === PREVIEW, !this.data.ready.includes(row.method), row.on_request, ...axisRanks].map(Number);
  }
}

/** Compare two versions by their numbers; other parts count as 0. Returns a negative number if the first one is older, 0 if equal. */
export function compareVersions(first, second) {
  const [left, right] = [first, second].map((version) => version.split(".").map(Number));
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const difference = (left[index] || 0) - (right[index] || 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function compareRanks([first], [second]) {
  const position = first.findIndex((number, index) => number !== second[index]);
  return position < 0 ? 0 : first[position] - second[position];
}

/** The candidates that have a value; if none has that Python version, those of commands that do not depend on it. */
function candidatesWith(candidates, axis, value) {
  if (axis !== "python") return candidates.filter(({ row }) => row[axis] === value);
  const withSamePython = candidates.filter(({ python }) => python === value);
  return withSamePython.length > 0 ? withSamePython : candidates.filter(({ python }) => python === "");
}

function positionsOfValues(data) {
  const valueLists = [...Object.entries(data.axes), ...Object.values(data.variants).map((values) => ["variant", values])];
  return new Map(valueLists.flatMap(([axis, values]) => values.map(([id], index) => [`${axis} ${id}`, index])));
}

/** A row of the data with every field; the data leaves out those with their default. */
function modelRow(row, number, machine) {
  const { pythons = null, findings = [] } = row;
  return {
    prerequisites: [],
    files: [],
    note: "",
    on_request: false,
    ...row,
    number,
    machine,
    pythons,
    commands: row.commands.join("\n"),
    /** The result of the check of the row's versions for one Python version. A row has one result for all, or one for each. */
    finding: (python) => findings[findings.length === 1 ? 0 : pythons?.indexOf(python)] ?? null,
  };
}
