// Active time on this claim: the page is in front and something was done in the last two minutes.

const IDLE = 120_000;
let seconds = 0;
let last = Date.now();
let input, line;

for (const kind of ["keydown", "pointerdown", "wheel", "pointermove"]) {
  addEventListener(kind, () => (last = Date.now()), { passive: true });
}

setInterval(() => {
  if (document.hidden || Date.now() - last > IDLE) return;
  seconds += 1;
  if (input) input.value = String(seconds);
  if (line && seconds % 60 === 0) line.textContent = `${seconds / 60} min on this claim`;
}, 1000);

export function start(root) {
  seconds = 0;
  last = Date.now();
  input = root.querySelector('input[name="seconds_active"]');
  line = root.querySelector("[data-active]");
  if (line) line.hidden = false;
}
