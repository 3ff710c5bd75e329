import { CameraPictures } from "./camera.js";
import { drawBoxesAndPoints } from "./drawing.js";
import { sentenceOf } from "./words.js";

/** Milliseconds between sentences about moving pictures, so that they can be read. */
const SENTENCE_PAUSE = 800;

const ELEMENT_STYLE = `
  :host { display: block; color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif;
    --ink: #14181f; --line: #d8dee8; --card: #ffffff; --accent: #0b66c3; --bad: #b3261e;
    color: var(--ink); }
  @media (prefers-color-scheme: dark) {
    :host { --ink: #eef1f6; --line: #2b3441; --card: #171c24; --accent: #63b3f4; --bad: #ff8a80; }
  }
  :host([hidden]) { display: none; }
  .stage { border-radius: 16px; overflow: hidden; background: #0b0d11; min-height: 120px; }
  .stage.over { outline: 3px dashed var(--accent); outline-offset: 3px; }
  canvas { display: block; width: 100%; max-height: 72vh; object-fit: contain; }
  .actions { display: flex; flex-wrap: wrap; gap: 8px; margin: 12px 0; }
  button { font: inherit; font-weight: 600; color: inherit; padding: 9px 16px; min-height: 44px;
    background: var(--card); border: 1px solid var(--line); border-radius: 11px; cursor: pointer; }
  button:hover:enabled { border-color: var(--accent); }
  button:disabled { opacity: 0.55; cursor: default; }
  :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  p { margin: 0; min-height: 1.5em; font-size: 1.1rem; overflow-wrap: anywhere; }
  p.bad { color: var(--bad); }
  input { display: none; }
`;

const ELEMENT_CONTENT = `
  <div class="stage"><canvas width="640" height="360" role="img"></canvas></div>
  <div class="actions">
    <button class="camera" type="button" disabled>Start the camera</button>
    <button class="photo" type="button" disabled>Open a photo</button>
    <input type="file" accept="image/*">
  </div>
  <p role="status" aria-live="polite">The model is loading …</p>
`;

/**
 * A tag that runs a model on photos (a button, dropped or pasted) and on the camera, draws what is
 * found and says it in words.
 *
 * Attributes: `src`, the folder of the model; `photo`, the address of a picture to begin with;
 * `camera`, to begin with the camera. Events: "result", whose detail is the result; "error", whose
 * detail is the error.
 */
export class ZooElement extends (globalThis.HTMLElement ?? Object) {
  /** Loads the model; `defineElement` sets it. */
  static load;

  /** Open a photo that is pasted anywhere in the page. */
  paste = ({ clipboardData }) => {
    if (clipboardData?.files.length) this.openFile(clipboardData.files[0]);
  };

  connectedCallback() {
    this.ownerDocument.addEventListener("paste", this.paste);
    if (this.shadowRoot) return;
    this.ownerDocument.getElementById("hint")?.remove(); // of pages whose scripts do not run
    const root = this.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(ELEMENT_STYLE);
    root.adoptedStyleSheets = [style];
    root.innerHTML = ELEMENT_CONTENT;
    this.canvas = root.querySelector("canvas");
    this.context = this.canvas.getContext("2d", { willReadFrequently: true });
    this.status = root.querySelector("p");
    this.pictures = new CameraPictures();
    this.listen(root);
    this.begin();
  }

  disconnectedCallback() {
    this.ownerDocument.removeEventListener("paste", this.paste);
    this.stopCamera();
  }

