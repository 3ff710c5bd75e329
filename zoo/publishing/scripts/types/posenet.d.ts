import type { Picture } from "./images.js";
import type { Description } from "./loading.js";
import type { Box, Keypoint } from "./results.js";

/** Options of one person; those that are not given have the model's own defaults. */
export interface SinglePoseOptions {
  /** Least score of a person, 0..1. */
  scoreThreshold?: number | null;
  /** Least score of the keypoint where a person is begun, 0..1. */
  keypointThreshold?: number | null;
  /** Pixels of the input within which a keypoint is that of an earlier person. */
  nmsRadius?: number | null;
  /** Whether the image is a mirror image: left and right are then the real ones. */
  mirror?: boolean | null;
}

/** Options of several people. */
export interface MultiplePosesOptions extends SinglePoseOptions {
  /** The most people. */
  maxPoses?: number | null;
}

/** One person; where nobody is found the score is 0, and there are no keypoints and no box. */
export interface Pose {
  score: number;
  keypoints: Keypoint[];
  /** The box around the keypoints in the image that are surely seen. */
  box?: Box;
}

/** A PoseNet. Its methods throw a `ZooError` for wrong images and options. */
export class PoseNet {
  private constructor();
  static readonly task: "pose";
  readonly description: Description;
  /** The most prominent person. */
  estimateSinglePose(image: Picture, options?: SinglePoseOptions): Pose;
  /** The people in an image, best first. */
  estimateMultiplePoses(image: Picture, options?: MultiplePosesOptions): Pose[];
  /** The same as `estimateMultiplePoses`: each model has this method. */
  find(image: Picture, options?: MultiplePosesOptions): Pose[];
}
