/**
 * The affine map from pixels of a network's input to pixels of the image, as {a, b, c, d, e, f}:
 * x of the image is a x + b y + c, y of the image is d x + e y + f. The point (0, 0) is the upper
 * left edge of the upper left pixel.
 */

/** The placement of a scaled, moved image: x of the input is x of the image * across + left. */
export function placementOfScale(across, down, left, top) {
  return { a: 1 / across, b: 0, c: -left / across, d: 0, e: 1 / down, f: -top / down };
}

/** A point of the input as a point [x, y] of the image. */
export function toImage({ a, b, c, d, e, f }, x, y) {
  return [a * x + b * y + c, d * x + e * y + f];
}