  listen(root) {
    const input = root.querySelector("input");
    this.cameraButton = root.querySelector(".camera");
    this.photoButton = root.querySelector(".photo");
    this.cameraButton.addEventListener("click", () => this.switchCamera());
    this.photoButton.addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      this.openFile(input.files[0]);
      input.value = ""; // so that the same photo can be opened again
    });
    this.listenToDrops(root.querySelector(".stage"));
  }

  listenToDrops(stage) {
    const mark = (isOver) => stage.classList.toggle("over", isOver);
    stage.addEventListener("dragover", (event) => {
      event.preventDefault();
      mark(true);
    });
    stage.addEventListener("dragleave", () => mark(false));
    stage.addEventListener("drop", (event) => {
      event.preventDefault();
      mark(false);
      this.openFile(event.dataTransfer.files[0]);
    });
  }

  /** Load the model, then show what the attributes ask for. */
  async begin() {
    try {
      this.model = await this.constructor.load(this.getAttribute("src") ?? undefined);
    } catch (error) {
      this.fail(error);
      return;
    }
    this.cameraButton.disabled = this.photoButton.disabled = false;
    this.say("Open a photo, drop one here, or start the camera.");
    this.dispatchEvent(new CustomEvent("ready"));
    if (this.hasAttribute("photo")) this.openAddress(this.getAttribute("photo"));
    else if (this.hasAttribute("camera")) this.switchCamera();
  }

  async openAddress(address) {
    let response;
    try {
      response = await fetch(address);
    } catch {
      response = { ok: false, status: "no answer" };
    }
    if (response.ok) this.openFile(await response.blob(), address);
    else this.fail(new Error(`${address} cannot be loaded (${response.status})`));
  }

  /** Show what is found in a photo. */
  async openFile(file, name = file?.name) {
    if (!file || !this.model) return;
    this.stopCamera();
    let bitmap;
    try {
      bitmap = await createImageBitmap(file);
    } catch {
      this.fail(new Error(`${name} is no picture that this browser reads: give a JPEG or PNG`));
      return;
    }
    this.resize(bitmap.width, bitmap.height);
    this.context.fillStyle = "white"; // behind what is transparent
    this.context.fillRect(0, 0, bitmap.width, bitmap.height);
    this.context.drawImage(bitmap, 0, 0);
    bitmap.close();
    this.look();
  }

  async switchCamera() {
    if (this.pictures.isRunning) {
      this.stopCamera();
      this.say("The camera is off.");
      return;
    }
    this.cameraButton.disabled = true;
    this.say("Allow the camera, in the browser's question, to begin.");
    try {
      await this.pictures.start((video) => this.lookAtFrame(video), (error) => this.fail(error));
      this.cameraButton.textContent = "Stop the camera";
    } catch (error) {
      this.fail(error);
    }
    this.cameraButton.disabled = false;
  }

  stopCamera() {
    this.pictures?.stop();
    if (this.cameraButton) this.cameraButton.textContent = "Start the camera";
  }

  /** Show a frame as in a mirror, and what is found in it. */
  lookAtFrame(video) {
    const { videoWidth: width, videoHeight: height } = video;
    this.resize(width, height);
    this.context.setTransform(-1, 0, 0, 1, width, 0);
    this.context.drawImage(video, 0, 0);
    this.context.resetTransform();
    this.look({ mirror: true });
  }

  look(options = {}) {
    const { width, height } = this.canvas;
    let result;
    try {
      result = this.model.find(this.context.getImageData(0, 0, width, height), options);
    } catch (error) {
      this.fail(error);
      return;
    }
    drawBoxesAndPoints(this.context, result, this.model.description.skeleton);
    this.sayResult(sentenceOf(this.model.constructor.task, result), options.mirror);
    this.dispatchEvent(new CustomEvent("result", { detail: result }));
  }

  sayResult(sentence, isMoving) {
    const now = performance.now();
    if (isMoving && now - (this.said ?? -Infinity) < SENTENCE_PAUSE) return;
    this.said = now;
    this.say(sentence);
    this.canvas.setAttribute("aria-label", sentence);
  }

  /** Say a sentence below the picture. */
  say(sentence) {
    this.status.classList.remove("bad");
    if (this.status.textContent !== sentence) this.status.textContent = sentence;
  }

  fail(error) {
    this.stopCamera();
    this.say(error.message);
    this.status.classList.add("bad");
    this.dispatchEvent(new CustomEvent("error", { detail: error }));
  }

  resize(width, height) {
    if (this.canvas.width !== width || this.canvas.height !== height) {
      Object.assign(this.canvas, { width, height });
    }
  }
}

/** Register the tag of a model; where there are no tags, as in Node.js, nothing happens. */
export function defineElement(tag, load) {
  if (typeof customElements === "undefined" || customElements.get(tag)) return;
  const element = class extends ZooElement {};
  element.load = load;
  customElements.define(tag, element);
}
