// Moves between steps, by buttons, keys, the slider and the address, and shows each.
class Player extends Memory {
  constructor(section, trace) {
    super();
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
    this.lanes.names.forEach((name, row) => {
      name.textContent = this.warps[row];
      name.title = `warp ${this.warps[row]}`;
    });
    for (const [space, list, host] of [[SHARED, trace.shared, ".shared"], [GLOBAL, trace.arrays, ".global"]]) {
      list.forEach((each, target) => this.array(space, target, each, one(host)));
    }
    this.section.addEventListener("keydown", (event) => this.key(event));
    addEventListener("hashchange", () => this.restore());
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
    // What led here may be gone with what was shown; keys go on where the focus is.
    if (!this.section.contains(document.activeElement)) this.slider.focus({ preventScroll: true });
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

  show() {
    const { trace, step, thread } = this;
    this.slider.value = step + 1;
    this.slider.setAttribute("aria-valuetext", `${step + 1} of ${trace.count}`);
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
      const does = { wait: "waits at a barrier", gone: "is gone", ready: "is not at work" }[state];
      return `${at}${name} ${does}.`;
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

  showVariables() {
    if (!this.trace.variables.length) {
      this.one(".whose").hidden = this.one(".variables").hidden = true;
      return;
    }
    const { trace, thread } = this, stand = trace.stand(this.step, thread);
    const inside = trace.functions[trace.steps.function[stand]];
    const called = trace.steps.depth[stand] > 0 ? ` in ${visible(inside.name)}` : "";
    this.one(".whose").textContent = `Variables of ${trace.name(thread)}${called}`;
    if (called) this.one(".whose").append(" ", this.link(trace.steps.parent[stand], thread, "to its caller"));
    this.one(".variables").replaceChildren(this.table(this.step, this.thread));
  }
}
