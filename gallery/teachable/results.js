// What a taught model says: a bar for each class, and the table of its mistakes.

import { element, make } from "../assets/common.js";

const bars = new Map(); // label -> its bar

function newBar(label) {
  const bar = make("div", { className: "bar" }, make("span", { textContent: label }), make("i"), make("span"));
  bar.dataset.label = label;
  return bar;
}

/** Move the bars; those of a model with other classes are new. */
export function showBars(scores, colourOf) {
  const sorted = [...scores].sort((a, b) => (colourOf(a.label) ?? 99) - (colourOf(b.label) ?? 99));
  const labels = sorted.map(({ label }) => label);
  if (labels.join("\n") !== [...bars.keys()].join("\n")) {
    bars.clear();
    for (const label of labels) bars.set(label, newBar(label));
    element("bars").replaceChildren(...bars.values());
  }
  const best = Math.max(...sorted.map(({ score }) => score));
  for (const { label, score } of sorted) {
    const bar = bars.get(label);
    const colour = colourOf(label);
    bar.children[1].style.setProperty("--share", score);
    bar.lastChild.textContent = `${Math.round(100 * score)} %`;
    bar.dataset.score = score.toFixed(4);
    bar.dataset.colour = colour ?? "none";
    bar.classList.toggle("best", score === best);
  }
}

/** The table: a row for each class, and a column for what its examples were taken for. */
export function showConfusion(counts) {
  const labels = Object.keys(counts);
  const head = make("tr", {}, make("td"), ...labels.map((label) => make("th", { scope: "col", textContent: label })));
  const rows = labels.map((label) => {
    const whole = Object.values(counts[label]).reduce((sum, number) => sum + number, 0);
    const cells = labels.map((other) => cell(counts[label][other], whole, label === other));
    return make("tr", {}, make("th", { scope: "row", textContent: label }), ...cells);
  });
  element("confusion").tBodies[0].replaceChildren(head, ...rows);
}

function cell(number, whole, isRight) {
  const made = make("td", { textContent: number, className: isRight ? "right" : "wrong" });
  made.style.setProperty("--share", whole ? number / whole : 0);
  return made;
}
