import { boxAround, suppressOverlaps } from "./boxes.js";
import { prepare } from "./fits.js";
import { toImage } from "./placement.js";

/**
 * A network that gives a score and the offset of a box for each anchor of a grid: {regressors,
 * scores, keypoints, strides, size, per_cell} as in zoo/shared/anchors.py; where it is `joint`,
 * rows of the only output are a logit, then the regressors.
 */
export class AnchorDetector {
  constructor(network, grid) {
    this.network = network;
    this.grid = grid;
    this.centres = anchorCentres(grid);
  }

  /** The objects {score, box, points} in an image, best first. */
  find(pixels, { scoreThreshold, iouThreshold, limit }) {
    const { values, placement } = prepare(pixels, this.network);
    const found = this.candidates(this.network.run(values), scoreThreshold);
    const kept = suppressOverlaps(found, iouThreshold, limit);
    return kept.map((candidate) => candidateInImage(candidate, placement));
  }

  /** All objects that outputs are sure of, in pixels of the input, in the order of the anchors. */
  candidates(outputs, scoreThreshold) {
    const { grid, centres } = this;
    const [only] = Object.values(outputs);
    const logits = grid.joint ? only : joinedOutputs(outputs, grid.scores);
    const rows = grid.joint ? only : joinedOutputs(outputs, grid.regressors);
    const rowLength = (grid.joint ? 5 : 4) + 2 * grid.keypoints;
    const found = [];
    for (let anchor = 0; anchor < centres.length; anchor++) {
      const start = anchor * rowLength + (grid.joint ? 1 : 0);
      const score = 1 / (1 + Math.exp(-logits[grid.joint ? start - 1 : anchor]));
      // In noise a box may have a negative width, which has no pixels to cut out.
      const isSure = score >= scoreThreshold && rows[start + 2] > 0 && rows[start + 3] > 0;
      if (isSure) found.push(candidateOfRow(score, rows, start, centres[anchor], grid.keypoints));
    }
    return found;
  }
}

function candidateOfRow(score, rows, start, [centreX, centreY], keypoints) {
  const [middleX, middleY] = [rows[start] + centreX, rows[start + 1] + centreY];
  const [halfX, halfY] = [rows[start + 2] / 2, rows[start + 3] / 2];
  const points = Array.from({ length: keypoints }, (_, point) => [
    rows[start + 4 + 2 * point] + centreX,
    rows[start + 5 + 2 * point] + centreY,
  ]);
  const box = [middleX - halfX, middleY - halfY, middleX + halfX, middleY + halfY];
  return { score, box, points };
}

/** A candidate in pixels of the image, which is upright or upside down. */
export function candidateInImage({ score, box: [x0, y0, x1, y1], points }, placement) {
  const corners = [toImage(placement, x0, y0), toImage(placement, x1, y1)];
  const moved = points.map(([x, y]) => toImage(placement, x, y));
  return { score, box: boxAround(corners), points: moved };
}

/** The centres [x, y] of all anchors, in pixels of the input. */
export function anchorCentres({ strides, size, per_cell: perCell }) {
  const layers = [];
  for (const stride of strides) {
    const last = layers.at(-1);
    if (last?.stride === stride) last.count += perCell;
    else layers.push({ stride, count: perCell });
  }
  return layers.flatMap(({ stride, count }) => {
    const cells = Math.ceil(size / stride);
    const middles = Array.from({ length: cells }, (_, cell) => (cell + 0.5) * (size / cells));
    return middles.flatMap((y) => middles.flatMap((x) => Array(count).fill([x, y])));
  });
}

/** Several outputs, which stand for the rows of one. */
function joinedOutputs(outputs, names) {
  if (names.length === 1) return outputs[names[0]];
  return Float32Array.from(names.flatMap((name) => [...outputs[name]]));
}
