import { toImage } from "./placement.js";

/**
 * Regions are rectangles of an image, in its pixels: {x, y, width, height, rotation}, with the
 * centre at (x, y), and turned by the rotation in radians, clockwise as seen.
 */

/** The placement of a region, which fills an input of [height, width] pixels. */
export function placementOfRegion({ x, y, width, height, rotation }, size) {
  const [across, down] = [width / size[1], height / size[0]];
  const [cos, sin] = [Math.cos(rotation), Math.sin(rotation)];
  const [a, b, d, e] = [cos * across, -sin * down, sin * across, cos * down];
  const [middleX, middleY] = [size[1] / 2, size[0] / 2];
  const [c, f] = [x - a * middleX - b * middleY, y - d * middleX - e * middleY];
  return { a, b, c, d, e, f };
}

/** Pixels of the image per pixel of the input, along x. */
export function scaleOfPlacement({ a, d }) {
  return Math.hypot(a, d);
}

/** The points [x, y, z] that an output lists. */
export function pointsOfOutput(values) {
  return Array.from({ length: values.length / 3 }, (_, point) => [
    ...values.subarray(3 * point, 3 * point + 3),
  ]);
}

/** Points [x, y, z] of the input in the image, with z, divided by the depth, in the same scale. */
export function inSpace(placement, points, depth = 1) {
  const scale = scaleOfPlacement(placement) / depth;
  return points.map(([x, y, z]) => [...toImage(placement, x, y), z * scale]);
}

/** Points [x, y, z] around a middle, such as in metres, along the axes of the image. */
export function turnedPoints({ a, d }, points) {
  const rotation = Math.atan2(d, a);
  const [cos, sin] = [Math.cos(rotation), Math.sin(rotation)];
  return points.map(([x, y, z]) => [x * cos - y * sin, x * sin + y * cos, z]);
}

/** The region of a box [x0, y0, x1, y1], turned about its centre. */
export function regionOfBox([x0, y0, x1, y1], rotation = 0) {
  return { x: (x0 + x1) / 2, y: (y0 + y1) / 2, width: x1 - x0, height: y1 - y0, rotation };
}

/** The smallest region of a rotation that holds all points [x, y, ...]. */
export function regionOfPoints(points, rotation) {
  const [cos, sin] = [Math.cos(rotation), Math.sin(rotation)];
  const across = points.map(([x, y]) => x * cos + y * sin);
  const down = points.map(([x, y]) => y * cos - x * sin);
  const [left, right] = [Math.min(...across), Math.max(...across)];
  const [top, bottom] = [Math.min(...down), Math.max(...down)];
  const [u, v] = [(left + right) / 2, (top + bottom) / 2];
  const [x, y] = [u * cos - v * sin, u * sin + v * cos];
  return { x, y, width: right - left, height: bottom - top, rotation };
}

/** The turn in -pi..pi, clockwise, after which a line shows at an angle from the x axis. */
export function rotationBetween(start, end, target) {
  const angle = target - Math.atan2(start[1] - end[1], end[0] - start[0]);
  return angle - 2 * Math.PI * Math.floor((angle + Math.PI) / (2 * Math.PI));
}

/** The region moved down along its own axis, by a share of its height. */
export function regionMovedDown(region, share) {
  const along = share * region.height;
  const [x, y] = [
    region.x - along * Math.sin(region.rotation),
    region.y + along * Math.cos(region.rotation),
  ];
  return { ...region, x, y };
}

/** The square about a region's centre whose sides are its longest one, scaled. */
export function squareAbout(region, scale) {
  const side = Math.max(region.width, region.height) * scale;
  return { ...region, width: side, height: side };
}

/** The corners of a region, from the upper left one, clockwise along its axes. */
export function cornersOfRegion(region) {
  const placement = placementOfRegion(region, [1, 1]);
  return [[0, 0], [1, 0], [1, 1], [0, 1]].map(([x, y]) => toImage(placement, x, y));
}
