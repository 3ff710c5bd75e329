import { ZooError } from "./errors.js";

/**
 * The pixels of an image as {width, height, data}, where data is RGBA.
 *
 * @param image an ImageData or the like, as it is; or an img, canvas, video, ImageBitmap or
 *   VideoFrame, whose transparent pixels are shown over white
 */
export function toPixels(image) {
  if (image?.data?.length !== undefined) return checkedPixels(image);
  const [width, height] = sidesOfImage(image);
  if (!(width > 0 && height > 0)) {
    throw new ZooError("the image has no pixels yet: wait for its load or loadeddata event");
  }
  const canvas = canvasOf(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  try {
    return context.getImageData(0, 0, width, height);
  } catch {
    throw new ZooError(
      "the image is of another site, which does not let pages read it: use a copy on your own",
    );
  }
}

/** Pixels whose length fits; the sides of an ImageData are no properties of its own. */
function checkedPixels(image) {
  const { width, height, data } = image;
  if (!(width > 0 && height > 0) || data.length !== width * height * 4) {
    throw new ZooError(
      `an image of ${width} x ${height} pixels needs ${width * height * 4} values of RGBA, ` +
        `and has ${data.length}`,
    );
  }
  return image;
}

function sidesOfImage(image) {
  if (image?.naturalWidth !== undefined) return [image.naturalWidth, image.naturalHeight];
  if (image?.videoWidth !== undefined) return [image.videoWidth, image.videoHeight];
  if (image?.displayWidth !== undefined) return [image.displayWidth, image.displayHeight];
  if (image?.width !== undefined) return [image.width, image.height];
  throw new ZooError("give an img, canvas, video, ImageBitmap, VideoFrame or ImageData");
}

function canvasOf(width, height) {
  if (typeof OffscreenCanvas !== "undefined") return new OffscreenCanvas(width, height);
  return Object.assign(document.createElement("canvas"), { width, height });
}
