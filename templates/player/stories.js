// What a failure is about: both threads of a race, the writers of a wrong element, who waits at a barrier.
class Stories extends View {
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
    const missing = trace.blockOf(one) !== trace.blockOf(other) ? "nothing orders the threads of different blocks"
      : first === second ? "both threads are at this line at once"
        : "no barrier stands between what one thread does above and the other below";
    const rows = [], all = (text, className) => make("tr", { className }, make("td", { colSpan: 3 }, text));
    let left = 0;
    steps.forEach((at, number) => {
      if (!shown.some((each) => Math.abs(each - number) <= AROUND)) return void left++;
      if (left) rows.push(all(`… ${several(left, "step")} …`, "muted"));
      left = 0;
      if (at === (mark.missing_at < 0 ? second : mark.missing_at)) {
        rows.push(all(`An order is missing: ${missing}.`, "missing"));
      }
      rows.push(make("tr", { "data-step": at },
        make("td", {}, this.link(at, trace.has(at, one) ? one : other, `${at + 1}`)),
        doing(at, one, at === first), doing(at, other, at === second)));
    });
    const both = threads.map((thread, at) => make("div", {},
      make("h4", {}, `Variables of ${trace.name(thread)} after step ${[first, second][at] + 1}`),
      this.table([first, second][at], thread)));
    return [make("h3", {}, "Both threads, side by side"),
      this.sheet(["Step", ...threads.map((each) => trace.name(each))], rows, { className: "both" }),
      ...(trace.variables.length ? [make("div", { className: "pair" }, ...both)] : [])];
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
        const by = trace.writes.thread[wrote];
        const before = read.space !== GLOBAL ? "nobody"
          : trace.arrays[read.target].role === "input" ? "an input" : "before this launch";
        rows.unshift(make("tr", { "data-step": read.step }, make("td", {}, this.link(read.step, write.thread)),
          make("td", {}, make("code", {}, read.name)), make("td", {}, make("code", {}, read.value)),
          make("td", {}, wrote < 0 ? before : this.link(trace.writes.step[wrote], by, trace.name(by)))));
      }
      return make("div", {}, make("h4", {}, `${trace.name(write.thread)} wrote ${write.value}${wanted} `,
        this.link(write.step, write.thread)), rows.length
        ? this.wide(`What ${trace.name(write.thread)} read until step ${write.step + 1}`,
          this.sheet(["Step", "Read", "Value", "Written by"], rows, {},
            make("caption", {}, `What it read before, at most the last ${READS}:`)))
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
      const key = at < 0 ? "has not begun" : `${word} ${trace.where(at)}`;
      if (!places.has(key)) places.set(key, { at, threads: [], state });
      places.get(key).threads.push(thread);
    }
    const rows = [...places].map(([key, { at, threads }]) => make("tr", { "data-step": at },
      make("td", {}, `${several(threads.length, "thread")}, ${trace.name(threads[0])} the first`),
      make("td", {}, key), make("td", {}, make("code", {}, trace.line(at))),
      make("td", {}, at < 0 ? "" : this.link(at, threads[0]))));
    return [make("h3", {}, "Who waits where"), this.wide("Who waits where",
      this.sheet(["Threads", "Where", "Line", "Since"], rows))];
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
    return [make("h3", {}, `Who comes to the barrier of line ${line}`), this.wide("Who comes to the barrier",
      this.sheet(["Threads", "They come", "The first in"], rows))];
  }
}
