/** Boxes are [x0, y0, x1, y1]. */

/** Intersection over union of two boxes; 0 where both are empty. */
export function overlapOfBoxes(one, other) {
  const width = Math.min(one[2], other[2]) - Math.max(one[0], other[0]);
  const height = Math.min(one[3], other[3]) - Math.max(one[1], other[1]);
  const shared = Math.max(width, 0) * Math.max(height, 0);
  const union = areaOfBox(one) + areaOfBox(other) - shared;
  return union > 0 ? shared / union : 0;
}

function areaOfBox([x0, y0, x1, y1]) {
  return (x1 - x0) * (y1 - y0);
}

/**
 * The items with a `box` and a `score` that no better one overlaps by more than the threshold,
 * best first; a limit of null is none.
 */
export function suppressOverlaps(items, threshold, limit = null) {
  const kept = [];
  for (const item of [...items].sort((one, other) => other.score - one.score)) {
    if (limit !== null && kept.length >= limit) break;
    if (kept.every(({ box }) => overlapOfBoxes(item.box, box) <= threshold)) kept.push(item);
  }
  return kept;
}

/** The smallest box that holds points [x, y, ...]. */
export function boxAround(points) {
  const [across, down] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return [Math.min(...across), Math.min(...down), Math.max(...across), Math.max(...down)];
}

/** A box as results have it. */
export function boxOfResult([x0, y0, x1, y1]) {
  return { x: x0, y: y0, width: x1 - x0, height: y1 - y0 };
}
