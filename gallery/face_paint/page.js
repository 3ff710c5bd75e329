import { zoo, text, line, dot, drawFace } from "../assets/zoo.js";

// Points of the mesh of 468: see MediaPipe's canonical face model. Of two, the person's right one is
// the first, which is on the right of mirror images, as cameras give.
const [NOSE, TOP, CHIN] = [4, 10, 152];
const EARS = [234, 454];
const CHEEKS = [205, 425];
const EYES = [[33, 133], [362, 263]];
const INK = "#26262e";
const counts = { smile: 0, blink: 0 };

zoo.draws = false;
zoo.synchronous = true; // paint stays where the face is in the frame that is shown

zoo.on("result", ({ events, result }) => {
  for (const { label, type } of events ?? []) {
    if (label in counts && ["happened", "started"].includes(type)) count(label);
  }
  const said = document.getElementById("said");
  said.hidden = false;
  const words = text(["nobody", "one", "two"][result.length]);
  if (said.textContent !== words) said.textContent = words;
});

function count(label) {
  const number = document.getElementById(`${label}s`);
  number.textContent = counts[label] += 1;
  number.classList.remove("flash");
  void number.offsetWidth; // so that the next animation begins
  number.classList.add("flash");
}

const place = (face, index) => face.keypoints[index].position;
const middle = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

/** Two places from left to right as one sees a face that is upright, mirrored or not. */
function inOrder(face, [a, b]) {
  const [top, chin] = [place(face, TOP), place(face, CHIN)];
  const isOrdered = (b.x - a.x) * (chin.y - top.y) > (b.y - a.y) * (chin.x - top.x);
  return isOrdered ? [a, b] : [b, a];
}

/** Draw along two places: the origin is given, their distance is 1, y goes to the chin. */
function along(context, face, places, origin, draw) {
  const [left, right] = inOrder(face, places);
  context.save();
  context.translate(origin.x, origin.y);
  context.rotate(Math.atan2(right.y - left.y, right.x - left.x));
  context.scale(distance(left, right), distance(left, right));
  draw();
  context.restore();
}

/** Draw in the face's own frame, whose width is 1. */
function within(context, face, origin, draw) {
  along(context, face, EARS.map((ear) => place(face, ear)), origin, draw);
}

function shape(context, places, colour) {
  context.beginPath();
  for (const [x, y] of places) context.lineTo(x, y);
  context.closePath();
  Object.assign(context, { fillStyle: colour, strokeStyle: colour, lineWidth: 0.03, lineJoin: "round" });
  context.fill();
  context.stroke(); // rounds the corners
}

function oval(context, x, y, across, down, colour) {
  context.beginPath();
  context.ellipse(x, y, across, down, 0, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
}

const PAINTS = {
  cat(context, face) {
    for (const cheek of CHEEKS) {
      within(context, face, place(face, cheek), () => oval(context, 0, 0, 0.11, 0.08, "#f08aa866"));
    }
    within(context, face, place(face, NOSE), () => {
      oval(context, 0, 0.01, 0.075, 0.055, INK);
      oval(context, -0.02, -0.01, 0.02, 0.012, "#ffffff99");
      for (const side of [-1, 1]) for (const slope of [-0.1, 0, 0.1]) {
        line(context, [{ x: 0.17 * side, y: 0.08 + slope / 3 }, { x: 0.6 * side, y: 0.06 + slope }], INK, 0.016);
      }
    });
    within(context, face, place(face, TOP), () => {
      for (const side of [-1, 1]) {
        shape(context, [[0.1 * side, -0.32], [0.5 * side, -0.14], [0.46 * side, -0.64]], INK);
        shape(context, [[0.21 * side, -0.33], [0.42 * side, -0.23], [0.41 * side, -0.52]], "#f08aa8");
      }
    });
  },
  glasses(context, face) {
    const eyes = EYES.map(([outer, inner]) => middle(place(face, outer), place(face, inner)));
    along(context, face, eyes, middle(...eyes), () => {
      for (const side of [-1, 1]) {
        oval(context, side / 2, 0.04, 0.4, 0.34, "#17244acc");
        context.lineWidth = 0.06;
        context.strokeStyle = INK;
        context.stroke();
        line(context, [{ x: 0.9 * side, y: -0.04 }, { x: 1.15 * side, y: -0.1 }], INK, 0.06);
        line(context, [{ x: side / 2 - 0.18, y: 0.06 }, { x: side / 2 - 0.04, y: -0.14 }], "#ffffff66", 0.06);
      }
      line(context, [{ x: -0.12, y: -0.02 }, { x: 0.12, y: -0.02 }], INK, 0.07);
    });
  },
  crown(context, face) {
    within(context, face, place(face, TOP), () => {
      const tips = [[-0.5, -0.5], [-0.25, -0.3], [0, -0.58], [0.25, -0.3], [0.5, -0.5]];
      shape(context, [[-0.44, -0.06], ...tips, [0.44, -0.06]], "#f2b632");
      line(context, [{ x: -0.43, y: -0.1 }, { x: 0.43, y: -0.1 }], "#c98a14", 0.03);
      for (const [x, y] of tips.filter((_, index) => index % 2 === 0)) dot(context, { x, y }, "#d1495b", 0.045);
      for (const x of [-0.22, 0, 0.22]) dot(context, { x, y: -0.2 }, x ? "#2a9d8f" : "#d1495b", 0.035);
    });
  },
  mesh(context, face, unit) {
    for (const { position } of face.keypoints) dot(context, position, "#56b4e9", 0.5 * unit);
    drawFace(context, face, "#e69f00", unit);
  },
};

zoo.onDraw((context, { result, size }) => {
  for (const face of result) PAINTS[zoo.value("paint")](context, face, Math.max(...size) / 320);
});
