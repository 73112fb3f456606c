// Reads a packed trace, as grader/replay/packing.py and columns.py write it: a head in JSON, then columns as bytes.
const READ = 1, NEIGHBOUR = 2, NEW = 3;

class Pieces {
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
  }

  /** A piece: how many numbers it has, how many bytes each, and where its bytes begin. */
  next() {
    const view = new DataView(this.bytes.buffer, this.at);
    const count = view.getUint32(0, true), width = view.getUint8(4), begin = this.at + 5;
    this.at = begin + count * width;
    return { count, width, begin };
  }

  column() {
    const { count, width, begin } = this.next(), found = new Array(count);
    let sum = 0;
    for (let i = 0; i < count; i++) {
      let coded = 0;
      for (let plane = width - 1; plane >= 0; plane--) coded = coded * 256 + this.bytes[begin + plane * count + i];
      found[i] = sum += coded % 2 ? -(coded + 1) / 2 : coded / 2;
    }
    return found;
  }

  /** The bits of numbers, in hexadecimal. */
  bits() {
    const { count, width, begin } = this.next();
    return Array.from({ length: count }, (_, i) => {
      let digits = "";
      for (let plane = width - 1; plane >= 0; plane--) {
        digits += this.bytes[begin + plane * count + i].toString(16).padStart(2, "0");
      }
      return digits.replace(/^0+(?=.)/, "") || "0";
    });
  }

  numbers() {
    return this.bits().map((digits) => parseInt(digits, 16));
  }

  /** Adds the values of parts: what memory holds at first, reads, writes. Most follow from an earlier one. */
  values(parts, stride) {
    const codes = this.numbers(), given = new Map(this.numbers().map((size) => [size, this.bits()]));
    const used = new Map(), places = new Map(), reads = new Map(), ends = parts.map(() => 0);
    let neighbour;
    for (const part of parts) part.value = new Array(part.step.length);
    for (const code of codes) {
      let which = -1;
      for (let each = 0; each < parts.length; each++) {
        const open = ends[each] < parts[each].step.length;
        if (open && (which < 0 || parts[each].step[ends[each]] < parts[which].step[ends[which]])) which = each;
      }
      const part = parts[which], at = ends[which]++, thread = part.thread[at], size = part.size[at];
      const own = part.space[at] === VARIABLE ? `${thread} ${part.call[at]}`
        : part.space[at] === SHARED ? Math.floor(thread / stride) : 0;
      const place = `${part.space[at]} ${part.target[at]} ${part.offset[at]} ${size} ${own}`;
      let value;
      if (code === NEW) {
        const number = used.get(size) ?? 0;
        used.set(size, number + 1);
        value = given.get(size)[number];
      } else value = code === NEIGHBOUR ? neighbour : code === READ ? reads.get(thread) : places.get(place);
      part.value[at] = neighbour = value;
      places.set(place, value);
      if (which < parts.length - 1) reads.set(thread, value);
    }
  }
}

const GROUPS = ["steps", "reads", "writes", "waits"];
/** The data of a Trace. */
const unpacked = (bytes) => {
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const data = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const pieces = new Pieces(bytes, 4 + length);
  for (const group of GROUPS) data[group] = Object.fromEntries(data[group].map((name) => [name, pieces.column()]));
  const first = { step: [], thread: [], space: [], target: [], offset: [], size: [], call: [] };
  const indices = data.arrays.map(() => pieces.column());
  indices.forEach((found, target) => {
    const { size } = data.types[data.arrays[target].type];
    for (const index of found) {
      const row = { step: -1, thread: -1, space: GLOBAL, target, offset: index * size, size, call: -1 };
      for (const name in first) first[name].push(row[name]);
    }
  });
  const [x, y, z] = data.block_dim;
  pieces.values([first, data.reads, data.writes], Math.ceil(x * y * z / LANES) * LANES);
  let at = 0;
  indices.forEach((found, target) => {
    data.arrays[target].elements = Object.fromEntries(found.map((index) => [index, first.value[at++]]));
  });
  return data;
};
