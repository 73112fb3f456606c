// Plays a recorded block: the report's "Watch it fail", and the accesses of a warp in an explanation. The page holds the
// trace; nothing is asked of any server. A step is shown as done: the values are those after it.
(() => {
{% for part in ("text", "columns", "trace", "grid", "view", "stories", "accesses", "memory", "player") %}
{% include "player/" ~ part ~ ".js" %}

{% endfor %}
const unpack = async (text) => {
  const bytes = Uint8Array.from(atob(text.trim()), (sign) => sign.charCodeAt(0));
  const whole = new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
  return unpacked(new Uint8Array(await whole.arrayBuffer()));
};
const start = async () => {
  for (const section of document.querySelectorAll(".replay")) {
    const packed = section.querySelector(".trace");
    if (!packed) continue;
    const trace = new Trace(await unpack(packed.textContent));
    section.querySelector(".unplayed").hidden = true;
    section.querySelector(".player").hidden = false;
    new Player(section, trace);
  }
};
if (document.readyState === "loading") addEventListener("DOMContentLoaded", start); else start();
})();
