// Words, numbers and elements: what all parts of the player use.
const LANES = 32, SECTOR = 32, BANKS = 32;
const VARIABLE = 0, SHARED = 1, GLOBAL = 2;
const ARRIVE = 0, RELEASE = 1;
const WIDEST = 16, ROWS = 33, SOME = 16, READS = 24, AROUND = 2, WRITES = 8, SECTORS = 40, REQUESTS = 4;
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

const visible = (text) =>
  text.replace(UNSEEN, (sign) => `‹U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}›`);
// A name of the kernel's stays as it is written.
const sentence = (text) =>
  visible(text).replace(/^[a-z](?=[a-z]* )/, (letter) => letter.toUpperCase()).replace(/[^.]$/, "$&.");
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
const decimal = (value, digits) => {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  // As C prints them.
  if (!Number.isFinite(value)) return `${value}`.toLowerCase().replace("infinity", "inf");
  return `${Number(value.toPrecision(digits))}`;
};

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
