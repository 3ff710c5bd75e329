import { boxAround, boxOfResult, suppressOverlaps } from "./boxes.js";
import { prepareCrop } from "./crops.js";
import { faceDetectorOf } from "./face_detectors.js";
import { toPixels } from "./images.js";
import { foundInMirrored } from "./mirroring.js";
import { checkedOptions } from "./options.js";
import { inSpace, regionOfBox, regionOfPoints } from "./regions.js";
import { pointsOfOutput, rotationBetween, squareAbout } from "./regions.js";

/** The outer corners of the eyes among the points, the person's right one first. */
const OUTER_CORNERS = [33, 263];

/** Below this probability what the network sees is no face. */
const FACE_PRESENCE = 0.5;

/** Two meshes whose boxes overlap more are one face, which was detected twice. */
const SAME_FACE = 0.5;

/** Sides of the square that the mesh looks at, by those of the face in it. */
const AROUND_FACE = 1.5;

/**
 * Meshes of faces as zoo.estimate_faces finds them: faces first, by the detector, then the points
 * of each, by the network "mesh", which looks twice.
 *
 * Of the description it reads `options.estimateFaces`, and of `decode`: what the detector needs,
 * the defaults `detector` of its thresholds, `outputs`, the names {mesh, presence}, and
 * `contours`, the indices of points by the name of a contour.
 */
export class FaceMesh {
  static task = "faces";

  constructor({ description, networks }) {
    this.description = description;
    this.mesh = networks.mesh;
    this.detector = faceDetectorOf(networks, description.decode);
  }

  /** The faces in an image; see `estimateFaces`. */
  find(image, options) {
    return this.estimateFaces(image, options);
  }

  /** The faces in an image with 468 points each, best first. */
  estimateFaces(image, options = {}) {
    const known = this.description.options.estimateFaces;
    const chosen = checkedOptions("estimateFaces", options, known);
    const pixels = toPixels(image);
    const find = (upright) => this.facesIn(upright, chosen);
    return chosen.mirror ? foundInMirrored(find, pixels) : find(pixels);
  }

  facesIn(pixels, { maxFaces, scoreThreshold, iouThreshold }) {
    const { contours, detector } = this.description.decode;
    const found = this.detector.find(pixels, {
      scoreThreshold: scoreThreshold ?? detector.score_threshold,
      iouThreshold: iouThreshold ?? detector.iou_threshold,
      limit: maxFaces === null ? null : Math.max(4 * maxFaces, 16),
    });
    const first = this.look(pixels, found, regionOfFace);
    const closer = this.look(pixels, first, ({ points }) => closerRegion(points));
    const faces = closer.map((face) => ({ ...face, box: boxAround(face.points) }));
    const once = suppressOverlaps(faces, SAME_FACE, maxFaces);
    return once.map((face) => meshOfResult(face, contours));
  }

  /** The faces that the mesh confirms, with their points. */
  look(pixels, faces, regionOf) {
    const { mesh, presence } = this.description.decode.outputs;
    const seen = faces.map((face) => {
      const { values, placement } = prepareCrop(pixels, this.mesh, regionOf(face));
      const outputs = this.mesh.run(values);
      const points = inSpace(placement, pointsOfOutput(outputs[mesh]));
      return { score: face.score, points, presence: outputs[presence][0] };
    });
    return seen.filter((face) => face.presence >= FACE_PRESENCE);
  }
}

/** The square about a detected face, turned so that the eyes are level. */
function regionOfFace({ box, points }) {
  const rotation = rotationBetween(points[0], points[1], 0);
  return squareAbout(regionOfBox(box, rotation), AROUND_FACE);
}

/** The turned square about the points of a first look. */
function closerRegion(points) {
  const [start, end] = OUTER_CORNERS.map((corner) => points[corner]);
  return squareAbout(regionOfPoints(points, rotationBetween(start, end, 0)), AROUND_FACE);
}

function meshOfResult({ score, box, points, presence }, contours) {
  const keypoints = points.map(([x, y, z], i) => {
    return { part: `mesh_${i}`, position: { x, y, z }, score: presence };
  });
  return { score, box: boxOfResult(box), keypoints, landmarks: "mesh468", contours };
}
