// The clock, the editor, and what happens when a verdict is there. Pages work without it.
"use strict";
(() => {
  const two = (number) => String(number).padStart(2, "0");
  const words = (seconds) => {
    const days = Math.floor(seconds / 86400), hours = Math.floor(seconds / 3600) % 24;
    const clock = `${two(hours)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
    return days ? `${days} ${days === 1 ? "day" : "days"} ${clock}` : clock;
  };

  // Counts down by the server's clock: the page says what it was when the page was made.
  const clocks = () => {
    for (const clock of document.querySelectorAll("[data-until]")) {
      const offset = Date.parse(clock.dataset.now) - Date.now(), until = Date.parse(clock.dataset.until);
      const show = () => {
        const left = Math.round((until - Date.now() - offset) / 1000);
        if (left <= 0) { location.reload(); return; }
        clock.textContent = words(left);
        setTimeout(show, 1000 - ((Date.now() + offset) % 1000));
      };
      if (until - Date.now() - offset > 0) show();
    }
  };

  const CUDA = new RegExp([
    String.raw`(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|(?![^])))`,
    String.raw`(?<string>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)`,
    String.raw`(?<macro>^[ \t]*#[ \t]*\w+)`,
    String.raw`(?<number>\b(?:0[xX][\da-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)[fFuUlL]*)`,
    String.raw`(?<keyword>\b(?:__\w+__|if|else|for|while|do|return|const|static|extern|inline|struct|template|typename|using|namespace|constexpr|auto|switch|case|break|continue|sizeof|class|public|private|unsigned|signed|volatile)\b)`,
    String.raw`(?<type>\b(?:void|bool|char|short|int|long|float|double|half|size_t|dim3|u?int\d+_t|(?:float|int|uint|double|half)[234])\b)`,
    String.raw`(?<function>\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize|__\w+|atomic\w+|cuda[A-Z]\w+)\b|<<<|>>>)`,
  ].join("|"), "gm");
  const PYTHON = new RegExp([
    String.raw`(?<comment>#[^\n]*)`,
    String.raw`(?<string>"""[^]*?(?:"""|(?![^]))|'''[^]*?(?:'''|(?![^]))|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)`,
    String.raw`(?<macro>^[ \t]*@[\w.]+)`,
    String.raw`(?<number>\b\d[\w.]*)`,
    String.raw`(?<keyword>\b(?:False|None|True|and|as|assert|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)\b)`,
  ].join("|"), "gm");
  const CLASSES = { comment: "c1", string: "s", macro: "cp", number: "m", keyword: "k", type: "kt", function: "nb" };

  const highlight = (text, tokens) => {
    const parts = document.createDocumentFragment();
    let end = 0;
    for (const match of text.matchAll(tokens)) {
      parts.append(text.slice(end, match.index));
      const part = document.createElement("span");
      part.className = CLASSES[Object.keys(match.groups).find((name) => match.groups[name] !== undefined)];
      part.textContent = match[0];
      parts.append(part);
      end = match.index + match[0].length;
    }
    // A last empty line has a height only when something stands in it.
    parts.append(text.slice(end) + "\n ");
    return parts;
  };

  const edit = (area) => {
    const shade = document.createElement("pre");
    shade.className = "shade";
    shade.setAttribute("aria-hidden", "true");
    area.before(shade);
    area.classList.add("over");
    const language = area.form.elements.language;
    const paint = () => {
      // A large text is shown in one colour rather than slowly.
      if (area.value.length > 60000) shade.replaceChildren(area.value + "\n ");
      else shade.replaceChildren(highlight(area.value, language.value === "cuda" ? CUDA : PYTHON));
    };
    const follow = () => { shade.scrollTop = area.scrollTop; shade.scrollLeft = area.scrollLeft; };
    let leaving = false;
    area.addEventListener("input", () => { paint(); follow(); });
    area.addEventListener("scroll", follow);
    language.addEventListener("change", paint);
    area.addEventListener("blur", () => { leaving = false; });
    area.addEventListener("keydown", (event) => {
      if (event.key === "Escape") { leaving = true; return; }
      if (event.key === "Tab" && !event.shiftKey && !leaving && !event.ctrlKey && !event.altKey) {
        event.preventDefault();
        area.setRangeText("    ", area.selectionStart, area.selectionEnd, "end");
        paint();
      }
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) area.form.requestSubmit();
    });
    paint();
  };

  // The scoreboard is drawn once for all; whose row is the reader's own is marked here.
  const markOwn = () => {
    const board = document.getElementById("board");
    if (!board?.dataset.own) return;
    for (const row of board.querySelectorAll("tr[data-who]")) {
      if (row.dataset.who !== board.dataset.own) continue;
      row.classList.add("own");
      row.setAttribute("aria-current", "true");
    }
  };

  addEventListener("DOMContentLoaded", () => {
    clocks();
    markOwn();
    document.body.addEventListener("htmx:afterSwap", markOwn);
    document.querySelectorAll("textarea[data-code]").forEach(edit);
    // Pieces of a page come and go.
    document.body.addEventListener("click", (event) => {
      const asking = event.target.closest("[data-confirm]");
      if (asking && !confirm(asking.dataset.confirm)) event.preventDefault();
    });
    document.body.addEventListener("htmx:sseMessage", (event) => {
      if (event.detail.type === "done") location.reload();
    });
  });
})();
