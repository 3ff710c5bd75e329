import type { Picture } from "./images.js";
import type { Description } from "./loading.js";

/** Options of classes; those that are not given have the model's own defaults. */
export interface ClassifyOptions {
  /** The most classes. */
  topK?: number | null;
  /** Whether the image is a mirror image, which is turned back. */
  mirror?: boolean | null;
}

/** A class that an image may belong to. */
export interface Label {
  label: string;
  /** 0..1 */
  score: number;
  /** Number of the class; two classes may have one label. */
  index: number;
}

/** A classifier. Its methods throw a `ZooError` for wrong images and options. */
export class Classifier {
  private constructor();
  static readonly task: "classes";
  readonly description: Description;
  /** The classes with the highest scores above 0, best first. */
  classify(image: Picture, options?: ClassifyOptions): Label[];
  /** The same as `classify`: each model has this method. */
  find(image: Picture, options?: ClassifyOptions): Label[];
}
