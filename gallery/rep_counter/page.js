import { zoo, text } from "../assets/zoo.js";

const element = (id) => document.getElementById(id);
const times = []; // of the repetitions of the exercise, in seconds
let exercise = null;

function show() {
  element("name").textContent = text(zoo.value("exercise"));
  element("count").textContent = times.length;
  element("said").textContent = times.length ? text("number", times.length) : "";
  const steps = times.slice(-6);
  const seconds = (steps.at(-1) - steps[0]) / (steps.length - 1);
  element("pace").textContent = steps.length > 1 ? text("seconds", seconds.toFixed(1)) : "–";
}

function restart() { times.length = 0; show(); }

zoo.on("result", ({ events, result }) => {
  if (zoo.value("exercise") !== exercise) { exercise = zoo.value("exercise"); restart(); }
  const isSeen = (result.keypoints ?? []).filter((point) => point.score > 0.3).length >= 12;
  if (!times.length) element("said").textContent = text(isSeen ? "begin" : "step_back");
  for (const event of events ?? []) {
    if (event.label === exercise && event.type === "happened") { times.push(event.time); show(); }
  }
});

zoo.on("reset", restart);
zoo.ready.then(show);
