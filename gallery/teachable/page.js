import { zoo, text } from "../assets/zoo.js";

const EVERY = 100; // milliseconds between examples while a button is held
const element = (id) => document.getElementById(id);
const classes = new Map(); // label -> its card
let counts = {};
zoo.draws = false;

function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function addClass(label) {
  if (!label || classes.has(label)) return;
  const count = make("span", { className: "count", textContent: "0" });
  const hold = make("button", { type: "button", textContent: text("hold") });
  const files = make("input", { type: "file", accept: "image/*", multiple: true, ariaLabel: text("files", label) });
  const forget = make("button", { type: "button", textContent: text("forget") });
  const card = make("div", { className: "card class" }, make("h2", { textContent: label }), make("p", {}, count, " ", text("examples")), make("div", { className: "row" }, hold, forget, files));
  card.dataset.label = label;
  let timer = null;
  const begin = () => { timer ??= setInterval(() => zoo.sendImage("example", { label }), EVERY); zoo.sendImage("example", { label }); };
  const end = () => { clearInterval(timer); timer = null; };
  Object.assign(hold, { onpointerdown: begin, onpointerup: end, onpointerleave: end, onblur: end });
  hold.onkeydown = (event) => { if ([" ", "Enter"].includes(event.key) && !event.repeat) begin(); };
  hold.onkeyup = end;
  files.onchange = () => { for (const file of files.files) zoo.sendImage("example", { label }, file); };
  forget.onclick = () => zoo.send("forget", { label });
  classes.set(label, card);
  element("classes").append(card);
}

function count(value) {
  counts = value;
  for (const [label, card] of classes) card.querySelector(".count").textContent = counts[label] ?? 0;
  const ready = Object.values(counts).filter((number) => number >= 2).length >= 2;
  element("train").disabled = !ready;
}

function bars(labels) {
  element("bars").replaceChildren(...labels.map(({ label, score }) => {
    const bar = make("i");
    bar.style.setProperty("--share", score);
    const row = make("div", { className: "bar" }, make("span", { textContent: label }), bar, make("span", { textContent: `${Math.round(100 * score)} %` }));
    Object.assign(row.dataset, { label, score: score.toFixed(4) });
    return row;
  }));
}

function confusion({ confusion: counts }) {
  const labels = Object.keys(counts);
  const rows = labels.map((label) => Object.values(counts[label]));
  const head = make("tr", {}, make("th"), ...labels.map((label) => make("th", { scope: "col", textContent: label })));
  const body = rows.map((row, at) => make("tr", {}, make("th", { scope: "row", textContent: labels[at] }), ...row.map((number) => make("td", { textContent: number }))));
  element("confusion").replaceChildren(head, ...body);
  element("confusion").hidden = false;
}

function scores({ images, accuracy, warnings }) {
  const known = images ? text("accuracy", (100 * accuracy).toFixed(0), images) : "";
  element("scores").textContent = [text("trained"), known, ...warnings].filter(Boolean).join(" — ");
}

zoo.on("example", ({ value }) => count(value));
zoo.on("forget", ({ value }) => { count(value); bars([]); element("downloads").hidden = true; });
zoo.on("train", ({ value }) => {
  scores(value);
  element("train").disabled = false;
  confusion(value);
  element("downloads").hidden = false;
  element("zoo").href = zoo.download("zoo.zip");
  element("teachable").href = zoo.download("teachable.zip");
});
zoo.on("result", ({ result }) => { if (result.length) bars([...result].sort((a, b) => a.label.localeCompare(b.label))); });

element("add").onsubmit = (event) => { event.preventDefault(); addClass(element("label").value.trim()); element("label").value = ""; };
element("train").onclick = () => {
  element("scores").textContent = text("training");
  element("train").disabled = true;
  zoo.send("train");
};
zoo.ready.then(() => { for (const label of text("first_classes").split(",")) addClass(label.trim()); });
