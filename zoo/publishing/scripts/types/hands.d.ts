import type { Picture } from "./images.js";
import type { Description } from "./loading.js";
import type { Box, Keypoint } from "./results.js";

/** Options of hands; those that are not given have the model's own defaults. */
export interface HandsOptions {
  /** The most hands. */
  maxHands?: number | null;
  /** Least score of a hand, 0..1. */
  scoreThreshold?: number | null;
  /** Least score of a palm, 0..1: with less, more is looked at. */
  detectorThreshold?: number | null;
  /** Of two palms that overlap more the worse goes, 0..1. */
  iouThreshold?: number | null;
  /** Whether the network looks again at each hand found, for steadier joints. */
  refine?: boolean | null;
  /** Whether the image is a mirror image: left and right are then the real ones. */
  mirror?: boolean | null;
}

/** A point in metres, from the middle of the hand. */
export interface WorldPoint {
  part: string;
  position: { x: number; y: number; z: number };
}

/** One hand, with 21 keypoints; their score is that of the hand. */
export interface Hand {
  /** 0..1 */
  score: number;
  keypoints: Keypoint[];
  /** The box around all keypoints. */
  box: Box;
  /** As the person has it. */
  handedness: "left" | "right";
  /** 0.5..1 */
  handedness_score: number;
  world: WorldPoint[];
}

/** Hand landmarks. Its methods throw a `ZooError` for wrong images and options. */
export class Hands {
  private constructor();
  static readonly task: "hands";
  readonly description: Description;
  /** The hands in an image, best first. */
  estimateHands(image: Picture, options?: HandsOptions): Hand[];
  /** The same as `estimateHands`: each model has this method. */
  find(image: Picture, options?: HandsOptions): Hand[];
}
