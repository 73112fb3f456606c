// What is shown in more than one place: links to steps, tables of variables, colours.
class View {
  link(step, thread, text = `step ${step + 1}`) {
    const button = make("button", { type: "button", className: "to" }, text);
    button.addEventListener("click", () => this.jump(step, thread));
    return button;
  }

  sheet(heads, rows, values = {}, ...above) {
    const names = heads.map((each) => make("th", { scope: "col" }, each));
    return make("table", values, ...above, make("thead", {}, make("tr", {}, ...names)), make("tbody", {}, ...rows));
  }

  wide(label, ...inside) {
    return make("div", { className: "wide", role: "region", "aria-label": label, tabIndex: 0 }, ...inside);
  }

  figure(words, picture) {
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", words);
    // A group, not a region: a step may have several.
    const box = make("div", { className: "wide", role: "group", "aria-label": "Picture", tabIndex: 0 }, picture);
    return make("figure", {}, box, make("figcaption", {}, words));
  }

  box(className, hue, text = "") {
    const made = make("span", { className }, text);
    if (hue !== null) made.style.setProperty("--hue", hue);
    return made;
  }

  hue(thread) {
    return Math.round(((thread % this.trace.stride) / this.trace.threads) * 300);
  }

  laneHue(thread) {
    return Math.round(((thread % LANES) / LANES) * 300);
  }

  state(waiting, thread) {
    return waiting.get(Math.floor(thread / LANES))?.[thread % LANES] || "ready";
  }

  marked(space, target, element) {
    const name = (space === SHARED ? this.trace.shared : this.trace.arrays)[target].name;
    return this.trace.marks.some((each) => each.array === name && each.index === element) ? "marked" : "";
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
    return this.sheet(["Name", "Value", "Written in"], rows);
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
    for (const { kind, step: at, array, index, thread } of this.trace.marks) {
      if (kind !== "fault" || at !== step || array !== name) continue;
      found.set(index, new Set([...(found.get(index) ?? []), "fault", ...(thread === this.thread ? ["own"] : [])]));
    }
    return found;
  }
}
