// The page of an app: frames of the camera go to the program, results come back and are drawn.
//
// Scripts of apps import from this file: `zoo`, see `Page`, and what draws.

import { address, element, make, text, texts } from "./common.js";
import { Connection } from "./connection.js";
import { Controls, values } from "./controls.js";
import { drawResult, prepare } from "./drawing.js";
import { Figures } from "./figures.js";
import { say, sayError } from "./notices.js";
import { Camera, cameras, Clip, onCameraChange, sentSize, shrunk } from "./sources.js";

export { element, setText, text } from "./common.js";
export { dot, drawBox, drawFace, drawHand, drawMask, drawPose, drawResult, line, tint, write } from "./drawing.js";

const OLDEST_SHOWN = 500; // milliseconds: what a frame showed is not drawn for longer

/** What scripts of apps use, as `zoo`. */
class Page {
  texts = texts;
  draws = true; // whether results are drawn without the app's script
  synchronous = false; // whether the frame of the result is drawn, not the newest one
  prepare = null; // called with an answer, and awaited, before it is the latest one
  conceal = null; // called with the context to draw over a frame of which no answer is shown
  latest = null; // the last answer: {result, events, size, ..}, with `taken` and `picture`
  isPaused = false;

  constructor() {
    this.listeners = new Map();
    this.painters = [];
    this.presses = new Map(); // name of a button -> what the page does itself
    this.drawn = []; // what the picture shows now, see `isNew`
    this.number = 0;
    this.capturing = false;
    this.figures = new Figures();
    this.canvas = element("picture");
    this.context = this.canvas.getContext("2d");
    this.ready = new Promise((resolve) => { this.isReady = resolve; }); // texts and controls are there
  }

  // --- what apps use ---

  /** Call a function with each message of a type; "result" for each answered frame. */
  on(type, listener) { this.listeners.set(type, [...(this.listeners.get(type) ?? []), listener]); }

  /** Draw on the picture, at the display's rate, where a frame or answer is new: painter(context, latest). */
  onDraw(painter) { this.painters.push(painter); }

  /** Let the page itself do what a button says, with or without the program, which is not asked. */
  onPress(name, listener) { this.presses.set(name, listener); }

  /** Send the app a message; see `App.on`. */
  send(type, content = {}) { this.connection.send({ ...content, type }); }

  /**
   * Send the app the present frame, or an image file, for `App.on_image`; it is not dropped.
   * Gives the answer, a message of this type or "error"; null where the connection is lost.
   */
  async sendImage(type, content = {}, file = null) {
    const mirrored = !file && this.source.isMirror;
    const image = file ? await shrunk(file) : await this.source.capture(...sentSize(this.source.size));
    const number = (this.number += 1);
    this.connection.sendImage({ ...content, type, number, mirrored }, image);
    return this.connection.answer(number);
  }

  /** The address of a download of the app. */
  download(name) { return address(`download/${name}`, { page: this.page, key: this.key }); }

