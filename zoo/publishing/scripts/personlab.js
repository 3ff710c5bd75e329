/** Each joint is reached from its parent, in the order of the displacements: [parent, child]. */
const JOINT_EDGES = [
  ...[[0, 1], [1, 3], [0, 2], [2, 4]],
  ...[[0, 5], [5, 7], [7, 9], [5, 11], [11, 13], [13, 15]],
  ...[[0, 6], [6, 8], [8, 10], [6, 12], [12, 14], [14, 16]],
];

/** The edges in the order of a walk: all towards the nose, then all away from it. */
const WALK_STEPS = [
  ...JOINT_EDGES.map(([parent, child], edge) => {
    return { field: "displacement_bwd", edge, from: child, to: parent };
  }).reverse(),
  ...JOINT_EDGES.map(([parent, child], edge) => {
    return { field: "displacement_fwd", edge, from: parent, to: child };
  }),
];

/** How often a point that a walk comes to is moved to the point of its cell. */
const REFINEMENTS = 2;

/**
 * People from the outputs of a PoseNet, in pixels of the input: {points, scores, score} each.
 *
 * From each strong keypoint, best first, a walk leads along the edges to the others (Papandreou et
 * al., "PersonLab", 2018), with the parameters of tfjs-models. A keypoint that is nearer than
 * `nmsRadius` to the same one of an earlier person is that person's.
 *
 * @param outputs `heatmap` of logits, `offset`, `displacement_fwd` and `displacement_bwd`
 * @param grid rows and columns of the cells, their stride in pixels, and the count of keypoints
 */
export function decodedPeople(outputs, grid, { most, keypointThreshold, nmsRadius }) {
  const scores = new Float64Array(outputs.heatmap).map((logit) => 1 / (1 + Math.exp(-logit)));
  const fields = { ...outputs, ...grid, scores };
  const people = [];
  for (const { row, column, keypoint } of peaksOf(fields, keypointThreshold)) {
    if (people.length === most) break;
    const root = targetOf(fields, row, column, keypoint);
    const isKnown = people.some(({ points }) => distance(points[keypoint], root) <= nmsRadius);
    if (!isKnown) {
      const person = walkFrom(fields, row, column, keypoint);
      people.push({ ...person, score: ownScore(person, people, nmsRadius) });
    }
  }
  return people;
}

/** The cells that no neighbour exceeds, best first; of equal ones the first in the outputs. */
function peaksOf(fields, threshold) {
  const { scores, rows, columns, count } = fields;
  const peaks = [];
  for (let at = 0; at < scores.length; at++) {
    if (scores[at] < threshold) continue;
    const keypoint = at % count;
    const cell = (at - keypoint) / count;
    const column = cell % columns;
    const row = (cell - column) / columns;
    if (isPeak(fields, row, column, keypoint)) {
      peaks.push({ score: scores[at], row, column, keypoint });
    }
  }
  return peaks.sort((one, other) => other.score - one.score);
}

function isPeak({ scores, rows, columns, count }, row, column, keypoint) {
  const score = scores[(row * columns + column) * count + keypoint];
  for (let y = Math.max(row - 1, 0); y <= Math.min(row + 1, rows - 1); y++) {
    for (let x = Math.max(column - 1, 0); x <= Math.min(column + 1, columns - 1); x++) {
      if (scores[(y * columns + x) * count + keypoint] > score) return false;
    }
  }
  return true;
}

/** The point that a cell gives for a keypoint. */
function targetOf(fields, row, column, keypoint) {
  const [x, y] = vectorAt(fields.offset, fields, row, column, keypoint);
  return [column * fields.stride + x, row * fields.stride + y];
}

/** A vector [x, y] of a field, whose channels have all y values first, then all x values. */
function vectorAt(field, { rows, columns }, row, column, number) {
  const channels = field.length / (rows * columns);
  const at = (row * columns + column) * channels + number;
  return [field[at + channels / 2], field[at]];
}

/** All keypoints of the person whose keypoint `root` is in a cell. */
function walkFrom(fields, row, column, root) {
  const points = new Array(fields.count).fill(undefined);
  const scores = new Array(fields.count).fill(0);
  const scoreAt = (cell, keypoint) => {
    return fields.scores[(cell.row * fields.columns + cell.column) * fields.count + keypoint];
  };
  points[root] = targetOf(fields, row, column, root);
  scores[root] = scoreAt({ row, column }, root);
  for (const { field, edge, from, to } of WALK_STEPS) {
    if (!points[from] || points[to]) continue;
    let cell = cellOf(fields, points[from]);
    const [x, y] = vectorAt(fields[field], fields, cell.row, cell.column, edge);
    let point = [points[from][0] + x, points[from][1] + y];
    cell = cellOf(fields, point);
    for (let move = 0; move < REFINEMENTS; move++) {
      point = targetOf(fields, cell.row, cell.column, to);
      cell = cellOf(fields, point);
    }
    points[to] = point;
    scores[to] = scoreAt(cell, to);
  }
  return { points, scores };
}

/** The cell nearest to a point, within the grid. */
function cellOf({ rows, columns, stride }, [x, y]) {
  return {
    row: Math.min(Math.max(Math.floor(y / stride + 0.5), 0), rows - 1),
    column: Math.min(Math.max(Math.floor(x / stride + 0.5), 0), columns - 1),
  };
}

/** The mean score, where keypoints that an earlier person has already count as 0. */
function ownScore({ points, scores }, earlier, radius) {
  let sum = 0;
  points.forEach((point, i) => {
    if (earlier.every((person) => distance(person.points[i], point) > radius)) sum += scores[i];
  });
  return sum / scores.length;
}

function distance([x, y], [otherX, otherY]) {
  return Math.hypot(x - otherX, y - otherY);
}
