// Keeps what is typed on a problem's page: at once in the browser, every few seconds on the server, each by contest,
// problem, account and language. The newer of the two is shown; of two windows each comes back with its own text.
"use strict";
const kgradeDrafts = (bench, form, { text, put, bases }) => {
  const { contest, problem, account, now, since, saved, largest } = bench.dataset;
  const line = document.getElementById("draft"), language = form.elements.language;
  const first = language.value, address = `${location.pathname}/draft`, PAUSE = 5000, BYTES_A_SECOND = 8000;
  // By the server's clock: the page says what it was when the page was made.
  const offset = Date.parse(now) - Date.now(), clock = () => Date.now() + offset;
  const nameOf = (spoken) => `kgrade-draft/${contest}/${problem}/${account}/${spoken}`;
  // The server keeps no drafts of exercises.
  const last = nameOf("last"), copied = saved !== "", copies = new Map(Object.entries(JSON.parse(saved || "{}")));
  let unsaved = false, opening = false;

  const from = (storage, spoken) => {
    try { return JSON.parse(storage().getItem(nameOf(spoken))); } catch { return null; }
  };
  const read = (spoken) => from(() => localStorage, spoken);
  const write = (spoken, draft) => {
    try {
      for (const storage of [localStorage, sessionStorage]) {
        if (draft) storage.setItem(nameOf(spoken), JSON.stringify(draft));
        else storage.removeItem(nameOf(spoken));
      }
      localStorage.setItem(last, spoken);
      unsaved = false;
    } catch {
      // No room, or storage is off: leaving the page asks.
      unsaved = Boolean(draft?.text);
    }
  };
  // What is kept has the text, null where there is none any more; its time; and that of the server's copy of it.
  const keep = (spoken) => {
    const own = text(), copied = read(spoken)?.copied ?? 0;
    write(spoken, { text: own === bases.get(spoken) ? null : own, time: Math.max(clock(), copied + 1), copied });
  };

  const waiting = new Map();
  let timer = null;
  const later = (pause) => { if (copied) timer ??= setTimeout(send, pause); };
  const typed = (spoken) => {
    keep(spoken);
    const own = text();
    waiting.set(spoken, own === bases.get(spoken) ? null : own);
    later(Math.max(PAUSE, own.length / BYTES_A_SECOND * 1000));
  };
  const send = async (leaving = false) => {
    clearTimeout(timer);
    timer = null;
    const batch = copied ? [...waiting] : [];
    waiting.clear();
    for (const [spoken, own] of batch) {
      if (own?.length > largest) continue;
      const body = new FormData();
      body.set("csrf", form.elements.csrf.value);
      body.set("language", spoken);
      if (own === null) body.set("drop", "yes");
      else body.set("source", own);
      try {
        // Browsers carry only little for a page that is gone; the rest is in this browser.
        const keepalive = leaving && (own?.length ?? 0) < 30000;
        const answer = await fetch(address, { method: "POST", body, keepalive, headers: { accept: "application/json" } });
        if (answer.status === 429 || answer.status >= 500) throw answer;
        const { time } = answer.ok ? await answer.json() : {};
        const draft = read(spoken);
        if (time && draft?.text === own) write(spoken, { ...draft, copied: Date.parse(time) });
      } catch {
        if (!waiting.has(spoken)) waiting.set(spoken, own);
        later(6 * PAUSE);
      }
    }
  };
  addEventListener("pagehide", () => send(true));

  const say = (words, ...actions) => {
    const buttons = actions.map(([name, action]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", () => { line.hidden = true; action(); });
      return button;
    });
    line.replaceChildren(words, ...buttons);
    line.hidden = false;
  };
  const at = (time) => new Date(time).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

  const set = (own) => { opening = true; put(own); opening = false; };

  /// Fetches the server's copy and shows it, with a way back to the browser's own draft if there is one.
  const fetchCopy = async (spoken, draft) => {
    const before = text();
    let copy = null;
    try {
      const answer = await fetch(`${address}?language=${spoken}`);
      if (answer.ok) copy = await answer.json();
    } catch {
      // Without the server there is the browser's own.
    }
    if (!copy || copy.text === before || text() !== before || language.value !== spoken) return;
    set(copy.text);
    const time = Date.parse(copy.time), base = bases.get(spoken);
    write(spoken, { text: copy.text, time, copied: time });
    const other = draft ? [[`Take this browser's of ${at(draft.time)}`, () => put(draft.text)]] : [];
    say(`Your draft of ${at(time)}, typed elsewhere, is back.`, ...other, ["Discard it", () => put(base)]);
  };

  /// Puts into the editor what there is in the chosen language: the newest of the text from the server, which was handed
  /// in, the browser's own draft, and the server's copy.
  const open = () => {
    const spoken = language.value, kept = read(spoken), base = bases.get(spoken);
    const given = spoken === first ? Date.parse(since) || 0 : 0;
    const counts = (draft) => draft?.text != null && draft.text !== base && draft.time > given;
    // What was typed in this window, though another one was typed in since.
    const own = from(() => sessionStorage, spoken), draft = counts(own) ? own : kept, newer = counts(draft);
    line.hidden = newer || !line.dataset.first || spoken !== first;
    set(newer ? draft.text : base);
    const other = draft !== kept && counts(kept) && kept.text !== draft.text;
    const there = other ? [[`Take the other window's of ${at(kept.time)}`, () => put(kept.text)]] : [];
    if (newer) say(`Your draft of ${at(draft.time)} is back.`, ...there, ["Discard it", () => put(base)]);
    else if (draft && draft.time <= given) write(spoken, null);
    const known = Math.max(given, ...[draft, kept].flatMap((each) => [each?.time ?? 0, each?.copied ?? 0]));
    if (Date.parse(copies.get(spoken)) > known) fetchCopy(spoken, newer ? draft : null);
  };

  line.dataset.first = line.textContent;
  addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
  return { open, keep, typed: () => { if (!opening) typed(language.value); } };
};
