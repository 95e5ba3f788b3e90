// The rows of the install selector and the nearest valid choice, as src/accelerator_portal/install/selector.py has them;
// tests compare the two. Which axes there are, and their orders, come with the data and the form.

const PREVIEW = "preview";

export class Model {
  /** `ranked` are the axes in the order of the page, which is the order in which they are kept. */
  constructor(data, ranked) {
    this.axes = Object.keys(data.starts[0]); // in the order of addresses
    this.ranked = ranked;
    this.sentence = data.columns.filter((name) => this.axes.includes(name)); // in the order of a sentence
    this.shared = data.axes; // axis -> [[id, label, detail?], …]
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
    for (const axis of this.axes) {
      const values = axis !== "python" ? [row[axis]] : row.pythons ?? this.shared.python.map(([id]) => id);
      for (const value of values) {
        const key = `${axis} ${value}`;
        if (!this.rowsWith.has(key)) this.rowsWith.set(key, []);
        this.rowsWith.get(key).push(row);
      }
    }
    const key = this.#key(row);
    if (!this.byChoice.has(key)) this.byChoice.set(key, []);
    this.byChoice.get(key).push(row);
  }

  values(axis, platform) {
    return this.shared[axis] ?? this.variants[platform] ?? [];
  }

  /** Whether a value stands on an axis, of whatever platform. */
  knows(axis, value) {
    const lists = axis in this.shared ? [this.shared[axis]] : Object.values(this.variants);
    return lists.some((values) => values.some(([id]) => id === value));
  }

  value(axis, choice) {
    return this.values(axis, choice.platform).find(([id]) => id === choice[axis]) ?? ["", ""];
  }

  label(axis, choice) {
    return this.value(axis, choice)[1];
  }

  /** The row that a choice leads to, if there is one. */
  row(choice) {
    return this.byChoice.get(this.#key(choice))?.find((row) => row.pythons === null || row.pythons.includes(choice.python));
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
    const axes = this.axes.filter((axis) => choice[axis] !== other[axis]);
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
    const other = {};
    for (const axis of this.axes) other[axis] = row[axis];
    other.python = keeps ? choice.python : row.firstPython;
    return other;
  }

  #cost(choice, other, pinned) {
    const changed = this.ranked.map((axis) => Number(choice[axis] !== other[axis]));
    const sum = changed.reduce((a, b) => a + b, 0);
    const broken = pinned.filter((axis) => choice[axis] !== other[axis]).length;
    const [build, ...rank] = ["build", ...this.ranked].map((axis) => this.rank[axis].get(other[axis]) ?? 0);
    const unusual = Number(this.starts.every((start) => start.os !== other.os || start.platform !== other.platform));
    return [broken, sum, ...changed, build, unusual, ...rank];
  }

  /** A choice, or a row, without its Python. */
  #key(choice) {
    return this.sentence.map((axis) => choice[axis]).join(" ");
  }
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
  const single = data.columns.filter((name) => name in data.axes);
  const rows = [];
  for (let start = 0; start < data.rows.length; start += width) {
    const number = Object.fromEntries(data.columns.map((name, place) => [name, data.rows[start + place]]));
    const ids = Object.fromEntries(single.map((axis) => [axis, data.axes[axis][number[axis]][0]]));
    const pythons = number.pythons < 0 ? null : data.pythons[number.pythons].map((place) => data.axes.python[place][0]);
    const first = pythons && Math.min(...data.pythons[number.pythons]);
    rows.push({
      ...ids,
      variant: number.variant < 0 ? "default" : data.variants[ids.platform][number.variant][0],
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
