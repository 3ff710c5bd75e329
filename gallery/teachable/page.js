import { zoo, text } from "../assets/zoo.js";
import { element, make } from "../assets/common.js";
import { Examples, pictured, small } from "./examples.js";
import { showBars, showConfusion } from "./results.js";

const EVERY = 100; // milliseconds between examples while a button is held
const NEEDED = 2; // examples of each class
const COLOURS = 6; // of page.css, one for each class

const classes = new Map(); // label -> {card, examples, ..}, in the page's order
let made = 0; // classes so far
zoo.draws = false;

// --- classes -------------------------------------------------------------------------------------

function addClass(label) {
  if (!label || classes.has(label)) return;
  const found = { label, colour: made % COLOURS, isHeld: false, isRecording: false };
  made += 1;
  const name = make("input", { type: "text", className: "name", value: label, maxLength: 40, ariaLabel: text("name") });
  const hold = make("button", { type: "button", className: "hold", textContent: text("hold") });
  const files = make("input", { type: "file", accept: "image/*", multiple: true, className: "unseen" });
  const remove = make("button", { type: "button", className: "plain", textContent: text("remove") });
  found.count = make("span", { className: "count", textContent: "0" });
  found.examples = new Examples(removeExample, hold);
  const number = make("span", { className: "muted" }, found.count, " ", text("examples"));
  const choose = make("label", { className: "button files" }, text("files"), files);
  found.card = make("div", { className: "class" }, name, number, hold, choose, remove, found.examples.box);
  found.card.setAttribute("role", "group");
  found.card.dataset.colour = found.colour;
  name.onchange = () => rename(found, name);
  files.onchange = () => addFiles(found, files);
  remove.onclick = () => removeClass(found);
  listen(hold, found);
  classes.set(label, found);
  describe(found, { hold, files, remove });
  element("classes").append(found.card);
  showState();
}

/** Let screen readers know which class a control is of. */
function describe(found, parts = found.parts) {
  found.parts = parts;
  found.card.dataset.label = found.card.ariaLabel = found.label;
  for (const [kind, part] of Object.entries(parts)) part.ariaLabel = text(`${kind}_of`, found.label);
  found.examples.rename(found.label);
}

function rename(found, input) {
  const label = input.value.trim();
  if (!label || classes.has(label)) { input.value = found.label; return; }
  const all = [...classes.values()];
  found.label = label;
  classes.clear();
  for (const each of all) classes.set(each.label, each);
  describe(found);
  changed();
}

function removeClass(found) {
  zoo.send("remove", { numbers: found.examples.numbers });
  classes.delete(found.label);
  found.isHeld = false;
  found.card.remove();
  element("label").focus();
  changed();
}

// --- examples ------------------------------------------------------------------------------------

/** Record while a button is held by mouse, finger or key. */
function listen(hold, found) {
  const begin = () => { found.isHeld = true; record(found); };
  const end = () => { found.isHeld = false; };
  const isKey = (event) => {
    const isIt = [" ", "Enter"].includes(event.key);
    if (isIt) event.preventDefault(); // no click beside
    return isIt;
  };
  hold.onpointerdown = (event) => {
    if (event.isTrusted) hold.setPointerCapture(event.pointerId);
    begin();
  };
  hold.onpointerup = hold.onpointercancel = hold.onblur = end;
  hold.onkeyup = (event) => { if (isKey(event)) end(); };
  hold.onkeydown = (event) => { if (isKey(event) && !event.repeat) begin(); };
  hold.onclick = ({ detail }) => { if (!detail) record(found); }; // of screen readers and voice control
  hold.oncontextmenu = (event) => event.preventDefault(); // which a long touch opens
}

async function record(found) {
  if (found.isRecording) return;
  found.isRecording = true;
  found.card.classList.add("recording");
  try {
    if (zoo.isPaused) {
      zoo.pause(false);
      await new Promise(requestAnimationFrame); // the picture is live again
    }
    do {
      const pause = new Promise((resolve) => setTimeout(resolve, EVERY));
      if (!(await addExample(found, null, zoo.canvas))) break;
      await pause;
    } while (found.isHeld);
  } finally {
    found.isRecording = false;
    found.card.classList.remove("recording");
  }
}

