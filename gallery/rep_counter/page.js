import { zoo, text } from "../assets/zoo.js";

const LEAST_SCORE = 0.3; // of a joint, as where movements are counted
const NEEDED = { // joints by which an exercise is counted
  squat: ["hip", "knee", "ankle"],
  jumping_jack: ["shoulder", "wrist", "ankle"],
  jump: ["hip", "ankle"],
};
const STEADY = 600; // milliseconds for which something is so before the page says it
const AVERAGED = 5; // repetitions in the pace
const BARS = 14;
const FLASH = 700; // milliseconds for which a new number is lit
const element = (id) => document.getElementById(id);

let exercise = null;
let times = []; // of the repetitions, in seconds
let flashed = -Infinity;
let hint = { words: "", since: 0 };

// --- what is counted ----------------------------------------------------------------------------

zoo.on("result", ({ events, result }) => {
  if (zoo.value("exercise") !== exercise) begin();
  for (const event of events) {
    if (event.label === exercise && event.type === "happened") count(event.time);
  }
  advise(advice(result.keypoints));
});

function begin() {
  exercise = zoo.value("exercise");
  times = [];
  show();
}

function count(time) {
  if (time < times.at(-1)) times = []; // another clip
  times.push(time);
  flashed = performance.now();
  show();
}

function show() {
  const steps = times.slice(1).map((time, index) => time - times[index]);
  const last = steps.slice(-AVERAGED);
  const mean = last.reduce((sum, step) => sum + step, 0) / last.length;
  write("name", text(exercise));
  write("count", times.length);
  write("said", times.length ? text("said", spoken(times.length)) : "");
  write("pace", last.length ? text("seconds", mean.toFixed(1)) : "–");
  const longest = Math.max(...steps.slice(-BARS));
  element("bars").replaceChildren(...steps.slice(-BARS).map((step) => {
    const bar = document.createElement("i");
    bar.style.setProperty("--share", step / longest);
    return bar;
  }));
}

/** A number as a word, as long as there is one. */
function spoken(number) {
  return text("numbers").split(" ")[number - 1] ?? number;
}

function write(id, words) {
  if (element(id).textContent !== String(words)) element(id).textContent = words;
}

// --- what should change -------------------------------------------------------------------------

/** The name of the text that is of use now. */
function advice(keypoints) {
  if (!keypoints.length) return "nobody";
  const seen = new Set(keypoints.filter(({ score }) => score >= LEAST_SCORE).map(({ part }) => part));
  const hidden = NEEDED[exercise].filter((part) => !seen.has(`left_${part}`) || !seen.has(`right_${part}`));
  return hidden.length ? `hidden_${hidden.at(-1)}` : times.length ? "" : "ready";
}

function advise(words) {
  const now = performance.now();
  if (words !== hint.words) hint = { words, since: now };
  if (now - hint.since < STEADY) return;
  write("hint", words && text(words));
  element("hint").className = words;
}

// --- the number on the picture, which is read from afar -----------------------------------------

zoo.onDraw((context, { size: [width, height] }) => {
  const side = Math.min(width, height);
  const isNew = performance.now() - flashed < FLASH;
  const words = String(times.length);
  context.font = `700 ${0.2 * side}px system-ui, sans-serif`;
  const across = context.measureText(words).width + 0.1 * side;
  Object.assign(context, { textBaseline: "middle", fillStyle: isNew ? "#0a7d55" : "rgb(10 12 16 / 72%)" });
  context.beginPath();
  context.roundRect(0.03 * side, 0.03 * side, across, 0.23 * side, 0.04 * side);
  context.fill();
  context.fillStyle = "#fff";
  context.fillText(words, 0.08 * side, 0.155 * side);
});

zoo.onPress("reset", begin); // needs no program
zoo.ready.then(begin);
