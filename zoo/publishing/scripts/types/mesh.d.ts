import type { Picture } from "./images.js";
import type { Description } from "./loading.js";
import type { Box, Keypoint } from "./results.js";

/** Options of faces; those that are not given have the model's own defaults. */
export interface FacesOptions {
  /** The most faces; null: all. */
  maxFaces?: number | null;
  /** Least score that the detector gives a face, 0..1. */
  scoreThreshold?: number | null;
  /** Of two detected faces that overlap more the worse goes, 0..1. */
  iouThreshold?: number | null;
  /** Whether the image is a mirror image: left and right are then the real ones. */
  mirror?: boolean | null;
}

/** One face, with 468 keypoints in space; their score says how surely it is a face. */
export interface MeshFace {
  /** Of the detector, 0..1. */
  score: number;
  /** The box around all keypoints. */
  box: Box;
  keypoints: Keypoint[];
  landmarks: "mesh468";
  /** Numbers of the keypoints along each contour; left and right are the person's own. */
  contours: Record<string, number[]>;
}

/** A face mesh. Its methods throw a `ZooError` for wrong images and options. */
export class FaceMesh {
  private constructor();
  static readonly task: "faces";
  readonly description: Description;
  /** The faces in an image, best first. */
  estimateFaces(image: Picture, options?: FacesOptions): MeshFace[];
  /** The same as `estimateFaces`: each model has this method. */
  find(image: Picture, options?: FacesOptions): MeshFace[];
}
