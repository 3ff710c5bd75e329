import { zoo, dot, line } from "../assets/zoo.js";

const COLOURS = { blue: "#56b4e9", orange: "#e69f00", green: "#00b282", pink: "#e482b6", white: "#ffffff" };
const PINCHED = 0.75; // of 0..1; a stroke ends below 0.55, so that it does not flicker
const LET_GO = 0.55;

const paper = document.createElement("canvas");
let stroke = null; // the last place of the stroke that is being drawn
let strokes = 0;

zoo.draws = false;

/** Between the tips of the thumb and the index finger. */
function pen(hand) {
  const tips = Object.fromEntries(hand.keypoints.map((point) => [point.part, point.position]));
  const [thumb, index] = [tips.thumb_tip, tips.index_finger_tip];
  return { x: (thumb.x + index.x) / 2, y: (thumb.y + index.y) / 2 };
}

zoo.on("result", ({ result, values, size }) => {
  if (paper.width !== size[0] || paper.height !== size[1]) Object.assign(paper, { width: size[0], height: size[1] });
  const hand = result[0];
  const pinch = values?.[0]?.pinch ?? 0;
  if (!hand || pinch < (stroke ? LET_GO : PINCHED)) { stroke = null; return; }
  const place = pen(hand);
  if (stroke) line(paper.getContext("2d"), [stroke, place], COLOURS[zoo.value("colour")], zoo.value("width"));
  else document.getElementById("strokes").textContent = (strokes += 1);
  stroke = place;
});

zoo.onDraw((context, { result }) => {
  if (paper.width) context.drawImage(paper, 0, 0);
  if (result[0]) dot(context, pen(result[0]), stroke ? COLOURS[zoo.value("colour")] : "#ffffff88", zoo.value("width") / 2 + 3);
});

zoo.on("clear", () => {
  paper.getContext("2d").clearRect(0, 0, paper.width, paper.height);
  document.getElementById("strokes").textContent = strokes = 0;
});

zoo.on("save", () => {
  const copy = Object.assign(document.createElement("canvas"), { width: paper.width, height: paper.height });
  const context = copy.getContext("2d");
  context.fillStyle = "#14181f";
  context.fillRect(0, 0, copy.width, copy.height);
  context.drawImage(paper, 0, 0);
  copy.toBlob((blob) => zoo.saveFile(blob, "drawing.png"), "image/png");
});
