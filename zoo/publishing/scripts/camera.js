import { ZooError } from "./errors.js";

const REFUSED = "this page may not use the camera: allow it beside the address, or open a photo";
const MISSING = "no camera was found: connect one, or open a photo";

/** Reasons of browsers, by their names, in words. */
const CAMERA_REFUSALS = {
  NotAllowedError: REFUSED,
  SecurityError: REFUSED,
  NotFoundError: MISSING,
  OverconstrainedError: MISSING,
};

/** The frames of the camera that faces the user. */
export class CameraPictures {
  /** Whether there is a camera that gives frames. */
  get isRunning() {
    return Boolean(this.stream);
  }

  /**
   * Call a function with a video for each frame; frames that come while it works are left out.
   *
   * @param onEnd is called with an error when the camera was taken away
   */
  async start(onFrame, onEnd) {
    if (!navigator.mediaDevices) {
      throw new ZooError(
        "browsers give a camera to pages of https addresses, of this computer (localhost) and to " +
          "files alone: open the page by one of these, or open a photo",
      );
    }
    const wishes = { facingMode: "user", width: { ideal: 640 }, height: { ideal: 480 } };
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ video: wishes, audio: false });
    } catch ({ name }) {
      const other = "the camera cannot be read: close other programs that use it";
      throw new ZooError(CAMERA_REFUSALS[name] ?? other);
    }
    this.stream.getVideoTracks()[0].onended = () => {
      onEnd(new ZooError("the camera was disconnected: connect it again"));
    };
    const video = document.createElement("video");
    Object.assign(video, { muted: true, playsInline: true, srcObject: this.stream });
    await video.play();
    this.follow(video, onFrame);
  }

  follow(video, onFrame) {
    const { stream } = this;
    const next = () => {
      if (this.stream !== stream) return;
      if (video.videoWidth) onFrame(video);
      if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(next);
      else requestAnimationFrame(next);
    };
    next();
  }

  /** Give the camera back. */
  stop() {
    for (const track of this.stream?.getTracks() ?? []) {
      track.onended = null;
      track.stop();
    }
    this.stream = undefined;
  }
}
