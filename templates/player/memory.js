// The elements of arrays, coloured by who wrote them last, and who that was.
class Memory extends Accesses {
  array(space, target, { name, shape }, host) {
    const where = space === SHARED ? "shared memory" : "global memory";
    const title = make("h3", {}, make("code", {}, visible(name) + shape.map((each) => `[${each}]`).join("")),
      make("span", { className: "muted" }, ` in ${where}`));
    const line = make("p", { className: "details", "aria-live": "polite" });
    const grid = new Grid(`${visible(name)} in ${where}`, (row, column) => {
      const element = grid.elements?.[row]?.[column] ?? -1;
      if (element >= 0) this.tell(space, target, element);
    });
    this.grids.set(`${space} ${target}`, grid);
    this.details.set(`${space} ${target}`, { line, element: -1 });
    host.append(make("div", {}, title, grid.box, line));
  }

  cell(space, target, element, touched, small) {
    const { text, write } = this.trace.value(space, target, element, this.thread, this.step);
    const who = write < 0 ? null : this.trace.writes.thread[write];
    const by = who === null ? "" : `, written by ${this.trace.name(who)}`;
    const short = small || !text ? "" : this.short(text);
    const kinds = [...(touched.get(element) ?? []), who === null ? "" : "known", this.marked(space, target, element)];
    return {
      text: short,
      label: `${this.trace.called(space, target, element)} = ${text || "no value"}${by}`,
      kind: kinds.join(" "),
      hue: who === null ? null : this.hue(who),
    };
  }

  /** A value in a cell, in five characters where that says enough. */
  short(text) {
    const value = Number(text);
    if (!Number.isFinite(value)) return text.slice(0, 5);
    const shown = [3, 2, 1].map((digits) => decimal(value, digits));
    return shown.find((each) => each.length <= 5) ?? value.toExponential(0);
  }

  showShared() {
    this.trace.shared.forEach(({ shape }, target) => {
      const count = shape.reduce((product, each) => product * each, 1), last = shape[shape.length - 1] ?? 1;
      const columns = shape.length > 1 && last <= 2 * LANES ? last : Math.min(count, LANES);
      const rows = Math.ceil(count / columns), touched = this.touched(SHARED, target, this.step);
      const grid = this.grids.get(`${SHARED} ${target}`);
      // Of a long one, the rows around what was touched last.
      const shown = rows > ROWS ? SOME : rows;
      const first = touched.size ? Math.floor(Math.min(...touched.keys()) / columns) : 0;
      if (touched.size && (first < grid.top || first >= grid.top + shown - 1)) grid.top = first - 2;
      grid.top = Math.max(0, Math.min(grid.top ?? 0, rows - shown));
      this.fill(grid, SHARED, target, touched, Array.from({ length: shown }, (_, row) =>
        Array.from({ length: columns }, (_, column) => {
          const element = (grid.top + row) * columns + column;
          return element < count ? element : -1;
        })), columns > LANES / 2, columns);
    });
  }

  /** The element of an array that is accessed first, by the chosen thread if it does. */
  first(target) {
    const { reads, writes } = this.trace;
    const found = [];
    for (const accesses of [reads, writes]) {
      const at = accesses.space.findIndex((space, each) => space === GLOBAL && accesses.target[each] === target &&
        accesses.thread[each] === this.thread);
      if (at >= 0) found.push(this.trace.access(accesses, at));
    }
    return found[0]?.element ?? Number(Object.keys(this.trace.arrays[target].elements)[0] ?? 0);
  }

  /** Around the element of the chosen thread's last access, else of the mark. */
  showGlobal({ name, shape }, target) {
    const { trace, step, thread } = this, grid = this.grids.get(`${GLOBAL} ${target}`);
    const touched = this.touched(GLOBAL, target, step);
    const like = (kind) => [...touched].find(([, kinds]) => kinds.has(kind))?.[0];
    const near = like("own") ?? like("fault") ?? [...touched.keys()][0] ?? grid.near
      ?? trace.marks.find((each) => each.array === name && each.index >= 0)?.index ?? this.first(target);
    grid.near = near;
    const wide = shape.length > 1 ? shape[shape.length - 1] : 0;
    const count = shape.reduce((product, each) => product * each, 1);
    // An access outside of the array is shown where it would be.
    const end = Math.max(count, near + 1), across = wide || end, down = Math.ceil(end / across);
    const row = Math.floor(near / across), columns = Math.min(across, 17), rows = Math.min(down, 5);
    const left = near < 0 ? near : Math.max(0, Math.min(near - row * across - 8, across - columns));
    const top = near < 0 ? 0 : Math.max(0, Math.min(row - 2, down - rows));
    this.fill(grid, GLOBAL, target, touched, Array.from({ length: rows }, (_, r) =>
      Array.from({ length: columns }, (_, c) => (top + r) * across + left + c)), false, wide, count);
  }

  fill(grid, space, target, touched, elements, small, columns, count = Infinity) {
    grid.elements = elements;
    grid.size(elements.length, elements[0].length);
    grid.table.classList.toggle("small", small);
    elements.forEach((row, r) => {
      grid.names[r].textContent = columns ? Math.floor(row[0] / columns) : row[0];
      row.forEach((element, c) => {
        const inside = element >= 0 && element < count;
        if (inside || touched.has(element)) {
          const cell = this.cell(space, target, element, touched, small);
          if (!inside) cell.label += ": outside of the array";
          return grid.set(r, c, inside ? cell : { ...cell, kind: `${cell.kind} outside` });
        }
        return grid.set(r, c, { label: "outside of the array", kind: "none" });
      });
    });
  }

  /** The details line of an element: its value, who wrote it, and the way there. */
  tell(space, target, element) {
    const { trace, step, thread } = this, detail = this.details.get(`${space} ${target}`);
    detail.element = element;
    const { text, write } = trace.value(space, target, element, thread, step);
    const name = trace.called(space, target, element), expected = trace.arrays[target]?.expected[element];
    const parts = [make("code", {}, `${name} = ${text || "no value"}`)];
    if (space === GLOBAL && expected !== undefined) parts.push(`, expected ${decimal(Number(expected), 8)}`);
    const all = trace.places.get(trace.key(space, target, element, thread)) ?? [], { writes } = trace;
    if (write >= 0) {
      const at = writes.step[write], who = writes.thread[write];
      parts.push(`, written by ${trace.name(who)} in ${trace.where(at)}. `,
        this.link(at, who, `Who wrote this? Go to step ${at + 1}`));
    } else {
      parts.push(space === SHARED ? ": nobody has written it yet." : ": as it was before the kernel.");
    }
    const others = all.filter((each) => each !== write);
    if (others.length) parts.push(" Its other writes: ");
    for (const each of others.slice(0, WRITES)) parts.push(this.link(writes.step[each], writes.thread[each]), " ");
    if (others.length > WRITES) parts.push(`and ${others.length - WRITES} more.`);
    detail.line.replaceChildren(...parts);
  }
}
