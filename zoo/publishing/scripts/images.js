import { ZooError } from "./errors.js";

/**
 * The pixels of an image as {width, height, data}, where data is RGBA.
 *
 * @param image an ImageData or the like, whose fourth channel is not looked at; or an img, canvas,
 *   video, ImageBitmap or VideoFrame, whose transparent pixels are shown over white
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
  } catch (error) {
    throw new ZooError(
      error.name === "SecurityError"
        ? "the image is of another site, which does not let pages read it: use a copy on your own"
        : `this browser cannot read ${width} x ${height} pixels at once: make the image smaller`,
    );
  }
}

/** Pixels of bytes whose length fits; the sides of an ImageData are no properties of its own. */
function checkedPixels(image) {
  const { width, height, data } = image;
  if (data.BYTES_PER_ELEMENT !== 1) {
    throw new ZooError("data of an image are levels 0..255: give a Uint8ClampedArray of RGBA");
  }
  const isWhole = Number.isInteger(width) && Number.isInteger(height);
  if (!(isWhole && width > 0 && height > 0) || data.length !== width * height * 4) {
    throw new ZooError(
      `an image of ${width} x ${height} pixels needs width * height * 4 values of RGBA, at least ` +
        `4, and has ${data.length}`,
    );
  }
  return image;
}

function sidesOfImage(image) {
  if (image?.naturalWidth !== undefined) return [image.naturalWidth, image.naturalHeight];
  if (image?.videoWidth !== undefined) return sidesOfVideo(image);
  if (image?.displayWidth !== undefined) return [image.displayWidth, image.displayHeight];
  if (image?.width !== undefined) return [image.width, image.height];
  throw new ZooError(
    "give an img, canvas, video, ImageBitmap, VideoFrame or ImageData; a file becomes one by " +
      "await createImageBitmap(file)",
  );
}

/** The sides are known before the first frame is there, HTMLMediaElement.HAVE_CURRENT_DATA. */
function sidesOfVideo({ videoWidth, videoHeight, readyState }) {
  return readyState < 2 ? [0, 0] : [videoWidth, videoHeight];
}

function canvasOf(width, height) {
  if (typeof OffscreenCanvas !== "undefined") return new OffscreenCanvas(width, height);
  return Object.assign(document.createElement("canvas"), { width, height });
}
