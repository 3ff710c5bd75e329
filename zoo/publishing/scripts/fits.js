import { placementOfScale } from "./placement.js";
import { resizedPixels } from "./resizing.js";

/**
 * A whole image as the input of a network: {values, placement}, of which the placement leads back
 * to pixels of the image.
 */
export function prepare(pixels, { size, preprocess }) {
  const { source, target, placement } = FITS[preprocess.fit](pixels, size);
  const part = partOfImage(pixels, source, preprocess.level);
  const [left, top, right, bottom] = target;
  const levels = resizedPixels(part, right - left, bottom - top);
  return { values: scaledLevels(levels, target, size, preprocess), placement };
}

/** From the sides of an image, and those of the input: boxes are left, top, right, bottom. */
const FITS = { letterbox: letterboxFit, stretch: stretchFit, crop: cropFit, pad: padFit };

/** The largest placement that keeps the aspect ratio, centred. */
function letterboxFit(image, [height, width]) {
  const scale = Math.min(width / image.width, height / image.height);
  const across = Math.max(1, roundedHalfEven(image.width * scale));
  const down = Math.max(1, roundedHalfEven(image.height * scale));
  const [left, top] = [(width - across) >> 1, (height - down) >> 1];
  return {
    source: [0, 0, image.width, image.height],
    target: [left, top, left + across, top + down],
    placement: placementOfScale(scale, scale, left, top),
  };
}

function stretchFit(image, size) {
  return fitOfSource([0, 0, image.width, image.height], size);
}

/** The square in the middle, of whole pixels. */
function cropFit({ width, height }, size) {
  const side = Math.min(width, height);
  const [left, top] = [(width - side) >> 1, (height - side) >> 1];
  return fitOfSource([left, top, left + side, top + side], size);
}

function padFit({ width, height }, size) {
  const side = Math.max(width, height);
  return fitOfSource([0, 0, side, side], size);
}

function fitOfSource(source, [height, width]) {
  const [left, top, right, bottom] = source;
  const [across, down] = [width / (right - left), height / (bottom - top)];
  const placement = placementOfScale(across, down, -left * across, -top * down);
  return { source, target: [0, 0, width, height], placement };
}

/** The nearest integer, of halves the even one, as Python rounds. */
function roundedHalfEven(number) {
  const below = Math.floor(number);
  const more = number - below;
  return below + (more > 0.5 || (more === 0.5 && below % 2 === 1) ? 1 : 0);
}

/** A part of an image; as far as it reaches out of the image, it has a level. */
function partOfImage({ width, height, data }, [left, top, right, bottom], level) {
  if (left === 0 && top === 0 && right === width && bottom === height) {
    return { width, height, data };
  }
  const across = right - left;
  const part = new Uint8Array(across * (bottom - top) * 4).fill(level);
  const end = Math.min(right, width);
  for (let row = top; row < Math.min(bottom, height); row++) {
    const line = data.subarray((row * width + left) * 4, (row * width + end) * 4);
    part.set(line, (row - top) * across * 4);
  }
  return { width: across, height: bottom - top, data: part };
}

/** Levels RGB in their place in the input, on a border, as the float32 that the network takes. */
function scaledLevels(levels, [left, top, right, bottom], [height, width], preprocess) {
  const tables = [0, 1, 2].map((channel) => scaleTable(preprocess, channel));
  const values = new Float32Array(height * width * 3);
  if (right - left < width || bottom - top < height) {
    const border = tables.map((table) => table[preprocess.level]);
    for (let at = 0; at < values.length; at++) values[at] = border[at % 3];
  }
  const [red, green, blue] = tables;
  let from = 0;
  for (let row = top; row < bottom; row++) {
    const end = (row * width + right) * 3;
    for (let at = (row * width + left) * 3; at < end; at += 3) {
      values[at] = red[levels[from++]];
      values[at + 1] = green[levels[from++]];
      values[at + 2] = blue[levels[from++]];
    }
  }
  return values;
}

/** The values of all levels of a channel: each step is rounded to float32, as in Python. */
function scaleTable({ divide, subtract }, channel) {
  const [factor, less] = [divide, subtract].map((each) => Math.fround(each[channel] ?? each));
  return Float32Array.from({ length: 256 }, (_, level) => Math.fround(level / factor) - less);
}
