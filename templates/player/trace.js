// What a recorded block did: searches in the trace of grader/replay/model.py.
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
    const part = this.part(type, accesses.offset[at] - element * unit);
    const value = this.accessed(part.type, bytes) ?? `0x${accesses.value[at]}`;
    const whole = space === VARIABLE ? visible(this.variables[target].name) : this.called(space, target, element);
    const name = part.type.size === size ? whole + part.name : whole;
    return { at, step: accesses.step[at], thread: accesses.thread[at], space, target, element, name, value };
  }

  /** The innermost member or element of a type that begins at a byte, or has it: what follows its name, and its type. */
  part(type, byte) {
    if (type.kind === "array") {
      const inner = this.types[type.element], number = Math.floor(byte / inner.size);
      const { name, type: found } = this.part(inner, byte - number * inner.size);
      return { name: `[${number}]${name}`, type: found };
    }
    const member = type.members.findLast(({ offset }) => offset <= byte);
    if (!member) return { name: "", type };
    const { name, type: found } = this.part(this.types[member.type], byte - member.offset);
    return { name: `.${visible(member.name)}${name}`, type: found };
  }

  /** Text of the elements that an access of these bytes has; undefined for a part of one. */
  accessed(type, bytes) {
    if (!["scalar", "pointer"].includes(type.kind) || bytes.length % type.size) return undefined;
    const each = Array.from({ length: bytes.length / type.size }, (_, at) =>
      scalar(type, bytes.slice(at * type.size, (at + 1) * type.size)));
    return each.length === 1 ? each[0] : `{${each.join(", ")}}`;
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
