import type { Picture } from "./images.js";
import type { Description } from "./loading.js";
import type { Box, Keypoint } from "./results.js";

/** Options of faces; those that are not given have the model's own defaults. */
export interface FacesOptions {
  /** The most faces; null: all. */
  maxFaces?: number | null;
  /** Least score of a face, 0..1. */
  scoreThreshold?: number | null;
  /** Of two faces that overlap more the worse goes, 0..1. */
  iouThreshold?: number | null;
  /** Whether the image is a mirror image: left and right are then the real ones. */
  mirror?: boolean | null;
}

/** One face, with the keypoints of its eyes, nose, mouth and ears; their score is the face's. */
export interface Face {
  /** 0..1 */
  score: number;
  box: Box;
  keypoints: Keypoint[];
  landmarks: "points6";
}

/** A detector of faces. Its methods throw a `ZooError` for wrong images and options. */
export class Faces {
  private constructor();
  static readonly task: "faces";
  readonly description: Description;
  /** The faces in an image, best first. */
  detectFaces(image: Picture, options?: FacesOptions): Face[];
  /** The same as `detectFaces`: each model has this method. */
  find(image: Picture, options?: FacesOptions): Face[];
}
