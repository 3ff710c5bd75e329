import { boxAround, boxOfResult } from "./boxes.js";
import { prepare } from "./fits.js";
import { toPixels } from "./images.js";
import { foundInMirrored } from "./mirroring.js";
import { checkedOptions } from "./options.js";
import { decodedPeople } from "./personlab.js";
import { toImage } from "./placement.js";

/** Least score of a keypoint that says how large a person is. */
const SURE_KEYPOINT = 0.3;

/** Largest number of people among whom the most prominent one is chosen. */
const MOST_PEOPLE = 20;

/**
 * A PoseNet, as zoo.estimate_single_pose and zoo.estimate_multiple_poses run it: the network is
 * "pose", `decode.stride` of the description says how many pixels a cell of its outputs has.
 */
export class PoseNet {
  static task = "pose";

  constructor({ description, networks }) {
    this.description = description;
    this.network = networks.pose;
  }

  /** The people in an image; see `estimateMultiplePoses`. */
  find(image, options) {
    return this.estimateMultiplePoses(image, options);
  }

  /** The most prominent person; without one the score is 0, and there are no keypoints. */
  estimateSinglePose(image, options = {}) {
    const known = this.description.options.estimateSinglePose;
    const chosen = checkedOptions("estimateSinglePose", options, known);
    const [pose] = this.posesIn(image, chosen, (people) => {
      const best = people.sort((one, other) => prominence(other) - prominence(one));
      return best.slice(0, 1);
    });
    return pose ?? { score: 0, keypoints: [] };
  }

  /** The poses of the people in an image, best first. */
  estimateMultiplePoses(image, options = {}) {
    const known = this.description.options.estimateMultiplePoses;
    const { maxPoses, ...chosen } = checkedOptions("estimateMultiplePoses", options, known);
    return this.posesIn(image, { ...chosen, wanted: maxPoses }, (people) => {
      return people.slice(0, maxPoses);
    });
  }

  /** The poses of the people whom a function chooses of those found, who are best first. */
  posesIn(image, { mirror, wanted = MOST_PEOPLE, ...thresholds }, choose) {
    const { names } = this.description.skeleton;
    const find = (pixels) => {
      const { values, placement } = prepare(pixels, this.network);
      const people = this.peopleOf(this.network.run(values), wanted, thresholds);
      return choose(people).map((person) => poseOfResult(person, placement, pixels, names));
    };
    const pixels = toPixels(image);
    return mirror ? foundInMirrored(find, pixels) : find(pixels);
  }

  /** People are found in the order of their best keypoints, so that more are looked for. */
  peopleOf(outputs, wanted, { scoreThreshold, keypointThreshold, nmsRadius }) {
    const [, rows, columns, count] = this.network.outputs.heatmap.shape;
    const grid = { rows, columns, count, stride: this.description.decode.stride };
    const most = Math.max(4 * wanted, 16);
    return decodedPeople(outputs, grid, { most, keypointThreshold, nmsRadius })
      .filter(({ score }) => score >= scoreThreshold)
      .sort((one, other) => other.score - one.score);
  }
}

/** The score of a person times the size of the parts that are surely seen. */
function prominence({ score, points, scores }) {
  const seen = points.filter((_, i) => scores[i] >= SURE_KEYPOINT);
  if (!seen.length) return 0;
  const [left, top, right, bottom] = boxAround(seen);
  return score * Math.max(right - left, bottom - top);
}

function poseOfResult({ score, points, scores }, placement, image, names) {
  const positions = points.map(([x, y]) => toImage(placement, x, y));
  const keypoints = positions.map(([x, y], i) => {
    return { part: names[i], position: { x, y }, score: scores[i] };
  });
  return { score, keypoints, box: boxOfResult(boxOfSure(positions, scores, image)) };
}

/** The box of the sure keypoints in the image; if there is none, of all, cut off at its edges. */
function boxOfSure(points, scores, { width, height }) {
  const inside = points.map(([x, y]) => {
    return [Math.min(Math.max(x, 0), width), Math.min(Math.max(y, 0), height)];
  });
  const sure = inside.filter(([x, y], i) => {
    return scores[i] >= SURE_KEYPOINT && x === points[i][0] && y === points[i][1];
  });
  return boxAround(sure.length ? sure : inside);
}
