import { drawBox, text, zoo } from "../assets/zoo.js";

const TICK = 200; // milliseconds
const ALIVE = 2000; // milliseconds without an answer after which the clock stands still
const PRAISED = 2500; // milliseconds for which a find is shown
const [WANTED, OTHER] = ["#3fd09b", "#b8c0cc"]; // colours of boxes
const element = (id) => document.getElementById(id);

let wanted = null;
let found = []; // names
let spent = 0; // milliseconds of the round
let answered = -Infinity;
let praised = -Infinity;

const total = () => 1000 * zoo.value("seconds");
const isOver = () => spent >= total();

zoo.on("wanted", ({ label }) => want(label));
zoo.on("next", ({ value }) => want(value.label));
zoo.on("restart", ({ value }) => {
  found = [];
  spent = 0;
  praised = -Infinity;
  want(value.label);
});
zoo.on("found", ({ label }) => {
  if (isOver()) return;
  found.push(label);
  praised = performance.now();
  show();
});
zoo.on("result", () => { answered = performance.now(); });

function want(label) {
  wanted = label;
  show();
}

function show() {
  const isPraised = performance.now() - praised < PRAISED;
  const state = isOver() ? "over" : isPraised ? "hit" : "";
  element("task").className = `card ${state}`;
  element("find").hidden = isOver();
  write("wanted", isOver() ? text("over") : wanted ?? "…");
  write("said", isOver() ? text("result", found.length) : isPraised ? text("well_done", found.at(-1)) : "");
  write("found", found.length);
  write("time", Math.ceil(Math.max(0, total() - spent) / 1000));
  element("left").style.setProperty("--share", Math.max(0, 1 - spent / total()));
  const list = element("list");
  if (list.children.length !== found.length) list.replaceChildren(...found.map(entry));
}

function entry(name) {
  return Object.assign(document.createElement("li"), { textContent: name });
}

function write(id, words) {
  if (element(id).textContent !== String(words)) element(id).textContent = words;
}

/** Time passes while frames are looked at. */
function tick() {
  if (performance.now() - answered < ALIVE && !zoo.isPaused && wanted && !isOver()) spent += TICK;
  show();
}

zoo.draws = false;
zoo.onDraw((context, { result }) => {
  const unit = Math.max(context.canvas.width, context.canvas.height) / 320;
  const aim = performance.now() - praised < PRAISED ? found.at(-1) : wanted;
  for (const { label, score, box } of result.filter((item) => item.score >= zoo.value("score"))) {
    const isWanted = label === aim && !isOver();
    const words = `${label} ${Math.round(100 * score)} %`;
    drawBox(context, box, isWanted ? WANTED : OTHER, isWanted ? 1.4 * unit : unit, words);
  }
});

zoo.ready.then(() => setInterval(tick, TICK));
