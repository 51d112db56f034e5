// Follows a session. It keeps the steps itself, so that they can be looked at after the session, and only ever asks for more.
const MOST = 500;
const MOST_DRAWN = 64 << 20;
const weight = (step) => step.picture?.length ?? 0;
const part = (id) => document.getElementById(id);
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

let steps = [];
let at = -1;
let isGone = false;

async function ask(resource) {
  const response = await fetch(resource);
  if (!response.ok) throw new Error(response.statusText);
  return response;
}

async function follow() {
  for (let last = 0, failures = 0; ; ) {
    let fresh = [];
    try {
      if (failures) {
        // Unlike steps, this need not be waited for.
        await ask("icon.svg");
        failures = 0;
        isGone = false;
        show(at);
      }
      fresh = await (await ask(`steps?after=${last}`)).json();
    } catch {
      failures += 1;
    }
    // One failure may be an accident.
    isGone = failures > 1;
    last = fresh.at(-1)?.number ?? last;
    add(fresh);
    if (failures) await pause(Math.min(200 * 2 ** failures, 10000));
  }
}

function add(fresh) {
  const isAtEnd = at === steps.length - 1;
  steps.push(...fresh);
  let drawn = steps.reduce((sum, step) => sum + weight(step), 0);
  let tooMany = 0;
  while (steps.length - tooMany > MOST || drawn > MOST_DRAWN) drawn -= weight(steps[tooMany++]);
  steps.splice(0, tooMany);
  show(isAtEnd ? steps.length - 1 : at - tooMany);
}

function show(wanted) {
  at = Math.max(Math.min(wanted, steps.length - 1), Math.min(0, steps.length - 1));
  const isAtEnd = at === steps.length - 1;
  const [back, range, forth, live] = ["back", "step", "forth", "live"].map(part);
  // The one that has the focus would lose it: it stays, and does nothing.
  back.ariaDisabled = at <= 0;
  forth.ariaDisabled = isAtEnd;
  for (const control of [back, range, forth, live]) control.disabled = !steps.length;
  live.ariaPressed = isAtEnd && !isGone;
  live.textContent = isGone ? "Last" : "Live";
  range.max = Math.max(1, steps.length);
  range.value = at + 1;
  const step = steps[at];
  if (step) range.ariaValueText = `step ${step.number}: ${step.command}`;
  say(step, isAtEnd);
  if (!step) return;
  const placed = latest((step) => step.place);
  const drawn = latest((step) => step.picture || step.tooLarge);
  place(placed?.place);
  answer(step);
  draw(drawn, step);
}

// What a step does not show is as in the steps before.
function latest(has) {
  return steps.slice(0, at + 1).findLast(has);
}

function say(step, isAtEnd) {
  const count = step ? `step ${step.number} of ${steps.at(-1).number}` : "";
  const state = isGone ? "the session has ended" : !step ? "waiting for the first step" : isAtEnd ? "live" : "";
  const text = [count, state].filter(Boolean).join(" · ");
  part("state").classList.toggle("ended", isGone);
  if (part("state").textContent !== text) part("state").textContent = text;
}

function line(text, kind) {
  const span = document.createElement("span");
  span.className = kind;
  span.textContent = text || " ";
  return span;
}

let placeShown;
function place(place) {
  if (place === placeShown) return;
  placeShown = place;
  const title = place ? `${place.file}:${place.line}` : "cargo nopol c debug";
  document.title = place ? `${title} – nopol` : title;
  part("place").textContent = title;
  part("file").textContent = place?.file ?? "Source";
  const source = part("source");
  source.replaceChildren(...(place?.lines ?? []).map((text, nth) => {
    const number = place.first + nth;
    const row = line(text, number === place.line ? "current" : "");
    row.dataset.line = number;
    return row;
  }));
  center();
}

function center() {
  const source = part("source");
  const current = source.querySelector(".current");
  if (!current) return;
  current.ariaCurrent = "true";
  source.scrollTo(0, current.offsetTop - source.clientHeight / 2);
}

let answerShown;
function answer(step) {
  if (step === answerShown) return;
  answerShown = step;
  part("command").textContent = step.command;
  let isDiff = false;
  const kind = (text) => {
    isDiff = text.startsWith("--- ") || (isDiff && /^[-+ @\\]/.test(text));
    if (/^(---|\+\+\+) /.test(text)) return "at";
    return !isDiff ? "" : { "+": "plus", "-": "minus", "@": "at" }[text[0]] ?? "";
  };
  part("answer").replaceChildren(...step.text.split("\n").map((text) => line(text, kind(text))));
  part("answer").scrollTo(0, 0);
}

// Of the whole picture, the parser would report the style as a breach of the page's policy.
function description(picture) {
  const [opening = ""] = picture.match(/<svg\b[^>]*>/) ?? [];
  return new DOMParser().parseFromString(`${opening}</svg>`, "image/svg+xml").documentElement.ariaLabel ?? "The heap";
}

let drawnShown;
async function draw(drawn, step) {
  const since = drawn && drawn !== step ? ` (as of step ${drawn.number}: ${drawn.command})` : "";
  part("caption").textContent = `Heap${since}`;
  if (drawn === drawnShown) return;
  drawnShown = drawn;
  if (!drawn?.picture) {
    const note = document.createElement("p");
    note.className = "soft";
    note.textContent = drawn ? "The picture is too large to be shown" : "No picture yet";
    part("picture").replaceChildren(note);
    return;
  }
  const url = URL.createObjectURL(new Blob([drawn.picture], { type: "image/svg+xml" }));
  const image = new Image();
  image.alt = description(drawn.picture);
  image.src = url;
  // The old picture stays until the new one can be painted.
  await image.decode().catch(() => {});
  URL.revokeObjectURL(url);
  // Small pictures are not blown up beyond what is good to read.
  image.style.maxWidth = `${2 * image.naturalWidth}px`;
  if (drawn === drawnShown) part("picture").replaceChildren(image);
}

part("back").addEventListener("click", () => show(at - 1));
part("forth").addEventListener("click", () => show(at + 1));
part("live").addEventListener("click", () => show(steps.length - 1));
part("step").addEventListener("input", (event) => show(event.target.value - 1));
part("size").addEventListener("click", ({ target }) => {
  target.ariaPressed = part("picture").classList.toggle("actual");
});
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || event.target.id === "step") return;
  const wanted = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: steps.length - 1 }[event.key];
  if (wanted === undefined) return;
  event.preventDefault();
  show(wanted);
});
new ResizeObserver(center).observe(part("source"));
follow();
