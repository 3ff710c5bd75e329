import { toImage } from "./placement.js";
import { placementOfRegion, scaleOfPlacement } from "./regions.js";

/** A region of an image as the input of a network: {values, placement}. */
export function prepareCrop(pixels, network, region) {
  const placement = placementOfRegion(region, network.size);
  return { values: cropOf(pixels, placement, network), placement };
}

/** Each value is mixed of four pixels; of a large region, blocks are averaged first. */
function cropOf(pixels, placement, { size, preprocess }) {
  const block = Math.trunc(scaleOfPlacement(placement));
  if (block < 2) return sampledPixels(pixels, placement, size, preprocess);
  const reach = reachOf(placement, size, pixels, block);
  const { a, b, c, d, e, f } = placement;
  const ofBlocks = { a, b, c: c - reach.left, d, e, f: f - reach.top };
  for (const name in ofBlocks) ofBlocks[name] /= block;
  return sampledPixels(averagedBlocks(pixels, reach, block), ofBlocks, size, preprocess);
}

/** The part of an image that a crop reads, with a margin, at least one pixel. */
function reachOf(placement, [height, width], pixels, margin) {
  const corners = [[0, 0], [width, 0], [width, height], [0, height]];
  const points = corners.map(([x, y]) => toImage(placement, x, y));
  const [left, right] = reachAlong(points.map(([x]) => x), pixels.width, margin);
  const [top, bottom] = reachAlong(points.map(([, y]) => y), pixels.height, margin);
  return { left, top, right, bottom };
}

function reachAlong(positions, length, margin) {
  const low = Math.floor(Math.min(...positions)) - margin;
  const first = Math.min(Math.max(low, 0), length - 1);
  const high = Math.ceil(Math.max(...positions)) + margin;
  return [first, Math.min(Math.max(high, first + 1), length)];
}

/** The means of square blocks of a part, rounded as by Pillow's reduce. */
function averagedBlocks({ width: line, data: levels }, { left, top, right, bottom }, block) {
  const [width, height] = [Math.ceil((right - left) / block), Math.ceil((bottom - top) / block)];
  const data = new Uint8Array(width * height * 4);
  for (let row = 0; row < height; row++) {
    const [y0, y1] = [top + row * block, Math.min(top + (row + 1) * block, bottom)];
    for (let column = 0; column < width; column++) {
      const [x0, x1] = [left + column * block, Math.min(left + (column + 1) * block, right)];
      const count = (y1 - y0) * (x1 - x0);
      let [red, green, blue] = [count >> 1, count >> 1, count >> 1];
      for (let y = y0; y < y1; y++) {
        const end = (y * line + x1) * 4;
        for (let at = (y * line + x0) * 4; at < end; at += 4) {
          red += levels[at];
          green += levels[at + 1];
          blue += levels[at + 2];
        }
      }
      const factor = Math.trunc(Math.fround(2 ** 32 / (256 * count)));
      const at = (row * width + column) * 4;
      data[at] = Math.imul(red, factor) >>> 24;
      data[at + 1] = Math.imul(green, factor) >>> 24;
      data[at + 2] = Math.imul(blue, factor) >>> 24;
    }
  }
  return { width, height, data };
}

/**
 * Pixels at the positions of a placement, mixed of the four about each, and scaled: in the float32
 * of Python, to the last bit.
 */
function sampledPixels(pixels, placement, [height, width], preprocess) {
  const { a, b, c, d, e, f } = placement;
  const values = new Float32Array(height * width * 3);
  const [divide, subtract] = [perChannel(preprocess.divide), perChannel(preprocess.subtract)];
  const { fround } = Math;
  const { data } = pixels;
  // Placements count from the edge of a pixel, positions here from the centre of the first.
  const [startX, startY] = [(a + b) / 2 + c - 0.5, (d + e) / 2 + f - 0.5];
  const replicates = preprocess.border === "replicate";
  let at = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      let across = a * x + startX + b * y;
      let down = d * x + startY + e * y;
      if (replicates) {
        across = Math.min(Math.max(across, 0), pixels.width - 1);
        down = Math.min(Math.max(down, 0), pixels.height - 1);
      }
      const [column, row] = [Math.floor(across), Math.floor(down)];
      const [shareX, shareY] = [fround(across - column), fround(down - row)];
      const upperLeft = offsetOf(pixels, column, row);
      const upperRight = offsetOf(pixels, column + 1, row);
      const lowerLeft = offsetOf(pixels, column, row + 1);
      const lowerRight = offsetOf(pixels, column + 1, row + 1);
      for (let channel = 0; channel < 3; channel++) {
        const upper = mixedLevels(data, upperLeft + channel, upperRight + channel, shareX);
        const lower = mixedLevels(data, lowerLeft + channel, lowerRight + channel, shareX);
        const level = fround(upper + fround(fround(lower - upper) * shareY));
        values[at++] = fround(level / divide[channel]) - subtract[channel];
      }
    }
  }
  return values;
}

/** Where a pixel begins; of one outside of the image, where there are no values. */
function offsetOf({ width, height }, column, row) {
  const isInside = column >= 0 && column < width && row >= 0 && row < height;
  return isInside ? (row * width + column) * 4 : -4;
}

/** The mixture of two levels; outside of the image they are 0. */
function mixedLevels(data, first, second, share) {
  const [from, to] = [first < 0 ? 0 : data[first], second < 0 ? 0 : data[second]];
  return Math.fround(from + Math.fround((to - from) * share));
}

function perChannel(number) {
  return Float32Array.from(Array.isArray(number) ? number : [number, number, number]);
}
