/** Levels 0..255 of RGBA, row by row; the fourth of a pixel is not looked at. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

/** An image that models take; of an image from a file, `createImageBitmap(file)`. */
export type Picture =
  | ImageData
  | Pixels
  | HTMLImageElement
  | HTMLVideoElement
  | HTMLCanvasElement
  | OffscreenCanvas
  | ImageBitmap
  | VideoFrame;
