// Plays a recorded block: the report's "Watch it fail", and the accesses of a warp in an explanation. The page holds the
// trace; nothing is asked of any server. `Trace` searches, `Grid` and `Player` show. A step is shown as done: the values
// are those after it.
(() => {
  const LANES = 32, SECTOR = 32, BANKS = 32;
  const VARIABLE = 0, SHARED = 1, GLOBAL = 2;
  const ARRIVE = 0, RELEASE = 1;
  const WIDEST = 16, ROWS = 33, SOME = 16, READS = 24, AROUND = 2, WRITES = 8, SECTORS = 40, REQUESTS = 4;
  const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

  const visible = (text) =>
    text.replace(UNSEEN, (sign) => `‹U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);
  // A name of the kernel's stays as it is written.
  const sentence = (text) => visible(text).replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase()).replace(/[^.]$/, "$&.");
  const several = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
  const triple = ([x, y, z]) => (z ? `(${x}, ${y}, ${z})` : `(${x}, ${y})`);
  /** The first place in a sorted column whose entry is at least `value`. */
  const lower = (column, value, at = (i) => column[i]) => {
    let low = 0, high = column.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at(middle) < value) low = middle + 1; else high = middle;
    }
    return low;
  };
  const make = (tag, values = {}, ...inside) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(values)) {
      if (name in made && !name.startsWith("aria")) made[name] = value; else made.setAttribute(name, value);
    }
    made.append(...inside);
    return made;
  };
  const half = (bits) => {
    const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
  };
  const decimal = (value, digits) => (Number.isFinite(value) ? `${Number(value.toPrecision(digits))}` : `${value}`);

  /** Text of a number: `bytes` are those of a scalar or a pointer. */
  const scalar = ({ kind, size, encoding }, bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, size);
    if (encoding === "bfloat16") {
      return decimal(new DataView(Uint8Array.of(bytes[1], bytes[0], 0, 0).buffer).getFloat32(0), 4);
    }
    if (encoding === "float" && size === 2) return decimal(half(view.getUint16(0, true)), 5);
    if (encoding === "float" && size === 4) return decimal(view.getFloat32(0, true), 8);
    if (encoding === "float" && size === 8) return decimal(view.getFloat64(0, true), 16);
    const bits = bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n);
    if (kind === "pointer") return `0x${bits.toString(16)}`;
    if (encoding === "bool") return `${bits !== 0n}`;
    return `${encoding === "signed" || encoding === "char" ? BigInt.asIntN(8 * size, bits) : bits}`;
  };

  class Trace {
    constructor(data) {
      Object.assign(this, data);
      this.count = this.steps.warp.length;
      const [x, y, z] = this.block_dim;
      this.threads = x * y * z;
      this.stride = Math.ceil(this.threads / LANES) * LANES;
      this.places = new Map();
      const { space, target, thread, offset, size, call } = this.writes;
      for (let at = 0; at < space.length; at++) {
        const unit = this.unit(space[at], target[at]);
        const last = Math.floor((offset[at] + size[at] - 1) / unit);
        for (let element = Math.floor(offset[at] / unit); element <= last; element++) {
          const key = this.key(space[at], target[at], element, thread[at], call[at]);
          if (!this.places.has(key)) this.places.set(key, []);
          this.places.get(key).push(at);
        }
      }
      this.releases = [...new Set(this.waits.step.filter((_, at) => this.waits.kind[at] === RELEASE))];
    }

    type(space, target) {
      return this.types[[this.variables, this.shared, this.arrays][space][target].type];
    }

    /** Bytes of an element; a variable is one. */
    unit(space, target) {
      return Math.max(1, this.type(space, target).size);
    }

    /** A variable belongs to its thread and the step that called its function, shared memory to its block. */
    key(space, target, element, thread, call = -1) {
      const owner = space === VARIABLE ? `${thread} ${call}` : space === SHARED ? this.blockOf(thread) : 0;
      return `${space} ${target} ${element} ${owner}`;
    }

    blockOf(thread) {
      return Math.floor(thread / this.stride);
    }

    all() {
      return this.blocks.flatMap((_, block) => Array.from({ length: this.threads }, (_, at) => block * this.stride + at));
    }

    name(thread) {
      const [x, y] = this.block_dim, at = thread % this.stride;
      const index = triple([at % x, Math.floor(at / x) % y, Math.floor(at / (x * y))]);
      return `thread ${index}${this.blocks.length > 1 ? ` of block ${triple(this.blocks[this.blockOf(thread)])}` : ""}`;
    }

    has(step, thread) {
      return this.steps.warp[step] === Math.floor(thread / LANES) && this.steps.mask[step] / 2 ** (thread % LANES) & 1;
    }

    lanes(step) {
      const first = this.steps.warp[step] * LANES;
      return Array.from({ length: LANES }, (_, lane) => first + lane).filter((thread) => this.has(step, thread));
    }

    /** The next step of a thread in a direction; -1 if there is none. */
    beside(step, thread, way) {
      for (let at = step + way; at >= 0 && at < this.count; at += way) if (this.has(at, thread)) return at;
      return -1;
    }

    /** A thread's step at or before this one; -1 if it has none yet. */
    stand(step, thread) {
      return this.has(step, thread) ? step : this.beside(step, thread, -1);
    }

    line(step) {
      const lines = this.files[this.steps.file[step]]?.lines;
      return visible(lines?.[this.steps.line[step] - 1] ?? "").trim();
    }

    where(step) {
      return this.steps.line[step] ? `line ${this.steps.line[step]}` : "code without a line";
    }

    /** By warp, the lanes that wait and those that are gone once a step is done. */
    waiting(step) {
      const found = new Map();
      const { warp, mask, kind } = this.waits;
      const end = lower(this.waits.step, step + 1);
      for (let at = 0; at < end; at++) {
        const lanes = found.get(warp[at]) ?? Array(LANES).fill("");
        for (let lane = 0; lane < LANES; lane++) {
          if (mask[at] / 2 ** lane & 1) lanes[lane] = kind[at] === ARRIVE ? "wait" : kind[at] === RELEASE ? "" : "gone";
        }
        found.set(warp[at], lanes);
      }
      return found;
    }

    /** The bytes of an element once a step is done; its bytes that are known, and its last write (-1 for none). */
    image(space, target, element, thread, step, call) {
      const unit = this.unit(space, target);
      const bytes = new Uint8Array(unit), known = new Uint8Array(unit);
      const list = this.places.get(this.key(space, target, element, thread, call)) ?? [];
      const { offset, size, value } = this.writes;
      const put = (hex, from, count) => {
        const digits = hex.padStart(2 * count, "0");
        for (let i = Math.max(0, -from); i < count && from + i < unit; i++) {
          if (known[from + i]) continue;
          known[from + i] = 1;
          bytes[from + i] = parseInt(digits.slice(-2 * i - 2, digits.length - 2 * i), 16);
        }
      };
      let at = lower(list, step + 1, (i) => this.writes.step[list[i]]) - 1;
      const write = at >= 0 ? list[at] : -1;
      for (; at >= 0 && known.includes(0); at--) {
        put(value[list[at]], offset[list[at]] - element * unit, size[list[at]]);
      }
      const before = [this.variables[target]?.initial, null, this.arrays[target]?.elements[element]][space];
      if (before !== null && before !== undefined) put(before, 0, unit);
      return { bytes, known, write };
    }

    /** Text of a value; "" if it has none yet. */
    text(index, bytes, known, at = 0) {
      const type = this.types[index];
      if (type.kind === "array") {
        const step = this.types[type.element].size;
        const shown = Array.from({ length: Math.min(type.count, 16) }, (_, i) =>
          this.text(type.element, bytes, known, at + i * step) || "–");
        return `[${shown.join(", ")}${type.count > 16 ? ", …" : ""}]`;
      }
      if (type.members.length) {
        const shown = type.members.map(({ name, type: kind, offset }) =>
          `${name} = ${this.text(kind, bytes, known, at + offset) || "–"}`);
        return `{${shown.join(", ")}}`;
      }
      if (!type.size || known.subarray(at, at + type.size).includes(0)) return "";
      return scalar(type, bytes.slice(at, at + type.size));
    }

    value(space, target, element, thread, step, call) {
      const image = this.image(space, target, element, thread, step, call);
      const index = [this.variables, this.shared, this.arrays][space][target].type;
      return { text: this.text(index, image.bytes, image.known), write: image.write };
    }

    /** The accesses of a step in `reads` or `writes`, as numbers of its columns. */
    during(accesses, step) {
      const first = lower(accesses.step, step), end = lower(accesses.step, step + 1);
      return Array.from({ length: end - first }, (_, i) => first + i);
    }

    /** Number and element of an access: what it is called in the source. */
    called(space, target, element) {
      if (space === VARIABLE) return visible(this.variables[target].name);
      const { name, shape } = (space === SHARED ? this.shared : this.arrays)[target];
      const index = [];
      let rest = element;
      for (const extent of [...shape].slice(1).reverse()) {
        index.unshift(rest % extent);
        rest = Math.floor(rest / extent);
      }
      return visible(name) + [rest, ...index].map((each) => `[${each}]`).join("");
    }

    access(accesses, at) {
      const space = accesses.space[at], target = accesses.target[at], unit = this.unit(space, target);
      const element = Math.floor(accesses.offset[at] / unit);
      const type = this.type(space, target), size = accesses.size[at];
      const digits = accesses.value[at].padStart(2 * size, "0");
      const bytes = Uint8Array.from({ length: size }, (_, i) =>
        parseInt(digits.slice(-2 * i - 2, digits.length - 2 * i), 16));
      const whole = size === type.size && ["scalar", "pointer"].includes(type.kind);
      const value = whole ? scalar(type, bytes) : `0x${accesses.value[at]}`;
      const name = space === VARIABLE ? visible(this.variables[target].name) : this.called(space, target, element);
      return { at, step: accesses.step[at], thread: accesses.thread[at], space, target, element, name, value };
    }

    /** Variables in scope where a thread stands: inner ones hide outer ones of the same name. */
    scope(step) {
      const found = new Map();
      if (step < 0) return [];
      const line = this.steps.line[step], length = ({ first, last }) => last - first;
      this.variables.forEach((each, number) => {
        if (each.function !== this.steps.function[step] || line < each.first || line > each.last) return;
        const known = found.get(each.name);
        if (known === undefined || length(each) < length(this.variables[known])) found.set(each.name, number);
      });
      return [...found.values()].filter((number) => this.variables[number].storage !== "shared");
    }
  }

  /** A grid of cells that are built once; arrow keys move in it, and one cell of it is a tab stop. */
  class Grid {
    constructor(label, pick) {
      this.pick = pick;
      this.table = make("div", { className: "cells", role: "grid", "aria-label": label });
      this.box = make("div", { className: "wide" }, this.table);
      this.cells = [];
      this.at = [0, 0];
      this.table.addEventListener("keydown", (event) => this.key(event));
      for (const kind of ["click", "focusin", "pointerover"]) {
        this.table.addEventListener(kind, (event) => {
          const cell = event.target.closest("[role=gridcell]");
          if (!cell) return;
          if (kind !== "pointerover") this.stop(...cell.place);
          this.pick(...cell.place, kind);
        });
      }
    }

    size(rows, columns) {
      if (this.cells.length === rows && this.cells[0]?.length === columns) return;
      this.cells = Array.from({ length: rows }, (_, row) => Array.from({ length: columns }, (_, column) => {
        const cell = make("span", { role: "gridcell", tabIndex: -1 });
        cell.place = [row, column];
        return cell;
      }));
      this.names = this.cells.map(() => make("span", { role: "rowheader" }));
      const rowsMade = this.cells.map((row, at) => make("div", { role: "row" }, this.names[at], ...row));
      this.table.replaceChildren(...rowsMade);
      this.stop(Math.min(this.at[0], rows - 1), Math.min(this.at[1], columns - 1));
    }

    stop(row, column) {
      if (this.cells[this.at[0]]?.[this.at[1]]) this.cells[this.at[0]][this.at[1]].tabIndex = -1;
      this.at = [row, column];
      this.cells[row][column].tabIndex = 0;
    }

    set(row, column, { text = "", label, kind = "", hue = null, selected = false }) {
      const cell = this.cells[row][column];
      if (cell.textContent !== text) cell.textContent = text;
      if (cell.title !== label) {
        cell.title = label;
        cell.setAttribute("aria-label", label);
      }
      cell.className = kind;
      cell.setAttribute("aria-selected", selected);
      if (hue === null) cell.style.removeProperty("--hue"); else cell.style.setProperty("--hue", hue);
    }

    key(event) {
      const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      this.cells[this.at[0] + move[0]]?.[this.at[1] + move[1]]?.focus();
    }
  }

  class Player {
    constructor(section, trace) {
      this.section = section;
      this.trace = trace;
      this.one = (name) => section.querySelector(name);
      this.step = 0;
      const mark = trace.marks.find((each) => each.step >= 0) ?? trace.marks.find((each) => each.thread >= 0);
      this.thread = mark && mark.thread >= 0 ? mark.thread : trace.lanes(0)[0];
      this.grids = new Map();
      this.details = new Map();
      this.build();
      const first = this.explains() ? this.next(-1, (at) => this.touches(at)) : mark?.step ?? -1;
      if (!this.restore()) this.go(first >= 0 ? first : trace.count - 1);
    }

    explains() {
      return this.section.dataset.view === "accesses";
    }

    build() {
      const { trace, one } = this;
      for (const button of this.section.querySelectorAll("[data-go]")) {
        button.addEventListener("click", () => this.act(button.dataset.go));
      }
      this.slider = one(".slider");
      this.slider.max = trace.count;
      this.slider.addEventListener("input", () => this.go(this.slider.value - 1));
      this.chosen = one(".chosen");
      const warps = (trace.stride / LANES) * trace.blocks.length;
      // An explanation's trace has one warp.
      this.warps = this.explains() ? [...new Set(trace.steps.warp)] : Array.from({ length: warps }, (_, warp) => warp);
      const threads = trace.all().filter((each) => this.warps.includes(Math.floor(each / LANES)));
      this.chosen.append(...threads.map((each) => make("option", { value: each }, trace.name(each).slice(7))));
      this.chosen.addEventListener("change", () => this.choose(Number(this.chosen.value)));
      this.lanes = new Grid("Threads, a row for each warp", (row, lane, kind) => {
        const thread = this.warps[row] * LANES + lane;
        if (kind === "click" && thread % trace.stride < trace.threads) this.choose(thread);
      });
      this.lanes.table.classList.add("strip");
      one(".lanes").append(this.lanes.box);
      this.lanes.table.addEventListener("keydown", (event) => {
        if (event.key === "Enter" || event.key === " ") event.target.click();
      });
      this.lanes.size(this.warps.length, LANES);
      this.lanes.names.forEach((name, row) => { name.textContent = this.warps[row]; name.title = `warp ${this.warps[row]}`; });
      for (const [space, list, host] of [[SHARED, trace.shared, ".shared"], [GLOBAL, trace.arrays, ".global"]]) {
        list.forEach((each, target) => this.array(space, target, each, one(host)));
      }
      this.section.addEventListener("keydown", (event) => this.key(event));
      addEventListener("hashchange", () => this.restore());
    }

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

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("select")) return;
      if (event.target === this.slider && /^(Arrow|Home|End|Page)/.test(event.key)) return;
      const pressed = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      for (const button of this.section.querySelectorAll("[data-go]")) {
        if (button.getAttribute("aria-keyshortcuts") !== pressed) continue;
        event.preventDefault();
        this.act(button.dataset.go);
      }
      if (pressed === "o") {
        const cell = document.activeElement.closest("[role=gridcell]");
        (cell ?? this.section).closest(".memory > div")?.querySelector(".details button")?.click();
      }
    }

    act(name) {
      const { trace } = this;
      if (name === "play") return this.play(!this.timer);
      this.play(false);
      const after = (list) => list.find((each) => each > this.step) ?? -1;
      const to = {
        start: () => 0,
        end: () => trace.count - 1,
        back: () => this.step - 1,
        step: () => this.step + 1,
        line_back: () => trace.beside(this.step, this.thread, -1),
        line: () => trace.beside(this.step, this.thread, 1),
        barrier: () => after(trace.releases),
        access: () => this.next(this.step, (at) => this.touches(at)),
      }[name];
      if (to) return this.go(to());
      const mark = trace.marks.find((each) => each.kind === name && each.step >= 0);
      if (mark) {
        this.thread = mark.thread >= 0 ? mark.thread : this.thread;
        this.go(mark.step);
      }
    }

    next(from, fits) {
      for (let at = from + 1; at < this.trace.count; at++) if (fits(at)) return at;
      return -1;
    }

    /** Whether a step of the chosen thread's warp reads or writes shared or global memory. */
    touches(step) {
      const { reads, writes, steps } = this.trace;
      if (steps.warp[step] !== Math.floor(this.thread / LANES)) return false;
      return [reads, writes].some((each) => this.trace.during(each, step).some((at) => each.space[at] !== VARIABLE));
    }

    play(on) {
      clearInterval(this.timer);
      const forward = () => {
        const to = this.explains() ? this.next(this.step, (at) => this.touches(at)) : this.step + 1;
        if (to < 0 || to >= this.trace.count) this.play(false); else this.go(to);
      };
      this.timer = on ? setInterval(forward, 500) : 0;
      const button = this.one("[data-go=play]");
      button.textContent = on ? "Pause" : "Play";
      // Words that change twice a second would be read over each other.
      this.one(".sentence").setAttribute("aria-live", on ? "off" : "polite");
    }

    choose(thread) {
      this.thread = thread;
      this.show();
      this.address();
    }

    go(step) {
      if (step < 0 || step >= this.trace.count) return;
      this.step = step;
      this.show();
      this.address();
    }

    jump(step, thread = this.thread) {
      this.play(false);
      this.thread = thread;
      this.go(step);
      this.section.scrollIntoView({ block: "start" });
    }

    /** A link to this step, and the same in the address once the reader has moved. */
    address() {
      const fragment = `#replay-${this.step + 1}-${this.thread}`;
      // In a notebook's frame a bare fragment leads to the notebook's own address.
      this.one(".share").href = location.href.split("#")[0] + fragment;
      clearTimeout(this.saving);
      if (!this.moved) return void (this.moved = true);
      // Browsers limit how often an address may change; a frame of a notebook has none of its own.
      this.saving = setTimeout(() => {
        try { history.replaceState(null, "", fragment); } catch { this.saving = 0; }
      }, 300);
    }

    restore() {
      const found = /^#replay-(\d+)(?:-(\d+))?$/.exec(location.hash);
      if (!found || found[1] < 1 || found[1] > this.trace.count) return false;
      if ([...this.chosen.options].some((each) => each.value === found[2])) this.thread = Number(found[2]);
      this.go(found[1] - 1);
      this.section.scrollIntoView({ block: "start" });
      return true;
    }

    link(step, thread, text = `step ${step + 1}`) {
      const button = make("button", { type: "button", className: "to" }, text);
      button.addEventListener("click", () => this.jump(step, thread));
      return button;
    }

    show() {
      const { trace, step, thread } = this;
      this.slider.value = step + 1;
      this.one(".counter").textContent = `${step + 1} of ${trace.count}`;
      this.chosen.value = thread;
      this.one(".sentence").textContent = this.words();
      this.showSource();
      this.showLanes();
      this.showVariables();
      this.showShared();
      trace.arrays.forEach((each, target) => this.showGlobal(each, target));
      this.showAccesses();
      if (!this.explains()) this.showStory();
      for (const [key, { element }] of this.details) {
        if (element >= 0) this.tell(...key.split(" ").map(Number), element);
      }
      for (const button of this.section.querySelectorAll("[data-go]")) {
        const mark = trace.marks.find((each) => each.kind === button.dataset.go);
        button.toggleAttribute("aria-current", mark?.step === step);
      }
    }

    words() {
      const { trace, step, thread } = this;
      const at = `Step ${step + 1}: ${several(trace.lanes(step).length, "lane")} of warp ${trace.steps.warp[step]} at ` +
        `${trace.where(step)}. `;
      const name = sentence(trace.name(thread)).slice(0, -1);
      if (!trace.has(step, thread)) {
        const state = this.state(trace.waiting(step), thread);
        return `${at}${name} ${state === "wait" ? "waits at a barrier" : state === "gone" ? "is gone" : "is not at work"}.`;
      }
      const said = (accesses) => trace.during(accesses, step).filter((each) => accesses.thread[each] === thread)
        .slice(0, 4).map((each) => trace.access(accesses, each)).map((each) => `${each.name} = ${each.value}`).join(", ");
      const reads = said(trace.reads), writes = said(trace.writes);
      const did = [reads && `reads ${reads}`, writes && `sets ${writes}`].filter(Boolean).join(" and ");
      const marks = trace.marks.filter((each) => each.step === step);
      const mark = marks.find((each) => each.thread === thread) ?? marks[0];
      return `${at}${name} ${did || "is at work"}.${mark ? ` ${sentence(mark.words)}` : ""}`;
    }

    showSource() {
      const { trace, step } = this;
      const file = trace.steps.file[step], host = this.one(".lines > div");
      if (this.file !== file) {
        this.file = file;
        const lines = trace.files[file]?.lines ?? [];
        this.rows = lines.map((text, at) => {
          const shown = visible(text), known = document.querySelector(`#L${at + 1} code`);
          // The report's own listing has colours.
          const code = known?.textContent === shown ? known.cloneNode(true) : make("code", {}, shown);
          return make("div", { className: "row" }, make("span", { className: "no" }, `${at + 1}`), code);
        });
        host.replaceChildren(...this.rows);
      }
      this.row?.classList.remove("now");
      this.row?.removeAttribute("aria-current");
      this.row = this.rows[trace.steps.line[step] - 1];
      if (!this.row) return;
      this.row.classList.add("now");
      this.row.setAttribute("aria-current", "step");
      const box = this.one(".lines");
      box.scrollTop = this.row.offsetTop - box.clientHeight / 2;
    }

    state(waiting, thread) {
      return waiting.get(Math.floor(thread / LANES))?.[thread % LANES] || "ready";
    }

    showLanes() {
      const { trace, step, thread } = this, waiting = trace.waiting(step);
      const said = { work: "at work", wait: "waiting at a barrier", gone: "gone", ready: "ready" };
      this.lanes.cells.forEach((cells, row) => cells.forEach((_, lane) => {
        const each = this.warps[row] * LANES + lane;
        if (each % trace.stride >= trace.threads) return this.lanes.set(row, lane, { label: "no thread", kind: "none" });
        const state = trace.has(step, each) ? "work" : this.state(waiting, each);
        const label = `${trace.name(each)}, ${said[state]}`;
        this.lanes.set(row, lane, { label, kind: state, selected: each === thread });
      }));
      const row = this.warps.indexOf(Math.floor(thread / LANES));
      if (!this.lanes.table.contains(document.activeElement)) this.lanes.stop(row, thread % LANES);
    }

    /** A table of the variables of a thread once a step is done, where this thread stands then. */
    table(step, thread) {
      const { trace } = this, stand = trace.stand(step, thread), call = trace.steps.parent[stand];
      const rows = trace.scope(stand).map((number) => {
        const { name, type } = trace.variables[number];
        const { text, write } = trace.value(VARIABLE, number, 0, thread, step, call);
        const changed = write >= 0 && trace.writes.step[write] === step;
        const before = changed ? trace.value(VARIABLE, number, 0, thread, step - 1, call).text : "";
        const from = write >= 0 ? this.link(trace.writes.step[write], thread) : "";
        const was = changed && before !== text && before ? make("span", { className: "muted" }, ` was ${before}`) : "";
        return make("tr", { className: changed ? "changed" : "" },
          make("th", { scope: "row", title: visible(trace.types[type].name) }, make("code", {}, visible(name))),
          make("td", {}, make("code", {}, text || "no value"), was), make("td", {}, from));
      });
      if (!rows.length) return make("p", { className: "muted" }, "No variables are known here.");
      const heads = ["Name", "Value", "Written in"].map((each) => make("th", { scope: "col" }, each));
      return make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
    }

    showVariables() {
      if (!this.trace.variables.length) {
        this.one(".whose").hidden = this.one(".variables").hidden = true;
        return;
      }
      const { trace, thread } = this, stand = trace.stand(this.step, thread);
      const called = trace.steps.depth[stand] > 0 ? ` in ${visible(trace.functions[trace.steps.function[stand]].name)}` : "";
      this.one(".whose").textContent = `Variables of ${trace.name(thread)}${called}`;
      if (called) this.one(".whose").append(" ", this.link(trace.steps.parent[stand], thread, "to its caller"));
      this.one(".variables").replaceChildren(this.table(this.step, this.thread));
    }

    /** Elements of an array that this step's lanes read or write: element its kinds "read", "write", "own". */
    touched(space, target, step) {
      const found = new Map();
      for (const [accesses, word] of [[this.trace.reads, "read"], [this.trace.writes, "write"]]) {
        for (const at of this.trace.during(accesses, step)) {
          if (accesses.space[at] !== space || accesses.target[at] !== target) continue;
          const element = Math.floor(accesses.offset[at] / this.trace.unit(space, target));
          if (!found.has(element)) found.set(element, new Set());
          found.get(element).add(word);
          if (accesses.thread[at] === this.thread) found.get(element).add("own");
        }
      }
      // What a fault would have touched is in no list of accesses.
      const name = (space === SHARED ? this.trace.shared : this.trace.arrays)[target].name;
      const failed = this.trace.marks.filter((mark) => mark.kind === "fault" && mark.step === step && mark.array === name);
      for (const { index, thread } of failed) {
        found.set(index, new Set([...(found.get(index) ?? []), "fault", ...(thread === this.thread ? ["own"] : [])]));
      }
      return found;
    }

    hue(thread) {
      return Math.round(((thread % this.trace.stride) / this.trace.threads) * 300);
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
      return [decimal(value, 3), decimal(value, 2), decimal(value, 1)].find((each) => each.length <= 5) ?? value.toExponential(0);
    }

    marked(space, target, element) {
      const name = (space === SHARED ? this.trace.shared : this.trace.arrays)[target].name;
      return this.trace.marks.some((each) => each.array === name && each.index === element) ? "marked" : "";
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

    showStory() {
      const mark = this.trace.marks[0];
      // A fault without an array may be one at a barrier.
      const fault = mark?.array ? null : this.arrivals;
      const shown = { race: this.race, first_wrong_write: this.writers, deadlock: this.waiters, fault }[mark?.kind];
      if (!shown) return;
      if (!this.told) {
        this.told = true;
        this.one(".story").replaceChildren(...shown.call(this, mark));
      }
      for (const row of this.section.querySelectorAll(".story [data-step]")) {
        row.classList.toggle("now", Number(row.dataset.step) === this.step);
      }
    }

    /** Both threads of a race, step by step beside each other, from the last barrier to the second access. */
    race(mark) {
      const { trace } = this, [first, second] = [mark.step, mark.other_step].sort((a, b) => a - b);
      if (first < 0) return [];
      const threads = first === mark.step ? [mark.thread, mark.other_thread] : [mark.other_thread, mark.thread];
      const [one, other] = threads;
      const since = trace.releases.filter((each) => each < first).pop() ?? -1;
      const steps = [];
      for (let at = since + 1; at <= second; at++) if (trace.has(at, one) || trace.has(at, other)) steps.push(at);
      const shown = [first, second, mark.missing_at].map((each) => steps.indexOf(each)).filter((each) => each >= 0);
      const doing = (at, thread, raced) => {
        if (!trace.has(at, thread)) return make("td");
        const said = [trace.reads, trace.writes].flatMap((accesses, kind) => trace.during(accesses, at)
          .filter((each) => raced && accesses.thread[each] === thread && accesses.space[each] !== VARIABLE)
          .map((each) => trace.access(accesses, each))
          .filter((each) => this.marked(each.space, each.target, each.element))
          .map((each) => make("b", {}, `${kind ? "writes" : "reads"} ${each.name} = ${each.value}`)));
        return make("td", {}, make("code", {}, `${trace.steps.line[at]}: ${trace.line(at)}`), ...said);
      };
      const rows = [], all = (text, className) => make("tr", { className }, make("td", { colSpan: 3 }, text));
      let left = 0;
      steps.forEach((at, number) => {
        if (!shown.some((each) => Math.abs(each - number) <= AROUND)) return void left++;
        if (left) rows.push(all(`… ${several(left, "step")} …`, "muted"));
        left = 0;
        if (at === (mark.missing_at < 0 ? second : mark.missing_at)) {
          rows.push(all("An order is missing: no barrier stands between what one thread does above and the other below.",
            "missing"));
        }
        rows.push(make("tr", { "data-step": at },
          make("td", {}, this.link(at, trace.has(at, one) ? one : other, `${at + 1}`)),
          doing(at, one, at === first), doing(at, other, at === second)));
      });
      const heads = ["Step", ...threads.map((each) => trace.name(each))].map((each) => make("th", { scope: "col" }, each));
      const both = threads.map((thread, at) => make("div", {},
        make("h4", {}, `Variables of ${trace.name(thread)} after step ${[first, second][at] + 1}`),
        this.table([first, second][at], thread)));
      return [make("h3", {}, "Both threads, side by side"),
        make("table", { className: "both" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)),
        ...(trace.variables.length ? [make("div", { className: "pair" }, ...both)] : [])];
    }

    wide(label, ...inside) {
      return make("div", { className: "wide", role: "region", "aria-label": label, tabIndex: 0 }, ...inside);
    }

    /** The threads that wrote the wrong element, and what they had read. */
    writers(mark) {
      const { trace } = this, target = trace.arrays.findIndex((each) => each.name === mark.array);
      if (target < 0 || mark.index < 0) return [];
      const name = trace.called(GLOBAL, target, mark.index);
      const list = trace.places.get(trace.key(GLOBAL, target, mark.index, 0)) ?? [];
      const expected = trace.arrays[target].expected[mark.index];
      const wanted = expected === undefined ? "" : `, expected ${decimal(Number(expected), 8)}`;
      const made = list.slice(-8).map((at) => {
        const write = trace.access(trace.writes, at), { reads } = trace;
        const from = list.filter((each) => each < at && trace.writes.thread[each] === write.thread).pop();
        const since = from === undefined ? -1 : trace.writes.step[from];
        const known = new Set(), rows = [];
        for (let each = lower(reads.step, write.step + 1) - 1; each >= 0 && reads.step[each] > since; each--) {
          if (reads.thread[each] !== write.thread) continue;
          if (rows.length === READS) break;
          const read = trace.access(reads, each);
          if (known.has(`${read.name} ${read.value}`)) continue;
          known.add(`${read.name} ${read.value}`);
          const wrote = trace.value(read.space, read.target, read.element, write.thread, read.step - 1).write;
          rows.unshift(make("tr", { "data-step": read.step }, make("td", {}, this.link(read.step, write.thread)),
            make("td", {}, make("code", {}, read.name)), make("td", {}, make("code", {}, read.value)),
            make("td", {}, wrote < 0 ? (trace.arrays[read.target]?.role === "input" && read.space === GLOBAL ? "an input" : "nobody")
              : this.link(trace.writes.step[wrote], trace.writes.thread[wrote], trace.name(trace.writes.thread[wrote])))));
        }
        const heads = ["Step", "Read", "Value", "Written by"].map((each) => make("th", { scope: "col" }, each));
        return make("div", {}, make("h4", {}, `${trace.name(write.thread)} wrote ${write.value}${wanted} `,
          this.link(write.step, write.thread)), rows.length
          ? this.wide(`What ${trace.name(write.thread)} read until step ${write.step + 1}`, make("table", {},
            make("caption", {}, `What it read before, at most the last ${READS}:`),
            make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)))
          : make("p", { className: "muted" }, "It read nothing before."));
      });
      const none = make("p", {}, "No thread of this block wrote it.");
      return [make("h3", {}, "Who wrote ", make("code", {}, name)), ...(made.length ? made : [none])];
    }

    /** Of a deadlock, the lines where threads wait, and who is gone. */
    waiters() {
      const { trace } = this, last = trace.count - 1, waiting = trace.waiting(last), places = new Map();
      for (const thread of trace.all()) {
        const state = this.state(waiting, thread), at = trace.stand(last, thread);
        const word = { wait: "waits at", gone: "is gone, last at", ready: "is at" }[state];
        const key = `${word} ${trace.where(at)}`;
        if (!places.has(key)) places.set(key, { at, threads: [], state });
        places.get(key).threads.push(thread);
      }
      const rows = [...places].map(([key, { at, threads }]) => make("tr", { "data-step": at },
        make("td", {}, `${several(threads.length, "thread")}, ${trace.name(threads[0])} the first`),
        make("td", {}, key), make("td", {}, make("code", {}, trace.line(at))),
        make("td", {}, this.link(at, threads[0]))));
      const heads = ["Threads", "Where", "Line", "Since"].map((each) => make("th", { scope: "col" }, each));
      return [make("h3", {}, "Who waits where"), this.wide("Who waits where", make("table", {},
        make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)))];
    }

    /** Of a barrier that not all threads come to equally often, how often each does. */
    arrivals(mark) {
      const { trace } = this, counts = new Map(trace.all().map((thread) => [thread, []]));
      const { step, kind } = trace.waits, line = trace.steps.line[mark.step];
      for (const at of new Set(step.filter((each, wait) => kind[wait] === ARRIVE && trace.steps.line[each] === line))) {
        for (const thread of trace.lanes(at)) counts.get(thread)?.push(at);
      }
      const groups = new Map();
      for (const each of counts) groups.set(each[1].length, [...(groups.get(each[1].length) ?? []), each]);
      if (groups.size < 2) return [];
      const rows = [...groups].map(([times, threads]) => make("tr", {},
        make("td", {}, `${several(threads.length, "thread")}, ${trace.name(threads[0][0])} the first`),
        make("td", {}, several(times, "time")),
        make("td", {}, ...threads[0][1].slice(0, WRITES).flatMap((at) => [this.link(at, threads[0][0]), " "]))));
      const heads = ["Threads", "They come", "The first in"].map((each) => make("th", { scope: "col" }, each));
      return [make("h3", {}, `Who comes to the barrier of line ${line}`), this.wide("Who comes to the barrier",
        make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)))];
    }

    /** The requests of a step: for each array, what its lanes read or write at once. */
    requests(step) {
      const found = new Map(), widths = JSON.parse(this.section.dataset.widths);
      const wide = this.explains() ? widths[this.trace.steps.line[step]] ?? 1 : WIDEST;
      for (const [accesses, word] of [[this.trace.reads, "reads"], [this.trace.writes, "writes"]]) {
        const turns = new Map();
        for (const at of this.trace.during(accesses, step)) {
          const space = accesses.space[at], target = accesses.target[at];
          if (space === VARIABLE) continue;
          const begin = accesses.offset[at], size = accesses.size[at], thread = accesses.thread[at];
          const turn = `${space} ${target} ${thread}`, last = turns.get(turn);
          // A trace has the parts of a wide access one by one.
          if (last && last.lane.begin + last.lane.size === begin && last.lane.begin % wide === 0 &&
            last.lane.size + size <= wide) {
            last.lane.size += size;
            continue;
          }
          const lane = { thread, begin, size }, number = (last?.number ?? 0) + 1;
          turns.set(turn, { lane, number });
          const key = `${word} ${space} ${target} ${number}`;
          if (!found.has(key)) found.set(key, { word, space, target, lanes: [] });
          found.get(key).lanes.push(lane);
        }
      }
      return [...found.values()];
    }

    showAccesses() {
      const host = this.one(".accesses"), requests = this.requests(this.step);
      const title = make("h3", {}, "What this step touches");
      const drawn = requests.slice(0, REQUESTS).map((each) => (each.space === GLOBAL ? this.sectors(each) : this.banks(each)));
      const left = requests.length - REQUESTS;
      const note = left > 0 ? `And ${several(left, "request")} more.` : requests.length ? "" : "Nothing of shared or global memory.";
      host.replaceChildren(title, ...drawn, make("p", { className: "muted" }, note));
    }

    figure(words, picture) {
      picture.setAttribute("role", "img");
      picture.setAttribute("aria-label", words);
      return make("figure", {}, this.wide("Picture of a request", picture), make("figcaption", {}, words));
    }

    box(className, hue, text = "") {
      const made = make("span", { className }, text);
      if (hue !== null) made.style.setProperty("--hue", hue);
      return made;
    }

    laneHue(thread) {
      return Math.round(((thread % LANES) / LANES) * 300);
    }

    /** All sectors of an array that this warp ever touches; those of now with a colour for each lane. */
    sectors({ word, target, lanes }) {
      const { trace } = this, warp = trace.steps.warp[this.step], words = new Map();
      for (const { thread, begin, size } of lanes) {
        for (let at = begin; at < begin + size; at++) words.set(Math.floor(at / 4), thread);
      }
      const now = new Set([...words.keys()].map((each) => Math.floor((each * 4) / SECTOR)));
      let all = this.sectorsOf(warp, target);
      const near = all.indexOf(Math.min(...now));
      if (all.length > SECTORS) all = all.slice(Math.max(0, near - SECTORS / 2)).slice(0, SECTORS);
      const boxes = all.map((sector) => {
        const inside = Array.from({ length: SECTOR / 4 }, (_, at) => {
          const who = words.get((sector * SECTOR) / 4 + at);
          return this.box(who === undefined ? "word" : "word known", who === undefined ? null : this.laneHue(who));
        });
        const made = make("span", { className: now.has(sector) ? "sector now" : "sector" }, ...inside);
        made.title = `bytes ${sector * SECTOR} to ${(sector + 1) * SECTOR - 1}`;
        return made;
      });
      const asked = new Set(lanes.flatMap(({ begin, size }) => Array.from({ length: size }, (_, at) => begin + at))).size;
      const said = `Warp ${warp} ${word} ${visible(trace.arrays[target].name)}: ${several(lanes.length, "lane")} ask for ` +
        `${several(asked, "byte")} in ${several(now.size, "sector")} of ${SECTOR} bytes; ` +
        `${several(Math.ceil(asked / SECTOR), "sector")} would hold them.`;
      return this.figure(said, make("div", { className: "sectors" }, ...boxes));
    }

    sectorsOf(warp, target) {
      this.known ??= new Map();
      const key = `${warp} ${target}`;
      if (this.known.has(key)) return this.known.get(key);
      const found = new Set();
      for (const accesses of [this.trace.reads, this.trace.writes]) {
        for (let at = 0; at < accesses.step.length; at++) {
          if (accesses.space[at] !== GLOBAL || accesses.target[at] !== target) continue;
          if (Math.floor(accesses.thread[at] / LANES) !== warp) continue;
          const end = accesses.offset[at] + accesses.size[at] - 1;
          for (let each = Math.floor(accesses.offset[at] / SECTOR); each <= Math.floor(end / SECTOR); each++) found.add(each);
        }
      }
      this.known.set(key, [...found].sort((a, b) => a - b));
      return this.known.get(key);
    }

    /** The banks as columns; words that one bank has to give one after the other stand below each other. */
    banks({ word, target, lanes }) {
      const { trace } = this, array = trace.shared[target], stacks = Array.from({ length: BANKS }, () => new Map());
      const wide = Math.max(4, ...lanes.map(({ size }) => size)) / 4, phases = new Map();
      for (const { thread, begin, size } of lanes) {
        const phase = Math.floor((thread % LANES) / (LANES / wide));
        for (let at = 0; at < Math.max(1, size / 4); at++) {
          const each = Math.floor((array.offset + begin) / 4) + at;
          const key = `${phase} ${each}`;
          if (!stacks[each % BANKS].has(key)) stacks[each % BANKS].set(key, thread);
          phases.set(phase, Math.max(phases.get(phase) ?? 0,
            [...stacks[each % BANKS].keys()].filter((known) => known.startsWith(`${phase} `)).length));
        }
      }
      const wavefronts = [...phases.values()].reduce((sum, each) => sum + each, 0);
      const columns = stacks.map((stack, bank) => make("span", { className: "bank" },
        this.box("no", null, `${bank}`),
        ...[...stack.values()].map((thread) => this.box("word known", this.laneHue(thread), `${thread % LANES}`))));
      const said = `Warp ${trace.steps.warp[this.step]} ${word} ${visible(array.name)}: ${several(lanes.length, "lane")} ` +
        `in ${several(wavefronts, "wavefront")} of the ${BANKS} banks. A box is a word, with its first lane; ` +
        "words below each other wait for one another.";
      return this.figure(said, make("div", { className: "banks" }, ...columns));
    }
  }

  const unpack = (text) => {
    const bytes = Uint8Array.from(atob(text.trim()), (sign) => sign.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  };
  const start = async () => {
    for (const section of document.querySelectorAll(".replay:has(.trace)")) {
      const trace = new Trace(await unpack(section.querySelector(".trace").textContent));
      section.querySelector(".unplayed").hidden = true;
      section.querySelector(".player").hidden = false;
      new Player(section, trace);
    }
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", start); else start();
})();
