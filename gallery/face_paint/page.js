import { zoo, line, dot, drawFace } from "../assets/zoo.js";

// Points of the mesh of 468: see MediaPipe's canonical face model.
const [NOSE, CHIN, TOP, LEFT, RIGHT] = [1, 152, 10, 234, 454];
const CHEEKS = [205, 425];
const EYES = [[33, 133], [263, 362]];
const counts = { smile: 0, blink: 0 };
zoo.draws = false;
zoo.synchronous = true;

zoo.on("result", ({ events }) => {
  for (const { label, type } of events ?? []) {
    if (label in counts && ["happened", "started"].includes(type)) {
      document.getElementById(`${label}s`).textContent = counts[label] += 1;
    }
  }
});

const place = (face, index) => face.keypoints[index].position;
const middle = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

/** Draw in the face's own frame: the nose is at 0, the width of the face is 1, x to its right. */
function within(context, face, origin, draw) {
  const [left, right] = [place(face, LEFT), place(face, RIGHT)];
  context.save();
  context.translate(origin.x, origin.y);
  context.rotate(Math.atan2(right.y - left.y, right.x - left.x));
  const width = Math.hypot(right.x - left.x, right.y - left.y);
  context.scale(width, width);
  draw();
  context.restore();
}

const PAINTS = {
  cat(context, face) {
    within(context, face, place(face, NOSE), () => {
      context.beginPath();
      context.ellipse(0, 0, 0.07, 0.05, 0, 0, 2 * Math.PI);
      context.fillStyle = "#2b2b33";
      context.fill();
      for (const side of [-1, 1]) for (const slope of [-0.08, 0, 0.08]) {
        line(context, [{ x: 0.14 * side, y: 0.06 }, { x: 0.5 * side, y: 0.06 + slope }], "#2b2b33", 0.014);
      }
    });
    within(context, face, place(face, TOP), () => {
      for (const side of [-1, 1]) {
        context.beginPath();
        context.moveTo(0.12 * side, 0); context.lineTo(0.42 * side, 0.1); context.lineTo(0.36 * side, -0.3);
        context.closePath();
        context.fillStyle = "#2b2b33";
        context.fill();
      }
    });
  },
  glasses(context, face, unit) {
    const centres = EYES.map(([outer, inner]) => middle(place(face, outer), place(face, inner)));
    const radius = 0.38 * Math.hypot(centres[0].x - centres[1].x, centres[0].y - centres[1].y);
    for (const centre of centres) {
      context.beginPath();
      context.arc(centre.x, centre.y, radius, 0, 2 * Math.PI);
      Object.assign(context, { fillStyle: "#1b2a4a99", strokeStyle: "#14141a", lineWidth: 2 * unit });
      context.fill();
      context.stroke();
    }
    line(context, centres, "#14141a", 2 * unit);
  },
  crown(context, face) {
    within(context, face, place(face, TOP), () => {
      context.beginPath();
      context.moveTo(-0.42, 0.04);
      for (const [x, y] of [[-0.46, -0.34], [-0.22, -0.14], [0, -0.42], [0.22, -0.14], [0.46, -0.34], [0.42, 0.04]]) context.lineTo(x, y);
      context.closePath();
      context.fillStyle = "#f2b632";
      context.fill();
      for (const x of [-0.46, 0, 0.46]) dot(context, { x, y: x ? -0.34 : -0.42 }, "#d1495b", 0.035);
    });
  },
  mesh(context, face, unit) {
    for (const { position } of face.keypoints) dot(context, position, "#56b4e9", 0.5 * unit);
    drawFace(context, face, "#e69f00", unit);
  },
};

zoo.onDraw((context, { result, size }) => {
  for (const face of result) {
    if (face.keypoints.length < 468) continue;
    PAINTS[zoo.value("paint")](context, face, Math.max(...size) / 320);
    if (zoo.value("paint") === "cat") for (const cheek of CHEEKS) dot(context, place(face, cheek), "#e482b680", 0.05 * Math.hypot(place(face, RIGHT).x - place(face, LEFT).x, 0));
  }
});
