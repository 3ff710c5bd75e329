// Sources of frames: the browser's camera, and a clip that the program plays.
//
// Each has `start(onFrame, onEnd)`, `stop()`, `size`, `time` in seconds, `isMirror`, and draws the
// present frame on a canvas, `draw(context, width, height)`, or gives it as JPEG, `capture(..)`.

import { openSocket, text } from "./common.js";
import { sayError } from "./notices.js";

const SIDE = 640; // pixels of the longer side of a frame that is sent
const QUALITY = 0.85; // of JPEG
const WISHES = { width: { ideal: 640 }, height: { ideal: 480 } };
const REFUSALS = {
  NotAllowedError: "camera_refused", SecurityError: "camera_refused",
  NotFoundError: "camera_missing", OverconstrainedError: "camera_missing",
};

/** Width and height of a frame that is sent, of that of the source. */
export function sentSize([width, height]) {
  const scale = Math.min(1, SIDE / Math.max(width, height, 1));
  return [Math.round(width * scale), Math.round(height * scale)];
}

function encoded(canvas) {
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error(text("no_frame")))), "image/jpeg", QUALITY);
  });
}

/** A file as JPEG of the size of frames, upright. */
export async function shrunk(file) {
  const bitmap = await createImageBitmap(file);
  const [width, height] = sentSize([bitmap.width, bitmap.height]);
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  context.fillStyle = "#fff"; // behind what is transparent
  context.fillRect(0, 0, width, height);
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return encoded(canvas);
}

/** The cameras that the page may use: {deviceId, label}. */
export async function cameras() {
  const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  return devices.filter(({ kind, deviceId }) => kind === "videoinput" && deviceId);
}

/** Call a function when a camera was plugged in or out, or when the user allows the camera. */
export async function onCameraChange(listener) {
  navigator.mediaDevices?.addEventListener("devicechange", listener);
  try {
    (await navigator.permissions.query({ name: "camera" })).onchange = listener;
  } catch { /* browsers that do not know the permission ask again when the page asks */ }
}

/** One of the browser's cameras. */
export class Camera {
  count = 0; // of frames

  /** @param deviceId of `cameras`; "" for the one that faces the user */
  constructor(isMirror, deviceId = "") {
    Object.assign(this, { wantsMirror: isMirror, deviceId });
    this.video = document.createElement("video");
    this.video.muted = this.video.playsInline = true;
    this.canvas = document.createElement("canvas");
  }

  async start(onFrame, onEnd) {
    if (!navigator.mediaDevices) throw new Error(text("camera_insecure"));
    const which = this.deviceId ? { deviceId: { exact: this.deviceId } } : { facingMode: "user" };
    try {
      await this.open(which, onEnd);
    } catch (error) {
      throw new Error(text(REFUSALS[error.name] ?? "camera_busy"));
    }
    this.watch(onFrame);
  }

  async open(which, onEnd) {
    this.stream = await navigator.mediaDevices.getUserMedia({ video: { ...WISHES, ...which }, audio: false });
    const [track] = this.stream.getVideoTracks();
    track.onended = onEnd; // unplugged, or the permission was withdrawn
    this.facing = track.getSettings().facingMode;
    this.usedId = track.getSettings().deviceId;
    this.video.srcObject = this.stream;
    await this.video.play();
  }

  watch(onFrame) {
    const next = () => {
      if (!this.stream?.active) return;
      this.count += 1;
      onFrame();
      if (this.video.requestVideoFrameCallback) this.video.requestVideoFrameCallback(next);
      else setTimeout(next, 33);
    };
    next();
  }

  stop() {
    for (const track of this.stream?.getTracks() ?? []) {
      track.onended = null;
      track.stop();
    }
    this.stream = null;
  }

  get isMirror() { return this.wantsMirror && this.facing !== "environment"; }

  get size() { return [this.video.videoWidth, this.video.videoHeight]; }

  get time() { return performance.now() / 1000; }

  draw(context, width, height) {
    context.save();
    if (this.isMirror) { context.translate(width, 0); context.scale(-1, 1); }
    context.drawImage(this.video, 0, 0, width, height);
    context.restore();
  }

  async capture(width, height) {
    Object.assign(this.canvas, { width, height });
    this.draw(this.canvas.getContext("2d", { willReadFrequently: true }), width, height);
    return encoded(this.canvas);
  }
}

/** A clip that the program plays: its frames are JPEG already. */
export class Clip {
  isMirror = false;
  count = 0; // of frames

  async start(onFrame) {
    const open = () => {
      const socket = openSocket("source");
      socket.binaryType = "blob";
      socket.onmessage = (event) => this.show(event.data, onFrame);
      socket.onclose = () => setTimeout(open, 1000);
    };
    open();
  }

  stop() {}

  async show(data, onFrame) {
    if (this.isBusy) return; // frames come faster than the browser decodes them
    this.isBusy = true;
    try {
      const length = new DataView(await data.slice(0, 4).arrayBuffer()).getUint32(0, true);
      const { time } = JSON.parse(await data.slice(4, 4 + length).text());
      const blob = data.slice(4 + length, data.size, "image/jpeg");
      const bitmap = await createImageBitmap(blob);
      this.bitmap?.close();
      Object.assign(this, { bitmap, blob, time });
      this.count += 1;
    } catch {
      sayError(text("bad_frame"));
      return;
    } finally {
      this.isBusy = false;
    }
    onFrame();
  }

  get size() { return this.bitmap ? [this.bitmap.width, this.bitmap.height] : [0, 0]; }

  draw(context, width, height) { context.drawImage(this.bitmap, 0, 0, width, height); }

  async capture() {
    if (!this.blob) throw new Error(text("no_frame"));
    return this.blob;
  }
}
