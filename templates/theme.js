// Light or dark: what the reader chose here, else what the system says. Works without network or storage.
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
    show();
    button.hidden = false;
  });
})();
