import { AnchorDetector } from "./anchors.js";
import { boxAround, boxOfResult, suppressOverlaps } from "./boxes.js";
import { prepareCrop } from "./crops.js";
import { toPixels } from "./images.js";
import { foundInMirrored } from "./mirroring.js";
import { checkedOptions } from "./options.js";
import { cornersOfRegion, inSpace, pointsOfOutput, regionMovedDown } from "./regions.js";
import { regionOfBox, regionOfPoints, rotationBetween, squareAbout } from "./regions.js";
import { turnedPoints } from "./regions.js";

/** Joints by their numbers, which steady the region about a hand: all but the fingers' outer. */
const STEADY_JOINTS = [0, 1, 2, 3, 5, 6, 9, 10, 13, 14, 17, 18];

/** In a region the middle finger points up. */
const FINGERS_UP = Math.PI / 2;

/** Regions that overlap more are of one hand. */
const SAME_HAND = 0.5;

/**
 * Hands as zoo.estimate_hands finds them: palms first, by the network "detector", then the points
 * of each hand, by the network "landmarks".
 *
 * Of the description it reads `skeleton.names`, `options.estimateHands`, and of `decode`: `grid`
 * of the detector, the defaults `detector` of its thresholds, and `outputs`, the names of the
 * landmarks' outputs, with their `depth`.
 */
export class Hands {
  static task = "hands";

  constructor({ description, networks }) {
    this.description = description;
    this.landmarks = networks.landmarks;
    this.detector = new AnchorDetector(networks.detector, description.decode.grid);
  }

  /** The hands in an image; see `estimateHands`. */
  find(image, options) {
    return this.estimateHands(image, options);
  }

  /** The hands in an image, best first. */
  estimateHands(image, options = {}) {
    const known = this.description.options.estimateHands;
    const chosen = checkedOptions("estimateHands", options, known);
    const pixels = toPixels(image);
    const find = (upright) => this.handsIn(upright, chosen, known.scoreThreshold.default);
    return chosen.mirror ? foundInMirrored(find, pixels) : find(pixels);
  }

  handsIn(pixels, chosen, usualThreshold) {
    const { maxHands, scoreThreshold, refine } = chosen;
    const { detector } = this.description.decode;
    const palms = this.detector.find(pixels, {
      scoreThreshold: chosen.detectorThreshold ?? detector.score_threshold,
      iouThreshold: chosen.iouThreshold ?? detector.iou_threshold,
      limit: Math.max(4 * maxHands, 16),
    });
    let hands = this.look(pixels, palms.map(regionOfPalm));
    if (refine) {
      // A hand below the threshold may turn out to be surer.
      const least = Math.min(scoreThreshold, usualThreshold);
      const regions = chosenHands(hands, least, maxHands).map(({ points }) => regionOfHand(points));
      hands = this.look(pixels, regions);
    }
    const { names } = this.description.skeleton;
    return chosenHands(hands, scoreThreshold, maxHands).map((hand) => handOfResult(hand, names));
  }

  /** The landmarks in regions of an image, hands or not. */
  look(pixels, regions) {
    const { landmarks, presence, right, world, depth } = this.description.decode.outputs;
    return regions.map((region) => {
      const { values, placement } = prepareCrop(pixels, this.landmarks, region);
      const outputs = this.landmarks.run(values);
      return {
        score: outputs[presence][0],
        right: outputs[right][0],
        points: inSpace(placement, pointsOfOutput(outputs[landmarks]), depth),
        world: turnedPoints(placement, pointsOfOutput(outputs[world])),
      };
    });
  }
}

/** The square that holds the whole hand of a palm, with the fingers up. */
function regionOfPalm({ box, points }) {
  const rotation = rotationBetween(points[0], points[2], FINGERS_UP);
  return squareAbout(regionMovedDown(regionOfBox(box, rotation), -0.5), 2.6);
}

/** The square about a hand, fingers up, by its landmarks. */
function regionOfHand(points) {
  const [index, middle, ring] = [points[5], points[9], points[13]];
  const knuckles = [0, 1].map((axis) => (index[axis] + 2 * middle[axis] + ring[axis]) / 4);
  const rotation = rotationBetween(points[0], knuckles, FINGERS_UP);
  const steady = STEADY_JOINTS.map((joint) => points[joint]);
  return squareAbout(regionMovedDown(regionOfPoints(steady, rotation), -0.1), 2);
}

/** The hands that are present, each once, best first; two palms may give one hand. */
function chosenHands(hands, threshold, limit) {
  const sure = hands
    .filter(({ score }) => score >= threshold)
    .map((hand) => ({ ...hand, box: boxAround(cornersOfRegion(regionOfHand(hand.points))) }));
  return suppressOverlaps(sure, SAME_HAND, limit);
}

function handOfResult({ score, right, points, world }, names) {
  return {
    score,
    keypoints: points.map(([x, y, z], i) => ({ part: names[i], position: { x, y, z }, score })),
    box: boxOfResult(boxAround(points)),
    handedness: right >= 0.5 ? "right" : "left",
    handedness_score: Math.max(right, 1 - right),
    world: world.map(([x, y, z], i) => ({ part: names[i], position: { x, y, z } })),
  };
}
