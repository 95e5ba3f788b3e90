// The rows of the install selector and the nearest valid choice, as src/accelerator_portal/install/selector.py has them;
// tests compare the two.

export const AXES = ["build", "os", "arch", "python", "method", "platform", "variant"];
const PRESERVED = ["platform", "os", "arch", "method", "python", "build", "variant"];
const PREVIEW = "preview";

export class Model {
  constructor(data) {
    this.axes = data.axes; // axis -> [[id, label, detail?], …]
    this.variants = data.variants; // platform -> the same
    this.starts = data.starts;
    this.environments = data.environments;
    this.rows = decode(data);
    this.rank = ranks(data);
    this.rowsWith = new Map(); // "axis value" -> rows
    this.byChoice = new Map(); // a choice without its Python -> row
    for (const row of this.rows) this.#index(row);
  }

  #index(row) {
    for (const axis of AXES) {
      const values = axis !== "python" ? [row[axis]] : row.pythons ?? this.axes.python.map(([id]) => id);
      for (const value of values) {
        const key = `${axis} ${value}`;
        if (!this.rowsWith.has(key)) this.rowsWith.set(key, []);
        this.rowsWith.get(key).push(row);
      }
    }
    const key = choiceKey(row);
    if (!this.byChoice.has(key)) this.byChoice.set(key, []);
    this.byChoice.get(key).push(row);
  }

  values(axis, platform) {
    return axis === "variant" ? this.variants[platform] ?? [] : this.axes[axis];
  }

  value(axis, choice) {
    return this.values(axis, choice.platform).find(([id]) => id === choice[axis]) ?? ["", ""];
  }

  label(axis, choice) {
    return this.value(axis, choice)[1];
  }

  /** The row that a choice leads to, if there is one. */
  row(choice) {
    return this.byChoice.get(choiceKey(choice))?.find((row) => row.pythons === null || row.pythons.includes(choice.python));
  }

  /** The valid choice that changes the fewest axes, the pinned ones least of all. */
  nearest(choice, pinned) {
    const [axis] = pinned;
    const some = pinned.length === 1 && this.rowsWith.get(`${axis} ${choice[axis]}`);
    let best = null;
    let bestCost = null;
    for (const row of some || this.rows) {
      const other = this.#choice(row, choice);
      const cost = this.#cost(choice, other, pinned);
      if (bestCost === null || less(cost, bestCost)) [best, bestCost] = [other, cost];
    }
    return best;
  }

  /** The axes that differ; a variant counts only while the platform stays. */
  moved(choice, other) {
    const axes = AXES.filter((axis) => choice[axis] !== other[axis]);
    return axes.filter((axis) => axis !== "variant" || !axes.includes("platform"));
  }

  /** The axes that stand against taking a value; none where it is possible. */
  blockedBy(choice, axis, value) {
    const wanted = { ...choice, [axis]: value };
    if (this.row(wanted)) return [];
    const moved = this.moved(wanted, this.nearest(wanted, [axis]));
    return moved.filter((other) => !(axis === "platform" && other === "variant"));
  }

  #choice(row, choice) {
    const keeps = row.pythons === null || row.pythons.includes(choice.python);
    const { build, os, arch, method, platform, variant } = row;
    return { build, os, arch, python: keeps ? choice.python : row.firstPython, method, platform, variant };
  }

  #cost(choice, other, pinned) {
    const changed = PRESERVED.map((axis) => Number(choice[axis] !== other[axis]));
    const sum = changed.reduce((a, b) => a + b, 0);
    const broken = pinned.filter((axis) => choice[axis] !== other[axis]).length;
    const [build, ...rank] = ["build", ...PRESERVED].map((axis) => this.rank[axis].get(other[axis]) ?? 0);
    const unusual = Number(this.starts.every((start) => start.os !== other.os || start.platform !== other.platform));
    return [broken, sum, ...changed, build, unusual, ...rank];
  }
}

function choiceKey(choice) {
  return [choice.platform, choice.variant, choice.build, choice.os, choice.arch, choice.method].join(" ");
}

function less(a, b) {
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return a[i] < b[i];
  return false;
}

function ranks(data) {
  const rank = {};
  for (const [axis, values] of Object.entries(data.axes)) rank[axis] = new Map(values.map(([id], place) => [id, place]));
  rank.build.set(PREVIEW, rank.build.size); // shown second, preferred last
  rank.variant = new Map(Object.values(data.variants).flatMap((values) => values.map(([id], place) => [id, place])));
  return rank;
}

function decode(data) {
  const width = data.columns.length;
  const rows = [];
  for (let start = 0; start < data.rows.length; start += width) {
    const number = Object.fromEntries(data.columns.map((name, place) => [name, data.rows[start + place]]));
    const id = (axis) => data.axes[axis][number[axis]][0];
    const platform = id("platform");
    const pythons = number.pythons < 0 ? null : data.pythons[number.pythons].map((place) => data.axes.python[place][0]);
    const first = pythons && Math.min(...data.pythons[number.pythons]);
    rows.push({
      platform,
      variant: number.variant < 0 ? "default" : data.variants[platform][number.variant][0],
      build: id("build"),
      os: id("os"),
      arch: id("arch"),
      method: id("method"),
      pythons,
      firstPython: pythons && data.axes.python[first][0],
      commands: data.commands[number.commands],
      needs: data.needs[number.needs] ?? [],
      check: data.check[number.check] ?? null,
      note: data.note[number.note] ?? "",
      stage: data.stage[number.stage] ?? null, // [words, the day on which it ends or null]
      finding: (python) => finding(data, number, pythons, python), // [kind, words] or null
    });
  }
  return rows;
}

/** What is known of a row's versions for one Python: a number each, or one for all. */
function finding(data, number, pythons, python) {
  const numbers = data.findings[number.findings];
  if (!numbers) return null;
  const place = numbers.length === 1 ? 0 : pythons.indexOf(python);
  return data.finding[numbers[place]] ?? null;
}
