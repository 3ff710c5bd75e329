import { AnchorDetector, candidateInImage } from "./anchors.js";
import { suppressOverlaps } from "./boxes.js";
import { prepareCrop } from "./crops.js";
import { regionOfBox, squareAbout } from "./regions.js";

/**
 * The detector of faces of a model: the network "detect", whose outputs have the meaning
 * `decode.grid`; with `decode.refinement` it looks at what the network "detector" proposes.
 */
export function faceDetectorOf(networks, decode) {
  const detector = new AnchorDetector(networks.detect, decode.grid);
  return decode.refinement ? new RefinedDetector(detector, networks.detector, decode) : detector;
}

/**
 * A detector for near faces that looks at each face which another one proposes, enlarged; at what
 * is not surely upright also upside down. It reads `proposals`, {grid, iou_threshold} of the other
 * detector, and `refinement`, the numbers of Refinement in zoo/tasks/faces/entries.py.
 */
class RefinedDetector {
  constructor(detector, proposing, { proposals, refinement }) {
    this.detector = detector;
    this.proposing = new AnchorDetector(proposing, proposals.grid);
    this.proposalOverlap = proposals.iou_threshold;
    this.refinement = refinement;
  }

  /** The faces {score, box, points} in an image, best first. */
  find(pixels, { scoreThreshold, iouThreshold, limit }) {
    const { proposal_threshold: least, scale } = this.refinement;
    const proposals = this.proposing.find(pixels, {
      scoreThreshold: least,
      iouThreshold: this.proposalOverlap,
      limit: null,
    });
    const regions = proposals.map(({ box }) => squareAbout(regionOfBox(box), scale));
    const found = regions.map((region) => this.lookTwice(pixels, region, scoreThreshold));
    return suppressOverlaps(found.filter(Boolean), iouThreshold, limit);
  }

  /** The face in a region, or undefined; one upside down has to be surer. */
  lookTwice(pixels, region, scoreThreshold) {
    const { sure, margin, inverted_threshold: invertedThreshold } = this.refinement;
    const upright = this.look(pixels, region, scoreThreshold);
    if (upright && upright.score >= sure) return upright;
    const inverted = this.look(pixels, { ...region, rotation: Math.PI }, scoreThreshold);
    const least = upright ? upright.score + margin : invertedThreshold;
    return inverted && inverted.score >= least ? inverted : upright;
  }

  /** The surest face near the middle of a region, or undefined; others have own regions. */
  look(pixels, region, scoreThreshold) {
    const { network } = this.detector;
    const { values, placement } = prepareCrop(pixels, network, region);
    const seen = this.detector.candidates(network.run(values), scoreThreshold);
    const far = (this.refinement.reach * region.width) / this.refinement.scale;
    return seen
      .map((candidate) => candidateInImage(candidate, placement))
      .filter(({ box: [x0, y0, x1, y1] }) => {
        return Math.hypot((x0 + x1) / 2 - region.x, (y0 + y1) / 2 - region.y) <= far;
      })
      .sort((one, other) => other.score - one.score)[0];
  }
}
