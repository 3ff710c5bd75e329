import { zoo, text } from "../assets/zoo.js";
import { element, make } from "../assets/common.js";
import { showBars, showConfusion } from "./results.js";

const EVERY = 100; // milliseconds between examples while a button is held
const NEEDED = 2; // examples of each class
const THUMBS = 10; // small images that a class shows
const COLOURS = 6; // of page.css, one for each class

const classes = new Map(); // label -> {card, thumbs, ..}, in the page's order
let counts = {}; // of examples, by label
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
  found.thumbs = make("div", { className: "thumbs", ariaHidden: "true" });
  const number = make("span", { className: "muted" }, found.count, " ", text("examples"));
  const choose = make("label", { className: "button files" }, text("files"), files);
  found.card = make("div", { className: "class" }, name, number, hold, choose, remove, found.thumbs);
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
}

function rename(found, input) {
  const label = input.value.trim();
  if (!label || classes.has(label)) { input.value = found.label; return; }
  zoo.send("rename", { label: found.label, to: label });
  const all = [...classes.values()];
  found.label = label;
  classes.clear();
  for (const each of all) classes.set(each.label, each);
  describe(found);
  changed();
}

function removeClass(found) {
  zoo.send("rename", { label: found.label, to: "" });
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
  const isKey = (event) => [" ", "Enter"].includes(event.key);
  hold.onpointerdown = (event) => {
    if (event.isTrusted) hold.setPointerCapture(event.pointerId);
    begin();
  };
  hold.onpointerup = hold.onpointercancel = hold.onblur = hold.onkeyup = end;
  hold.onkeydown = (event) => { if (isKey(event) && !event.repeat) begin(); };
  hold.oncontextmenu = (event) => event.preventDefault(); // which a long touch opens
}

async function record(found) {
  if (found.isRecording) return;
  found.isRecording = true;
  found.card.classList.add("recording");
  try {
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
  const thumb = make("canvas", { width: 64, height: 48 });
  const scale = Math.max(64 / image.width, 48 / image.height);
  const [width, height] = [scale * image.width, scale * image.height];
  thumb.getContext("2d").drawImage(image, (64 - width) / 2, (48 - height) / 2, width, height);
  let answer;
  try {
    answer = await zoo.sendImage("example", { label: found.label }, file);
  } catch {
    return false; // there is no frame yet
  }
  if (answer?.type !== "example") return false;
  found.thumbs.append(thumb);
  if (found.thumbs.childElementCount > THUMBS) found.thumbs.firstChild.remove();
  return true;
}

// --- what is shown -------------------------------------------------------------------------------

let state = "new"; // "new", "training", "trained" or "changed" since the training

function changed() { if (state === "trained") state = "changed"; showState(); }

function count(value) {
  counts = value;
  for (const { label, count } of classes.values()) count.textContent = counts[label] ?? 0;
  changed();
}

/** What the user should do next. */
function showState(words = null) {
  const few = [...classes.keys()].filter((label) => (counts[label] ?? 0) < NEEDED);
  const isReady = Object.values(counts).filter((number) => number >= NEEDED).length >= 2;
  element("train").disabled = !isReady || few.some((label) => counts[label]) || state === "training";
  const next = { training: "training", changed: "changed" }[state] ?? (isReady && !few.length ? "ready" : "hint");
  const missing = few.length && Object.keys(counts).length ? text("few", few.join(", "), NEEDED) : null;
  if (words ?? (state !== "trained")) element("scores").textContent = words ?? missing ?? text(next);
}

function trained({ images, accuracy, confusion, warnings }) {
  state = "trained";
  showState(text(images ? "accuracy" : "unscored", (100 * accuracy).toFixed(0), images));
  element("warnings").replaceChildren(...warnings.map((words) => make("li", { textContent: words })));
  element("warnings").hidden = !warnings.length;
  showConfusion(confusion);
  element("confusion").hidden = !images;
  element("try").hidden = false;
  element("zoo").href = zoo.download("zoo.zip");
  element("teachable").href = zoo.download("teachable.zip");
}

/** The program keeps examples for as long as a connection lasts. */
function forgotten() {
  if (!Object.keys(counts).length && state === "new") return;
  state = "new";
  count({});
  for (const { thumbs } of classes.values()) thumbs.replaceChildren();
  element("try").hidden = element("warnings").hidden = true;
  showState(text("forgotten"));
}

zoo.on("hello", forgotten);
zoo.on("example", ({ value }) => count(value));
zoo.on("rename", ({ value }) => count(value));
zoo.on("train", ({ value }) => trained(value));
zoo.on("error", ({ message }) => { if (state === "training") { state = "new"; showState(message); } });
zoo.on("result", ({ result }) => { if (result?.length) showBars(result, (label) => classes.get(label)?.colour); });

element("add").onsubmit = (event) => {
  event.preventDefault();
  addClass(element("label").value.trim());
  element("label").value = "";
};
element("train").onclick = () => { state = "training"; showState(); zoo.send("train"); };
element("panel").after(element("try")); // below the picture, where there is room
zoo.ready.then(() => { for (const label of text("first_classes").split(",")) addClass(label.trim()); });
