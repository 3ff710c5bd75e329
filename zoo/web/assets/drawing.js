// Drawing of what the functions of the zoo return, in pixels of the frame.

import { values } from "./controls.js";

const COLOURS = ["#56b4e9", "#e69f00", "#00b282", "#e482b6", "#f0e442", "#de6414"];
const BODY = [
  ["left_shoulder", "right_shoulder"], ["left_shoulder", "left_elbow"], ["left_elbow", "left_wrist"],
  ["right_shoulder", "right_elbow"], ["right_elbow", "right_wrist"], ["left_shoulder", "left_hip"],
  ["right_shoulder", "right_hip"], ["left_hip", "right_hip"], ["left_hip", "left_knee"],
  ["left_knee", "left_ankle"], ["right_hip", "right_knee"], ["right_knee", "right_ankle"],
];
const FINGERS = ["thumb", "index_finger", "middle_finger", "ring_finger", "pinky_finger"];

/** Draw any result of the zoo: poses, hands, faces, boxes, gestures, masks, labels. */
export function drawResult(context, result) {
  const items = itemsOf(result);
  const unit = Math.max(context.canvas.width, context.canvas.height) / 320;
  items.forEach((item, index) => drawItem(context, item, COLOURS[index % COLOURS.length], unit));
  const labels = items.filter((item) => item.label && !item.box && item.hand === undefined);
  labels.forEach((item, index) => write(context, caption(item), 4 * unit, (15 + 14 * index) * unit, COLOURS[0], unit));
}

function itemsOf(result) {
  return (Array.isArray(result) ? result : [result]).filter((item) => item && typeof item === "object");
}

function drawItem(context, item, colour, unit) {
  if (item.mask) drawMask(context, item.mask, colour);
  if (item.landmarks) drawFace(context, item, colour, unit);
  else if (item.handedness && item.keypoints) drawHand(context, item, unit);
  else if (item.keypoints) drawPose(context, item, colour, unit);
  else if (item.box) drawBox(context, item.box, colour, unit, caption(item));
}

function caption(item) {
  return [item.label, item.score === undefined ? null : `${Math.round(100 * item.score)} %`].filter(Boolean).join(" ");
}

function points(item, least = values.threshold ?? 0.3) {
  return Object.fromEntries(item.keypoints.filter((p) => (p.score ?? 1) >= least).map((p) => [p.part, p.position]));
}

export function line(context, places, colour, width) {
  context.beginPath();
  places.forEach(({ x, y }, index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  Object.assign(context, { strokeStyle: colour, lineWidth: width, lineCap: "round", lineJoin: "round" });
  context.stroke();
}

export function dot(context, { x, y }, colour, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
}

export function drawPose(context, pose, colour, unit) {
  const found = points(pose);
  for (const [from, to] of BODY) if (found[from] && found[to]) line(context, [found[from], found[to]], colour, 2.2 * unit);
  for (const place of Object.values(found)) dot(context, place, "#fff", 1.6 * unit);
}

export function drawHand(context, hand, unit) {
  const found = points(hand, 0);
  FINGERS.forEach((finger, index) => {
    const chain = [found.wrist, ...hand.keypoints.filter((p) => p.part.startsWith(finger)).map((p) => p.position)];
    if (found.wrist) line(context, chain, COLOURS[index], 1.6 * unit);
  });
  for (const place of Object.values(found)) dot(context, place, "#fff", 1.1 * unit);
}

export function drawFace(context, face, colour, unit) {
  if (face.contours) {
    for (const indices of Object.values(face.contours)) {
      line(context, indices.map((index) => face.keypoints[index].position), colour, 0.9 * unit);
    }
  } else for (const { position } of face.keypoints) dot(context, position, colour, 1.2 * unit);
}

export function drawBox(context, { x, y, width, height }, colour, unit, words = "") {
  Object.assign(context, { strokeStyle: colour, lineWidth: 1.8 * unit });
  context.strokeRect(x, y, width, height);
  if (words) write(context, words, x, y, colour, unit);
}

/** Words on a plate, within the picture. */
export function write(context, words, x, y, colour, unit) {
  context.font = `600 ${7.5 * unit}px system-ui, sans-serif`;
  const width = context.measureText(words).width + 6 * unit;
  const top = Math.max(0, y - 11 * unit);
  context.fillStyle = colour;
  context.fillRect(x, top, width, 11 * unit);
  context.fillStyle = "#14141a";
  context.textBaseline = "middle";
  context.fillText(words, x + 3 * unit, top + 5.8 * unit);
}

const masks = new WeakMap(); // mask -> its image of one colour

/** Decode the masks of a result, so that they can be drawn at once. */
export async function prepare(result) {
  await Promise.all(itemsOf(result).map(async ({ mask }, index) => {
    if (mask) masks.set(mask, await tint(mask, COLOURS[index % COLOURS.length]));
  }));
}

export function drawMask(context, mask, colour) {
  if (!masks.has(mask)) {
    masks.set(mask, null);
    tint(mask, colour).then((image) => masks.set(mask, image));
  }
  const image = masks.get(mask);
  if (image) context.drawImage(image, 0, 0);
}

/** A mask, which is a PNG in base64 whose values are 0 for the background, as an image of one colour. */
export async function tint(mask, colour, alpha = 0.5) {
  const bytes = Uint8Array.from(atob(mask.png), (letter) => letter.charCodeAt(0));
  const decoded = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(decoded.width, decoded.height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(decoded, 0, 0);
  decoded.close();
  const image = context.getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Uint32Array(image.data.buffer); // of each pixel, whose values are 0 or not
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  const filled = new Uint32Array(new Uint8Array([red, green, blue, 255 * alpha]).buffer)[0];
  for (let at = 0; at < colours.length; at += 1) colours[at] = colours[at] & 0xff ? filled : 0;
  context.putImageData(image, 0, 0);
  return canvas;
}
