import { zoo, text, dot } from "../assets/zoo.js";

const COLOURS = { blue: "#56b4e9", orange: "#e69f00", green: "#00b282", pink: "#e482b6", white: "#ffffff" };
const PINCHED = 0.7; // of 0..1: fingers that are further apart are letting go
const JUMP = 1.5; // palms: a hand that comes back further away begins another stroke
const MOST_BEFORE = 8; // places before a pinch is certain
const READ = 2500; // milliseconds for which the hint about a button stays
const NEAR = 0.05; // palm by width of the frame: a smaller hand's fingers are hard to tell apart

const element = (id) => document.getElementById(id);
const pens = new Map(); // id of a hand that pinches -> {stroke, answer}
const touched = new Map(); // id of a hand -> where its fingers have been since they touched
let strokes = []; // {colour, width, places}, in pixels of a frame
let answers = 0;
let hintedUntil = 0;

const paper = Object.assign(document.createElement("canvas"), { id: "paper", width: 640, height: 480 });
const context = paper.getContext("2d");

zoo.draws = false;

// --- drawing ---

/** A curve through the middles between places, which hides how few of them there are. */
function drawStroke(context, { colour, width, places }) {
  Object.assign(context, { strokeStyle: colour, lineWidth: width, lineCap: "round", lineJoin: "round" });
  context.beginPath();
  context.moveTo(places[0].x, places[0].y);
  for (let k = 1; k < places.length - 1; k += 1) {
    const [a, b] = [places[k], places[k + 1]];
    context.quadraticCurveTo(a.x, a.y, (a.x + b.x) / 2, (a.y + b.y) / 2);
  }
  const last = places.at(-1);
  context.lineTo(last.x, last.y);
  context.stroke();
}

/** A ring that closes with the fingers, and is full while they draw. */
function drawPen(hand) {
  const { colour } = hand;
  const radius = zoo.value("width") / 2 + 4;
  if (hand.isDrawing) { dot(context, hand.tip, colour, radius); return; }
  context.beginPath();
  context.arc(hand.tip.x, hand.tip.y, radius + 22 * (1 - hand.pinch), 0, 2 * Math.PI);
  Object.assign(context, { strokeStyle: colour, lineWidth: 3 });
  context.stroke();
}

function draw(hands = []) {
  context.clearRect(0, 0, paper.width, paper.height);
  for (const stroke of strokes) drawStroke(context, stroke);
  for (const hand of hands) drawPen(hand);
  element("strokes").textContent = strokes.length;
}

/** Another size of frames, such as that of a turned phone, keeps the drawing. */
function resize([width, height]) {
  if (paper.width === width && paper.height === height) return;
  const scale = Math.min(width / paper.width, height / paper.height);
  for (const stroke of strokes) stroke.places = stroke.places.map(({ x, y }) => ({ x: x * scale, y: y * scale }));
  Object.assign(paper, { width, height });
}

// --- hands ---

const colour = () => COLOURS[document.querySelector("#colours input:checked").value];
const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

/** What matters of a hand: the place between the tips of thumb and index finger, and its size. */
function read(hand, id, { pinch = 0 } = {}) {
  const places = Object.fromEntries(hand.keypoints.map((point) => [point.part, point.position]));
  const [thumb, index] = [places.thumb_tip, places.index_finger_tip];
  const tip = { x: (thumb.x + index.x) / 2, y: (thumb.y + index.y) / 2 };
  const palm = distance(places.wrist, places.middle_finger_mcp);
  return { id, tip, palm, pinch, colour: colour(), isDrawing: false };
}

/** Begin a stroke where the fingers touched: it takes a few frames until a pinch is certain. */
function begin(pen, hand) {
  pen.stroke = { colour: hand.colour, width: zoo.value("width"), places: pen.stroke ? [hand.tip] : touched.get(hand.id) };
  strokes.push(pen.stroke);
  touched.delete(hand.id);
}

function touch({ id, pinch, tip }) {
  if (pinch < PINCHED) touched.delete(id);
  else if (!pens.get(id)?.stroke) touched.set(id, [...(touched.get(id) ?? []), tip].slice(-MOST_BEFORE));
}

/** Let a pinching hand draw. */
function move(hand) {
  const pen = pens.get(hand.id);
  if (!pen || hand.pinch < PINCHED) return;
  const wasAway = pen.answer < answers - 1;
  const isFar = pen.stroke && distance(pen.stroke.places.at(-1), hand.tip) > JUMP * hand.palm;
  if (!pen.stroke || (wasAway && isFar)) begin(pen, hand);
  else pen.stroke.places.push(hand.tip);
  pen.answer = answers;
  hand.isDrawing = true;
}

function pinched({ label, type, id }) {
  if (label !== "pinch") return;
  if (type === "started") pens.set(id, { stroke: null, answer: answers });
  if (type === "ended") pens.delete(id);
}

/** What the page waits for. */
function hint(hands, width) {
  const isDrawing = hands.some((hand) => hand.isDrawing);
  const isFar = hands.length > 0 && hands.every(({ palm }) => palm < NEAR * width);
  const name = isDrawing ? "drawing" : !hands.length ? "show_hand" : isFar ? "nearer" : "pinch";
  if (!isDrawing && performance.now() < hintedUntil) return;
  say(name);
  element("hint").className = isDrawing ? "drawing" : "";
}

function say(name) {
  if (element("hint").textContent !== text(name)) element("hint").textContent = text(name);
}

zoo.on("result", ({ result, ids, values, events, size }) => {
  answers += 1;
  resize(size);
  events.forEach(pinched);
  const hands = result.map((hand, index) => read(hand, ids[index], values[index]));
  for (const id of touched.keys()) if (!ids.includes(id)) touched.delete(id);
  hands.forEach(touch);
  hands.forEach(move);
  draw(hands);
  hint(hands, size[0]);
});
zoo.on("hello", () => { pens.clear(); touched.clear(); }); // a new connection counts hands anew

// --- buttons, which need no program ---

function announce() { element("announced").textContent = `${text("strokes")}: ${strokes.length}`; }

/** Take strokes away, also from hands that are drawing them. */
function keep(kept) {
  for (const pen of pens.values()) if (!kept.includes(pen.stroke)) pen.stroke = null;
  touched.clear();
  strokes = kept;
  draw();
  announce();
}

/** Say why a button does nothing, for as long as it takes to read it. */
function warn(name) {
  hintedUntil = performance.now() + READ;
  element("hint").className = "";
  say(name);
  element("announced").textContent = text(name);
}

zoo.onPress("undo", () => keep(strokes.slice(0, -1)));
zoo.onPress("clear", () => keep([]));
zoo.onPress("save", () => {
  if (!strokes.length) { warn("nothing"); return; }
  const copy = Object.assign(document.createElement("canvas"), { width: paper.width, height: paper.height });
  const context = copy.getContext("2d");
  context.fillStyle = "#14181f";
  context.fillRect(0, 0, copy.width, copy.height);
  for (const stroke of strokes) drawStroke(context, stroke);
  copy.toBlob((blob) => zoo.saveFile(blob, "drawing.png"), "image/png");
});

for (const input of document.querySelectorAll("#colours input")) {
  input.style.setProperty("--ink-of", COLOURS[input.value]);
}
zoo.ready.then(() => {
  paper.setAttribute("role", "img");
  paper.setAttribute("aria-label", text("paper"));
  element("stage").append(paper);
});
