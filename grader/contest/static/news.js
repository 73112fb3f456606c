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
  // Asks again and again; the answer is empty unless something changed.
  const ask = async (notices) => {
    const asking = notices.querySelector("[data-ask]");
    // A tab that nobody looks at asks nothing.
    if (document.visibilityState === "visible") {
      try {
        const answer = await fetch(asking.dataset.ask);
        if (answer.status === 200) {
          asking.outerHTML = await answer.text();
          show();
          document.dispatchEvent(new Event("kgrade:swapped"));
        }
      } catch {
        // The server will be there again.
      }
    }
    const now = notices.querySelector("[data-ask]");
    setTimeout(ask, now.dataset.seconds * 1000, notices);
  };
  addEventListener("DOMContentLoaded", () => {
    show();
    const notices = document.querySelector(".notices");
    if (notices) setTimeout(ask, notices.querySelector("[data-ask]").dataset.seconds * 1000, notices);
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