async function addFiles(found, input) {
  const unread = [];
  for (const file of [...input.files]) {
    element("scores").textContent = text("reading", file.name);
    let image;
    try {
      image = await createImageBitmap(file);
    } catch {
      unread.push(file.name);
      continue;
    }
    const isAdded = await addExample(found, file, image);
    image.close();
    if (!isAdded) break;
  }
  input.value = "";
  showState(unread.length ? text("unread", unread.join(", ")) : null);
}

/** Send an example, the present frame or a file; whether the app took it. */
async function addExample(found, file, image) {
  const isThere = () => classes.get(found.label) === found;
  if (!isThere()) return false; // removed while files were read
  const thumb = small(image);
  let answer;
  try {
    answer = await zoo.sendImage("example", {}, file);
  } catch {
    return false; // there is no frame yet
  }
  if (answer?.type !== "example") return false;
  if (!isThere()) { zoo.send("remove", { numbers: [answer.number] }); return false; }
  found.examples.add(answer.number, thumb);
  changed();
  return true;
}

function removeExample(number) {
  for (const { examples } of classes.values()) examples.remove(number);
  zoo.send("remove", { numbers: [number] });
  changed();
}

// --- what is shown -------------------------------------------------------------------------------

let state = "new"; // "new", "training", "trained" or "changed" since the training

let asked = []; // {number, label, image} of the examples that were trained, in their order

function changed() {
  if (state === "trained") state = "changed";
  for (const { count, examples } of classes.values()) count.textContent = examples.size;
  showState();
}

/** What the user should do next. */
function showState(words = null) {
  const all = [...classes.values()];
  const few = all.filter(({ examples }) => examples.size < NEEDED);
  const isReady = all.length - few.length >= 2;
  element("train").disabled = !isReady || few.some(({ examples }) => examples.size) || state === "training";
  const next = { training: "training", changed: "changed" }[state] ?? (isReady && !few.length ? "ready" : "hint");
  const labels = few.map(({ label }) => label).join(", ");
  const missing = labels && all.some(({ examples }) => examples.size) ? text("few", labels, NEEDED) : null;
  if (words ?? (state !== "trained")) element("scores").textContent = words ?? missing ?? text(next);
}

function train() {
  state = "training";
  showState();
  warn([]);
  const all = [...classes.values()].filter(({ examples }) => examples.size);
  asked = all.flatMap(({ label, examples }) => examples.all.map((example) => ({ ...example, label })));
  zoo.send("train", { labels: all.map(({ label, examples }) => [label, examples.numbers]) });
}

/** Warnings, in which images stand for the numbers of examples; a click removes an example. */
function warn(warnings) {
  const lines = warnings.map((words) => make("li", {}, ...pictured(words, asked, removeExample)));
  element("warnings").replaceChildren(...lines);
  element("warnings").hidden = !warnings.length;
}

function failed(words) {
  state = "new";
  showState(text("untrained"));
  warn([words]);
}

function trained({ images, accuracy, confusion, warnings }) {
  state = "trained";
  showState(text(images ? "accuracy" : "unscored", (100 * accuracy).toFixed(0), images));
  warn(warnings);
  showConfusion(confusion);
  element("confusion").hidden = !images;
  element("try").hidden = false;
  element("zoo").href = zoo.download("zoo.zip");
  element("teachable").href = zoo.download("teachable.zip");
}

/** The program keeps examples for as long as a connection lasts. */
function forgotten() {
  if (state === "new" && ![...classes.values()].some(({ examples }) => examples.size)) return;
  state = "new";
  for (const { examples } of classes.values()) examples.clear();
  changed();
  element("try").hidden = element("warnings").hidden = true;
  showState(text("forgotten"));
}

zoo.on("hello", forgotten);
zoo.on("train", ({ value }) => trained(value));
zoo.on("error", ({ number, message }) => { if (state === "training" && number === null) failed(message); });
zoo.on("result", ({ result }) => { if (result?.length) showBars(result, (label) => classes.get(label)?.colour); });

element("add").onsubmit = (event) => {
  event.preventDefault();
  addClass(element("label").value.trim());
  element("label").value = "";
};
element("train").onclick = train;
element("panel").after(element("try")); // below the picture, where there is room
zoo.ready.then(() => { for (const label of text("first_classes").split(",")) addClass(label.trim()); });
