import { zoo, text } from "../assets/zoo.js";

const SECONDS = 90;
const element = (id) => document.getElementById(id);
let found = 0;
let begun = null;

zoo.on("wanted", ({ label }) => { element("wanted").textContent = label; });
zoo.on("next", ({ value }) => { element("wanted").textContent = value.label; });
zoo.on("found", ({ label }) => {
  if (isOver()) return;
  element("found").textContent = found += 1;
  element("last").textContent = text("well_done", label);
});
zoo.on("result", () => { begun ??= performance.now(); });

function left() { return begun === null ? SECONDS : Math.max(0, SECONDS - (performance.now() - begun) / 1000); }
function isOver() { return left() === 0; }

setInterval(() => {
  element("time").textContent = Math.ceil(left());
  if (isOver()) element("last").textContent = text("over", found);
}, 250);
