/** Bits of the fractions by which levels are multiplied: Pillow's, for the same results. */
const FRACTION_BITS = 22;

/**
 * An image resized as by Pillow's BILINEAR: along rows, then along columns, or in the order that
 * is faster; between them values are rounded to levels.
 *
 * @param image {width, height, data} of RGBA
 * @returns levels of RGB
 */
export function resizedPixels(image, width, height) {
  const across = resizingWeights(image.width, width);
  const down = resizingWeights(image.height, height);
  if (beginsWithColumns(image, width, height)) {
    const data = resizedColumns(image.data, image.width * 4, down);
    return resizedRows({ width: image.width, height, data }, across);
  }
  return resizedColumns(resizedRows(image, across), width * 3, down);
}

/** Whether the columns come first, as of Pillow 13: they shrink by more than twice the rows. */
function beginsWithColumns(old, width, height) {
  return height < old.height && old.height - height > 2 * (old.width - width);
}

/**
 * For each new pixel the first old one that it is mixed of, how many, and their shares, as Pillow
 * has them: a triangle that is as wide as a new pixel where the image becomes smaller.
 */
function resizingWeights(old, length) {
  const scale = old / length;
  const support = Math.max(scale, 1);
  const most = Math.ceil(support) * 2 + 1;
  const [first, count] = [new Int32Array(length), new Int32Array(length)];
  const shares = new Int32Array(length * most);
  const weights = new Float64Array(most);
  for (let i = 0; i < length; i++) {
    const centre = (i + 0.5) * scale;
    const begin = Math.max(Math.trunc(centre - support + 0.5), 0);
    const end = Math.min(Math.trunc(centre + support + 0.5), old);
    let sum = 0;
    for (let x = begin; x < end; x++) {
      const away = Math.abs((x - centre + 0.5) * (1 / support));
      sum += weights[x - begin] = away < 1 ? 1 - away : 0;
    }
    for (let x = 0; x < end - begin; x++) {
      shares[i * most + x] = Math.trunc(0.5 + (weights[x] / sum) * (1 << FRACTION_BITS));
    }
    first[i] = begin;
    count[i] = end - begin;
  }
  return { length, most, first, count, shares };
}

function resizedRows({ width, height, data }, { length, most, first, count, shares }) {
  const levels = new Uint8Array(length * height * 3);
  const half = 1 << (FRACTION_BITS - 1);
  let at = 0;
  for (let row = 0; row < height; row++) {
    const line = row * width * 4;
    for (let i = 0; i < length; i++) {
      let red = half;
      let green = half;
      let blue = half;
      let from = line + first[i] * 4;
      const end = i * most + count[i];
      for (let k = i * most; k < end; k++, from += 4) {
        const share = shares[k];
        red += data[from] * share;
        green += data[from + 1] * share;
        blue += data[from + 2] * share;
      }
      levels[at++] = red >> FRACTION_BITS;
      levels[at++] = green >> FRACTION_BITS;
      levels[at++] = blue >> FRACTION_BITS;
    }
  }
  return levels;
}

function resizedColumns(rows, line, { length, most, first, count, shares }) {
  const levels = new Uint8Array(line * length);
  const sums = new Int32Array(line);
  for (let i = 0; i < length; i++) {
    sums.fill(1 << (FRACTION_BITS - 1));
    for (let k = 0; k < count[i]; k++) {
      const share = shares[i * most + k];
      const from = (first[i] + k) * line;
      for (let x = 0; x < line; x++) sums[x] += rows[from + x] * share;
    }
    for (let x = 0; x < line; x++) levels[i * line + x] = sums[x] >> FRACTION_BITS;
  }
  return levels;
}
