// Active time: the page is in front and something was done in the last two minutes. This claim's goes with the form;
// the sitting's is shown, with a quiet word after fifty-five minutes.

const IDLE = 120_000;
const SITTING = "saydo.sitting";
const PAUSE = 20 * 60_000; // a longer absence begins a new sitting
const ENOUGH = 55;
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
  const sitting = read();
  sitting.seconds += 1;
  sitting.at = Date.now();
  sessionStorage.setItem(SITTING, JSON.stringify(sitting));
  if (sitting.seconds % 60 === 0) show(sitting);
}, 1000);

function read() {
  const kept = JSON.parse(sessionStorage.getItem(SITTING) ?? "null");
  return kept && Date.now() - kept.at < PAUSE ? kept : { seconds: 0, at: Date.now() };
}

function show(sitting) {
  const minutes = Math.floor(sitting.seconds / 60);
  if (line) line.textContent = minutes >= ENOUGH ? `${minutes} min active, time for a break` : `${minutes} min active`;
}

export function start(root) {
  last = Date.now();
  input = root.querySelector('input[name="seconds_active"]');
  seconds = input ? Number(input.value) || 0 : 0;
  line = root.querySelector("[data-active]");
  if (!line) return;
  line.hidden = false;
  show(read());
}
