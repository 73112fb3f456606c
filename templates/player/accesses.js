// What a step asks of memory at once: sectors of global memory and banks of shared memory.
class Accesses extends Stories {
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
    const draw = (each) => (each.space === GLOBAL ? this.sectors(each) : this.banks(each));
    const drawn = requests.slice(0, REQUESTS).map(draw);
    const left = requests.length - REQUESTS;
    const none = requests.length ? "" : "Nothing of shared or global memory.";
    const note = left > 0 ? `And ${several(left, "request")} more.` : none;
    host.replaceChildren(title, ...drawn, make("p", { className: "muted" }, note));
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
    const name = visible(trace.arrays[target].name);
    const said = `Warp ${warp} ${word} ${name}: ${several(lanes.length, "lane")} ask${lanes.length === 1 ? "s" : ""} for ` +
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
        const begin = Math.floor(accesses.offset[at] / SECTOR);
        for (let each = begin; each <= Math.floor(end / SECTOR); each++) found.add(each);
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
    const who = `Warp ${trace.steps.warp[this.step]} ${word} ${visible(array.name)}`;
    const said = `${who}: ${several(lanes.length, "lane")} ` +
      `in ${several(wavefronts, "wavefront")} of the ${BANKS} banks. A box is a word, with its first lane; ` +
      "words below each other wait for one another.";
    return this.figure(said, make("div", { className: "banks" }, ...columns));
  }
}
