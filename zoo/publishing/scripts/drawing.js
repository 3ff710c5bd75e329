const DRAWING_COLOURS = ["#56b4e9", "#e69f00", "#00b282", "#e482b6", "#f0e442", "#de6414"];

/** Least score of a keypoint of a body that is drawn; hands and faces have one score for all. */
const DRAWN_KEYPOINT = 0.3;

/**
 * Draw what is found in a picture: keypoints with the lines of a skeleton, contours, and boxes.
 *
 * @param context of the canvas with the picture
 * @param result a list of items with keypoints or boxes; others have nothing to draw
 * @param skeleton names of keypoints, and lines between their numbers; undefined without lines
 */
export function drawBoxesAndPoints(context, result, skeleton) {
  const unit = Math.max(context.canvas.width, context.canvas.height) / 320;
  result.forEach((item, number) => {
    const colour = DRAWING_COLOURS[number % DRAWING_COLOURS.length];
    if (item.contours) drawContours(context, item, colour, unit);
    else if (item.keypoints) drawKeypoints(context, item, skeleton?.lines ?? [], colour, unit);
    if (item.landmarks) drawBox(context, item.box, colour, unit);
  });
}

function drawKeypoints(context, { keypoints }, lines, colour, unit) {
  const isSure = (number) => keypoints[number].score >= DRAWN_KEYPOINT;
  for (const [from, to] of lines) {
    if (isSure(from) && isSure(to)) drawLine(context, keypoints[from], keypoints[to], colour, unit);
  }
  keypoints.forEach((keypoint, number) => {
    if (isSure(number)) drawDot(context, keypoint, lines.length ? "#fff" : colour, unit);
  });
}

/** The lines along the parts of a face, such as its lips; a dot for each point would hide it. */
function drawContours(context, { contours, keypoints }, colour, unit) {
  for (const numbers of Object.values(contours)) {
    for (let i = 1; i < numbers.length; i++) {
      const [from, to] = [keypoints[numbers[i - 1]], keypoints[numbers[i]]];
      drawLine(context, from, to, colour, unit / 2);
    }
  }
}

function drawLine(context, from, to, colour, unit) {
  context.beginPath();
  context.moveTo(from.position.x, from.position.y);
  context.lineTo(to.position.x, to.position.y);
  Object.assign(context, { strokeStyle: colour, lineWidth: 2 * unit, lineCap: "round" });
  context.stroke();
}

function drawDot(context, { position: { x, y } }, colour, unit) {
  context.beginPath();
  context.arc(x, y, 1.5 * unit, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
}

function drawBox(context, { x, y, width, height }, colour, unit) {
  Object.assign(context, { strokeStyle: colour, lineWidth: 1.6 * unit });
  context.strokeRect(x, y, width, height);
}
