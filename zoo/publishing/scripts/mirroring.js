/** What is found in a mirror image: left and right are the real ones, and points lie in it. */
export function foundInMirrored(find, pixels) {
  return find(flippedPixels(pixels)).map((item) => flippedItem(item, pixels.width));
}

/** An image with left and right exchanged. */
export function flippedPixels({ width, height, data }) {
  const from = new Uint32Array(new Uint8Array(data).buffer);
  const flipped = new Uint32Array(from.length);
  for (let line = 0; line < from.length; line += width) {
    for (let x = 0; x < width; x++) flipped[line + x] = from[line + width - 1 - x];
  }
  return { width, height, data: new Uint8Array(flipped.buffer) };
}

/** An item of a result as it is with left and right of its image exchanged. */
function flippedItem(item, width) {
  const flipped = { ...item, keypoints: flippedPoints(item.keypoints, width) };
  if (item.box) flipped.box = { ...item.box, x: width - item.box.x - item.box.width };
  if (item.world) flipped.world = flippedPoints(item.world, 0);
  return flipped;
}

function flippedPoints(points, width) {
  return points.map((point) => {
    return { ...point, position: { ...point.position, x: width - point.position.x } };
  });
}
