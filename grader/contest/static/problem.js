// The two panes of a problem's page, its editor, and results beside it. Without it the page is one long form.
"use strict";
(() => {
  const NARROW = matchMedia("(max-width: 63.99rem)");

  /// Makes tabs of the list of links. The panel of "code" is a tab on narrow screens only.
  const tabs = (bench) => {
    const list = bench.querySelector(".tabs");
    const links = [...list.querySelectorAll("a")], idOf = (link) => link.hash.slice(1);
    list.setAttribute("role", "tablist");
    let left = idOf(links[0]);
    const select = (id) => {
      if (id !== "code") left = id;
      bench.dataset.shown = id;
      for (const link of links) {
        const own = idOf(link), chosen = own === id;
        link.setAttribute("aria-selected", chosen);
        link.tabIndex = chosen ? 0 : -1;
        if (own !== "code") document.getElementById(own).hidden = own !== left;
      }
    };
    for (const [at, link] of links.entries()) {
      link.parentElement.setAttribute("role", "presentation");
      link.setAttribute("role", "tab");
      link.id = `tab-${idOf(link)}`;
      link.setAttribute("aria-controls", idOf(link));
      if (idOf(link) !== "code") {
        const panel = document.getElementById(idOf(link));
        panel.setAttribute("role", "tabpanel");
        panel.setAttribute("aria-labelledby", link.id);
        panel.tabIndex = 0;
      }
      link.addEventListener("click", (event) => { event.preventDefault(); select(idOf(link)); });
      link.addEventListener("keydown", (event) => {
        if (event.key === " ") { event.preventDefault(); select(idOf(link)); }
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const shown = links.filter((each) => each.offsetParent !== null), place = shown.indexOf(links[at]);
        const next = shown[(place + step + shown.length) % shown.length];
        event.preventDefault();
        select(idOf(next));
        next.focus();
      });
    }
    NARROW.addEventListener("change", () => { if (!NARROW.matches && bench.dataset.shown === "code") select(left); });
    return select;
  };

  const start = (bench) => {
    const select = tabs(bench);
    bench.classList.add("live");
    // What scrolls sideways has to be reached by keyboard.
    for (const each of document.querySelectorAll("#statement pre")) each.tabIndex = 0;
    const form = document.getElementById("work");
    const worked = bench.dataset.kept === "True" || document.querySelector("#history table") !== null;
    const story = document.getElementById("exercise") !== null;
    select(story ? "exercise" : NARROW.matches && form && worked ? "code" : "statement");
    if (!form) return;

    const area = document.getElementById("source"), language = document.getElementById("language");
    const host = document.getElementById("editor"), keys = document.getElementById("keys");
    const told = document.getElementById("told"), result = document.getElementById("result");
    const file = document.getElementById("file"), most = Number(bench.dataset.largest);
    document.querySelector("label[for=source]").remove();
    document.querySelector(".starters").remove();
    area.hidden = true;
    host.hidden = keys.hidden = false;

    // The text as the server knows it, by language.
    const bases = new Map([[language.value, area.defaultValue]]), starters = new Map();
    const starterIn = async (name) => {
      if (!starters.has(name)) {
        const answer = await fetch(`?language=${name}`);
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        starters.set(name, page.getElementById("source").defaultValue);
      }
      return starters.get(name);
    };
    const editor = kgradeEditor.open(host, area.defaultValue, language.value, "Your code", keys.textContent, {
      change: () => { area.value = editor.text(); drafts.typed(); },
      submit: () => form.requestSubmit(document.getElementById("submit")),
      run: () => form.requestSubmit(document.getElementById("run")),
    });
    area.value = area.defaultValue;
    const put = (text) => { if (text !== editor.text()) editor.replace(text); };
    const drafts = kgradeDrafts(bench, form, { text: editor.text, put, bases });
    drafts.open();

    let spoken = language.value;
    language.addEventListener("change", async () => {
      const chosen = spoken = language.value;
      editor.mark([]);
      editor.speak(chosen);
      try {
        if (!bases.has(chosen)) bases.set(chosen, await starterIn(chosen));
      } catch {
        // Without the server there is no starter, and the text stays.
        return;
      }
      if (chosen !== spoken) return;
      drafts.open();
    });
    const restart = document.getElementById("restart");
    restart.hidden = false;
    restart.addEventListener("click", async () => {
      const name = language.selectedOptions[0].textContent;
      if (confirm(`Replace the text by the starter in ${name}? Ctrl+Z brings it back.`)) put(await starterIn(spoken));
    });

    const tell = (...parts) => { told.replaceChildren(...parts); told.hidden = parts.length === 0; };
    const tooLarge = () => {
      const size = file.files[0]?.size ?? new TextEncoder().encode(editor.text()).length;
      const what = file.files.length ? "The file" : "The text";
      if (size > most) {
        const counts = `${size.toLocaleString("en")} bytes, at most ${most.toLocaleString("en")} are taken`;
        tell(`${what} is too large: ${counts}. Nothing was sent, and nothing is lost.`);
      }
      return size > most;
    };
    const isSignedOut = () => fetch(location.pathname).then((answer) => answer.status === 401, () => false);
    const signIn = () => {
      const link = document.createElement("a");
      link.href = location.pathname;
      link.textContent = "Sign in again";
      tell("You are signed out. Your text is kept in this browser and comes back when you have signed in. ", link);
    };

    // Renews what a new submission changes: the list of them, and the key that tells two requests apart.
    const refresh = async () => {
      const answer = await fetch(location.pathname);
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const id of ["history"]) {
        document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
      }
      form.elements.key.value = page.querySelector("#work [name=key]").value;
    };

    const show = async (address) => {
      const answer = await fetch(`${address}/result`);
      if (answer.status === 401) { signIn(); return; }
      if (!answer.ok) {
        result.hidden = true;
        tell("There is no report: a later run took its place, or the judge came to no end with it.");
        return;
      }
      result.innerHTML = await answer.text();
      const marks = JSON.parse(result.querySelector("[data-marks]").dataset.marks);
      editor.mark(file.files.length ? [] : marks);
      for (const each of result.querySelectorAll("[data-line]")) {
        each.addEventListener("click", () => {
          if (NARROW.matches) select("code");
          editor.show(Number(each.dataset.line));
        });
      }
    };
    let events = null;
    const follow = (address) => {
      events?.close();
      const own = events = new EventSource(`${address}/events`);
      own.addEventListener("progress", (event) => { result.innerHTML = event.data; });
      own.addEventListener("done", async () => {
        own.close();
        await show(address);
        if (address.includes("/submissions/")) await refresh();
      });
      own.addEventListener("error", () => {
        if (own.readyState === EventSource.CLOSED && own === events) tell("The connection was lost: load the page again.");
      });
    };

    const send = async (button) => {
      if (tooLarge()) return;
      tell();
      drafts.keep(spoken);
      const body = new FormData(form);
      editor.mark([]);
      const buttons = form.querySelectorAll(".send button");
      for (const each of buttons) each.disabled = true;
      try {
        const answer = await fetch(button.formAction, { method: "POST", body, headers: { accept: "application/json" } });
        // Of strangers the server reads only small requests.
        if ([401, 413].includes(answer.status) && await isSignedOut()) { signIn(); return; }
        const said = await answer.json();
        if (!answer.ok) { tell([said.error, said.hint].filter(Boolean).map(sentence).join(" ")); return; }
        result.hidden = false;
        result.innerHTML = '<p class="progress"><span class="dot" aria-hidden="true"></span> <span>sent</span></p>';
        follow(said.url);
        if (button.id === "submit") await refresh();
      } catch {
        if (await isSignedOut()) { signIn(); return; }
        tell("The server can't be reached. Your text is kept: try again.");
      } finally {
        for (const each of buttons) each.disabled = false;
      }
    };
    const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(event.submitter ?? document.getElementById("submit"));
    });
  };

  addEventListener("DOMContentLoaded", () => {
    const bench = document.getElementById("bench");
    if (bench) start(bench);
  });
})();
