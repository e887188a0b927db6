// The divider between transcript and form: dragged or moved with the arrow keys, remembered in this browser.

const KEY = "saydo.left";

export function start(root) {
  const split = root.querySelector("[data-split]");
  const divider = root.querySelector("[data-divider]");
  divider.hidden = false;
  const set = (percent, keep = true) => {
    const left = Math.min(70, Math.max(30, Math.round(percent)));
    split.style.setProperty("--left", `${left}%`);
    divider.setAttribute("aria-valuenow", String(left));
    if (keep) localStorage.setItem(KEY, String(left));
  };
  const kept = Number(localStorage.getItem(KEY));
  if (kept) set(kept, false);
  divider.addEventListener("pointerdown", (event) => {
    divider.setPointerCapture(event.pointerId);
    const move = (at) => set((100 * (at.clientX - split.getBoundingClientRect().left)) / split.clientWidth);
    divider.addEventListener("pointermove", move);
    divider.addEventListener("pointerup", () => divider.removeEventListener("pointermove", move), { once: true });
  });
  divider.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -2, ArrowRight: 2 }[event.key];
    if (!step) return;
    event.preventDefault();
    set(Number(divider.getAttribute("aria-valuenow")) + step);
  });
}
