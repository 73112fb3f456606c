// Announcements above the page: who has read one puts it away, and this browser keeps it away.
"use strict";
(() => {
  const key = (list) => `kgrade-read-${list.dataset.contest}`;
  const read = (list) => {
    try { return JSON.parse(localStorage.getItem(key(list))) ?? []; } catch { return []; }
  };
  const show = () => {
    for (const list of document.querySelectorAll(".news-bar")) {
      const gone = read(list);
      for (const each of list.children) {
        each.hidden = gone.includes(each.dataset.news);
        each.querySelector("[data-dismiss]").hidden = false;
      }
      list.hidden = [...list.children].every((each) => each.hidden);
    }
  };
  addEventListener("DOMContentLoaded", () => {
    show();
    document.body.addEventListener("htmx:afterSettle", show);
    document.body.addEventListener("click", (event) => {
      const item = event.target.closest("[data-dismiss]")?.closest("[data-news]");
      if (!item) return;
      const list = item.parentElement;
      // Where nothing can be stored it is away until the next page.
      try { localStorage.setItem(key(list), JSON.stringify([...read(list), item.dataset.news].slice(-200))); } catch {}
      item.hidden = true;
      list.hidden = [...list.children].every((each) => each.hidden);
      document.getElementById("content").focus({ preventScroll: true });
    });
  });
})();
