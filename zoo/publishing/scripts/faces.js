import { boxOfResult } from "./boxes.js";
import { faceDetectorOf } from "./face_detectors.js";
import { toPixels } from "./images.js";
import { foundInMirrored } from "./mirroring.js";
import { checkedOptions } from "./options.js";

/** Keypoints of BlazeFace; sides are the person's own. */
const FACE_POINTS = [
  "right_eye",
  "left_eye",
  "nose_tip",
  "mouth_center",
  "right_ear_tragion",
  "left_ear_tragion",
];

/**
 * Faces as zoo.detect_faces finds them with a BlazeFace, refined or not.
 *
 * Of the description it reads `options.detectFaces`, and `decode` as its detector does.
 */
export class Faces {
  static task = "faces";

  constructor({ description, networks }) {
    this.description = description;
    this.detector = faceDetectorOf(networks, description.decode);
  }

  /** The faces in an image; see `detectFaces`. */
  find(image, options) {
    return this.detectFaces(image, options);
  }

  /** The faces in an image, best first. */
  detectFaces(image, options = {}) {
    const known = this.description.options.detectFaces;
    const { maxFaces, mirror, ...thresholds } = checkedOptions("detectFaces", options, known);
    const find = (pixels) => {
      return this.detector.find(pixels, { ...thresholds, limit: maxFaces }).map(faceOfResult);
    };
    const pixels = toPixels(image);
    return mirror ? foundInMirrored(find, pixels) : find(pixels);
  }
}

/** A face with points, as results have it. */
function faceOfResult({ score, box, points }) {
  const keypoints = points.map(([x, y], i) => {
    return { part: FACE_POINTS[i], position: { x, y }, score };
  });
  return { score, box: boxOfResult(box), keypoints, landmarks: "points6" };
}
