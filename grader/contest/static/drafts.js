// Keeps what is typed on a problem's page in the browser, by contest, problem, account and language.
"use strict";
const kgradeDrafts = (bench, form, { text, put, bases }) => {
  const { contest, problem, account, now, since, kept } = bench.dataset;
  const line = document.getElementById("draft"), language = form.elements.language;
  const first = language.value;
  // By the server's clock: the page says what it was when the page was made.
  const offset = Date.parse(now) - Date.now(), clock = () => Date.now() + offset;
  const nameOf = (spoken) => `kgrade-draft/${contest}/${problem}/${account}/${spoken}`;
  const last = nameOf("last");
  let unsaved = false, opening = false;

  const read = (spoken) => {
    try { return JSON.parse(localStorage.getItem(nameOf(spoken))); } catch { return null; }
  };
  const write = (spoken, draft) => {
    try {
      if (draft) localStorage.setItem(nameOf(spoken), JSON.stringify(draft));
      else localStorage.removeItem(nameOf(spoken));
      localStorage.setItem(last, spoken);
      unsaved = false;
    } catch {
      // No room, or storage is off: leaving the page asks.
      unsaved = draft !== null;
    }
  };
  const keep = (spoken) => {
    const own = text();
    write(spoken, own === bases.get(spoken) ? null : { text: own, time: clock() });
  };
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

  /// Puts into the editor what there is in the chosen language: the draft if it is newer than the text from the server.
  const open = () => {
    line.hidden = true;
    const spoken = language.value, draft = read(spoken), base = bases.get(spoken);
    const newer = draft && draft.text !== base && !(spoken === first && Date.parse(since) >= draft.time);
    set(newer ? draft.text : base);
    if (newer) say(`Your draft of ${at(draft.time)} is back.`, ["Discard it", () => put(base)]);
    else if (draft) write(spoken, null);
  };

  addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
  return { open, keep, typed: () => { if (!opening) keep(language.value); } };
};
