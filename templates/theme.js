// Light or dark: what the reader chose here, else what the system says; the reader's time; and the filter above the list
// of problems. Works without network or storage.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const storage = (use) => { try { return use(localStorage); } catch { return null; } };
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const saved = storage((store) => store.getItem("kgrade-theme"));
  if (saved === "dark" || saved === "light") root.dataset.theme = saved;
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    const show = () => { button.textContent = dark() ? "Light theme" : "Dark theme"; };
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      storage((store) => store.setItem("kgrade-theme", root.dataset.theme));
      show();
    });
    system.addEventListener("change", show);
    // Chosen in another window, or by the page around a frame.
    addEventListener("storage", ({ key, newValue }) => {
      if (key !== "kgrade-theme" || !newValue) return;
      root.dataset.theme = newValue;
      show();
    });
    show();
    button.hidden = false;
    times();
    for (const name of ["htmx:afterSwap", "kgrade:swapped"]) document.addEventListener(name, times);
    const filter = document.getElementById("filter");
    if (filter) choose(filter, [...document.querySelectorAll("tr[data-difficulty]")]);
  });
  // Pages hold times in UTC; the reader's own zone is known here only.
  const times = () => {
    const two = (number) => String(number).padStart(2, "0");
    for (const each of document.querySelectorAll("time:not([title])")) {
      const at = new Date(each.dateTime);
      const parts = new Intl.DateTimeFormat("en", { timeZoneName: "short" }).formatToParts(at);
      const zone = parts.find((part) => part.type === "timeZoneName").value;
      const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
      each.title = each.textContent;
      each.textContent = `${day} ${two(at.getHours())}:${two(at.getMinutes())} ${zone}`;
    }
  };
  const choose = (filter, rows) => {
    const show = () => {
      const asked = new FormData(filter);
      const fits = ({ difficulty, tags, solved }) =>
        ["", difficulty].includes(asked.get("difficulty")) &&
        ["", ...tags.split("|")].includes(asked.get("tag")) &&
        ["", solved].includes(asked.get("solved"));
      for (const row of rows) row.hidden = !fits(row.dataset);
      const shown = rows.filter((row) => !row.hidden).length;
      filter.querySelector("output").textContent = `${shown} of ${rows.length}`;
    };
    filter.addEventListener("change", show);
    filter.addEventListener("submit", (event) => event.preventDefault());
    filter.hidden = false;
    show();
  };
})();
