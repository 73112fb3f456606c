// The clock, and what happens when a verdict is there. Pages work without it.
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

  // What a worker wrote is a page of its own in a frame, which is as tall as that page; its bar is left to this one.
  const fit = (frame) => {
    const root = frame.contentDocument.documentElement;
    root.classList.add("framed");
    new ResizeObserver(() => { frame.style.height = `${root.offsetHeight}px`; }).observe(root);
  };
  const frames = () => {
    for (const frame of document.querySelectorAll("iframe.whole")) {
      frame.addEventListener("load", () => fit(frame));
      const { URL, readyState } = frame.contentDocument;
      if (URL !== "about:blank" && readyState === "complete") fit(frame);
    }
  };

  addEventListener("DOMContentLoaded", () => {
    clocks();
    frames();
    markOwn();
    document.body.addEventListener("htmx:afterSwap", markOwn);
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
