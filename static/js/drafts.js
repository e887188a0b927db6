// Keeping what is typed: drafts on the server, saving with the tick only after the answer, nothing lost on a failure.

let form, line, timer, inFlight, again, dirty, token;
const HELD = "everything you entered is still here";

export function start(root, said) {
  form = root.querySelector("[data-form]");
  line = root.querySelector("[data-state]");
  dirty = false;
  inFlight = false;
  token = form.elements.client_token.value;
  if (said) tell(said);
  const changed = () => {
    dirty = true;
    tell("not kept yet");
    clearTimeout(timer);
    timer = setTimeout(keep, 900);
  };
  form.addEventListener("input", changed);
  form.addEventListener("change", changed);
  form.addEventListener("answer-changed", changed);
}

export const isDirty = () => dirty;

// What a refusal gave back is kept nowhere yet: it is sent along on leaving.
export const markUnkept = () => (dirty = true);

export function tell(words, bad = false) {
  line.textContent = words;
  line.classList.toggle("is-bad", bad);
}

function body(action) {
  const data = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") data.append(name, value);
  data.set("action", action);
  return data;
}

const time = (moment) => /T(\d\d:\d\d:\d\d)/.exec(moment ?? "")?.[1] ?? new Date().toISOString().slice(11, 19);

async function keep() {
  if (form.dataset.draft === "off") return;
  if (inFlight) {
    again = true;
    return;
  }
  inFlight = true;
  const mine = form;
  const slow = setTimeout(() => tell("keeping the draft …"), 300);
  try {
    const answer = await fetch(form.getAttribute("action"), { method: "POST", body: body("draft"), headers: { Accept: "application/json" } });
    if (mine !== form) return;
    if (answer.ok && (answer.headers.get("content-type") ?? "").includes("json")) {
      const { saved_at: moment } = await answer.json();
      dirty = again ?? false;
      if (!again) tell(`draft kept ${time(moment)} ✓`);
    } else if (answer.redirected) {
      tell(`not kept: you are signed out. Sign in in another tab; ${HELD}`, true);
    } else {
      tell(`not kept: ${(await sentence(answer)) || `the server answered ${answer.status}`}`, true);
    }
  } catch {
    if (mine === form) tell(`not kept: no connection; ${HELD}`, true);
  } finally {
    clearTimeout(slow);
    inFlight = false;
    if (again && mine === form) {
      again = false;
      timer = setTimeout(keep, 300);
    }
  }
}

async function sentence(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return page.querySelector(".message.hard, .lead")?.textContent.trim();
}

// On leaving the page what is not kept yet is sent along.
export function flush() {
  if (!form || !dirty || form.dataset.draft === "off") return;
  clearTimeout(timer);
  dirty = false;
  fetch(form.getAttribute("action"), { method: "POST", body: body("draft"), headers: { Accept: "application/json" }, keepalive: true }).catch(() => {});
}

// Save by the button's action; returns {page, url} to go to, {refused: document}, or null with the form kept.
export async function save(action) {
  clearTimeout(timer);
  const slow = setTimeout(() => tell("saving …"), 300);
  const data = body(action);
  data.set("client_token", token);
  try {
    const answer = await fetch(form.getAttribute("action"), { method: "POST", body: data, headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.ok && answer.redirected && !new URL(answer.url).pathname.startsWith("/signin")) {
      dirty = false;
      return { page, url: answer.url };
    }
    if (answer.redirected) tell(`not saved: you are signed out. Sign in in another tab; ${HELD}`, true);
    else if (answer.status < 500 && page.querySelector("#claim-pane")) return { refused: page };
    else tell(`not saved: ${page.querySelector(".lead")?.textContent.trim() || `the server answered ${answer.status}`} (${HELD})`, true);
  } catch {
    tell(`not saved: no connection; ${HELD}`, true);
  } finally {
    clearTimeout(slow);
  }
  return null;
}