  /** Let the browser save something under a name. */
  saveFile(blob, name) {
    const href = URL.createObjectURL(blob);
    make("a", { href, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
  }

  /** The value of a control. */
  value(name) { return values[name]; }

  /** Change the value of a control. */
  set(name, value) { this.controls.set(name, value); }

  // --- start ---

  async start() {
    const settings = await this.firstSettings();
    this.settings = settings;
    Object.assign(texts, settings.texts);
    this.connection = new Connection((message) => this.hear(message), (reason) => this.lose(reason));
    this.controls = new Controls(
      element("controls"), settings.controls,
      (name, value) => this.change(name, value), (name) => this.press(name),
    );
    element("pause").onclick = () => this.pause(!this.isPaused);
    element("again").onclick = () => this.startSource();
    setInterval(() => this.figures.show(performance.now()), 500);
    requestAnimationFrame(() => this.draw());
    this.isReady();
    this.startSource();
    if (!settings.has_source) onCameraChange(() => this.cameraChanged());
  }

  async readSettings() {
    const answer = await fetch(address("settings"));
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  /** The settings, whenever the program gives them. */
  async firstSettings() {
    for (;;) {
      try {
        return await this.readSettings();
      } catch {
        element("notice").textContent = element("notice").dataset.lost; // texts come with settings
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  }

  // --- the source of frames ---

  async startSource(deviceId = this.source?.deviceId) {
    this.source?.stop();
    const source = this.settings.has_source ? new Clip() : new Camera(this.settings.mirror, deviceId);
    this.source = source;
    this.showCamera(this.settings.has_source ? null : "ask_camera");
    try {
      await source.start(() => this.take(), () => this.loseSource(text("camera_gone")));
    } catch (error) {
      source.stop();
      if (source === this.source) this.loseSource(error.message);
      return;
    }
    if (source !== this.source) { source.stop(); return; } // another one was chosen meanwhile
    this.showCamera();
    if (!this.latest) say("waiting", "starting");
    if (!this.settings.has_source) this.offerCameras();
  }

  showCamera(question = null, refusal = null) {
    say("asking", question);
    say("camera", refusal);
    element("again").hidden = refusal === null;
    document.body.dataset.camera = refusal ? "refused" : "";
  }

  loseSource(words) {
    this.source.stop();
    this.showCamera(null, words);
  }

  cameraChanged() {
    if (document.body.dataset.camera === "refused") this.startSource();
    else this.offerCameras();
  }

  /** A choice of cameras, where there are several. */
  async offerCameras() {
    const found = await cameras();
    const select = element("camera");
    select.replaceChildren(...found.map(({ deviceId, label }, index) => (
      new Option(label || text("camera_number", index + 1), deviceId, false, deviceId === this.source.usedId))));
    select.onchange = () => this.startSource(select.value);
    select.parentElement.hidden = found.length < 2;
  }

  // --- frames and answers ---

  /** Send the present frame, unless enough are on their way. */
  async take() {
    const taken = performance.now();
    const { connection, source } = this;
    if (this.isPaused || this.capturing || document.hidden || !connection.hasRoom(taken)) return;
    const [width, height] = sentSize(source.size);
    if (!width || !height) return;
    this.capturing = true;
    try {
      const { time, isMirror: mirrored } = source;
      const image = await source.capture(width, height);
      const picture = this.synchronous ? await createImageBitmap(image) : null;
      if (!connection.isReady) { picture?.close(); return; } // lost meanwhile
      const number = (this.number += 1);
      connection.depart(number, { taken, picture });
      connection.sendImage({ number, type: "frame", mirrored, time }, image);
    } catch (error) {
      sayError(error.message); // such as a camera that is unplugged at this moment
    } finally {
      this.capturing = false;
    }
  }

  hear(message) {
    if (message.type === "hello") this.greet(message);
    if (["result", "dropped", "error"].includes(message.type)) this.land(message);
    for (const listener of this.listeners.get(message.type) ?? []) listener(message);
  }

  async greet({ page, key }) {
    const { connection } = this;
    const { socket } = connection;
    const isGone = () => socket !== connection.socket || !connection.isOpen;
    [this.page, this.key] = [page, key];
    try {
      const isSame = JSON.stringify(await this.readSettings()) === JSON.stringify(this.settings);
      if (isGone()) return; // it was lost meanwhile
      if (!isSame) { location.reload(); return; } // another app runs at this address now
    } catch {
      if (!isGone()) connection.lose();
      return;
    }
    for (const [name, value] of this.controls.entries()) this.send("set", { name, value });
    connection.isReady = true;
    connection.tries = 0;
    say("connection", null);
    document.body.dataset.connection = "open";
  }

  async land(message) {
    if (message.type === "error") sayError(message.message);
    const flight = this.connection.land(message.number);
    if (message.type !== "result" || !flight) { flight?.picture?.close(); return; }
    const now = performance.now();
    this.figures.take(now, now - flight.taken);
    this.showAnswers();
    try {
      if (this.draws) await prepare(message.result);
      if (this.prepare) await this.prepare(message);
    } catch (error) {
      sayError(error.message);
    }
    if (this.latest?.number > message.number) { flight.picture?.close(); return; }
    this.latest?.picture?.close();
    this.latest = Object.assign(message, flight);
    document.body.dataset.answered = Number(document.body.dataset.answered ?? 0) + 1;
  }

  /** Say what there is to say when a frame is answered. */
  showAnswers() {
    say("waiting", null);
    const isDrawn = this.draws || this.painters.length > 0;
    say("slow", isDrawn && this.figures.areSlower(OLDEST_SHOWN) ? "too_slow" : null);
  }

  lose(reason) {
    document.body.dataset.connection = "lost";
    say("connection", reason ? "refused" : "lost", reason);
  }

  /** A control was moved: painters may draw something else now. */
  change(name, value) {
    this.drawn = [];
    this.send("set", { name, value });
  }

  /** What a button does: a function of the page, or a message to the app. */
  press(name) {
    const listener = this.presses.get(name);
    if (listener) listener();
    else this.send(name);
  }

  pause(isPaused) {
    this.isPaused = isPaused;
    element("pause").setAttribute("aria-pressed", String(isPaused));
    say("paused", isPaused ? "paused" : null);
  }

  // --- drawing ---

  draw() {
    requestAnimationFrame(() => this.draw());
    const [width, height] = sentSize(this.source.size);
    if (!width || !height || this.isPaused) return;
    const { canvas, context, latest } = this;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const age = latest ? performance.now() - latest.taken : Infinity;
    const shown = age <= OLDEST_SHOWN ? latest : null;
    if (!this.isNew(shown, width, height)) return;
    if (shown?.picture) context.drawImage(shown.picture, 0, 0, width, height);
    else this.source.draw(context, width, height);
    if (!shown) this.conceal?.(context);
    if (shown) this.drawAnswer(shown, width / shown.size[0], height / shown.size[1]);
  }

  /** Whether the picture would change: without a GPU, drawing takes the time that the model needs. */
  isNew(shown, width, height) {
    const drawn = [shown, shown?.picture ?? this.source.count, this.source, width, height];
    const isSame = drawn.every((value, index) => value === this.drawn[index]);
    this.drawn = drawn;
    return !isSame;
  }

  drawAnswer(shown, across, down) {
    const { context } = this;
    context.save();
    context.scale(across, down);
    try {
      if (this.draws) drawResult(context, shown.result);
      for (const painter of this.painters) painter(context, shown);
    } finally {
      context.restore();
    }
  }
}

export const zoo = new Page();
globalThis.zoo = zoo;
zoo.start();
