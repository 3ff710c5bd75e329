/** A point in pixels of the image: x to the right, y down, from its upper left edge. */
export interface Position {
  x: number;
  y: number;
  /** Depth, only of models that estimate it. */
  z?: number;
}

/** A named point of a body, hand or face; left and right are the person's own. */
export interface Keypoint {
  part: string;
  position: Position;
  score: number;
}

/** A rectangle in pixels of the image, by its upper left corner; it may reach out of the image. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
