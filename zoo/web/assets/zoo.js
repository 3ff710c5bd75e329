// The page of an app: frames of the camera go to the program, results come back and are drawn.
//
// Two frames are on their way at most; a newer one is taken when one of them is answered. Scripts of
// apps import `zoo` from this file: see `Page` below for what they may use.

const IN_FLIGHT = 2;
const OLDEST_SHOWN = 500; // milliseconds: what a frame showed is not drawn for longer
const RETRY = [250, 500, 1000, 2000, 4000]; // milliseconds before connecting again
const CAPTURE_SIDE = 640; // pixels of the longer side of a frame
const QUALITY = 0.85; // of JPEG
const READ = 6000; // milliseconds for which an error stays
const AVERAGED = 120; // round trips in the median

const COLOURS = ["#56b4e9", "#e69f00", "#00b282", "#e482b6", "#f0e442", "#de6414"];
const BODY = [
  ["left_shoulder", "right_shoulder"], ["left_shoulder", "left_elbow"], ["left_elbow", "left_wrist"],
  ["right_shoulder", "right_elbow"], ["right_elbow", "right_wrist"], ["left_shoulder", "left_hip"],
  ["right_shoulder", "right_hip"], ["left_hip", "right_hip"], ["left_hip", "left_knee"],
  ["left_knee", "left_ankle"], ["right_hip", "right_knee"], ["right_knee", "right_ankle"],
];
const FINGERS = ["thumb", "index_finger", "middle_finger", "ring_finger", "pinky_finger"];

const element = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token");

/** The address of something of this server, with the page's token. */
function address(path, more = {}) {
  const url = new URL(path, location.href);
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
  if (token) url.searchParams.set("token", token);
  return url;
}

/** A text of the page with its values filled in. */
export function text(name, ...values) {
  const found = zoo.texts[name] ?? name;
  return found.replace(/\{(\d)\}/g, (_, index) => values[index] ?? "");
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

// --- the connection -----------------------------------------------------------------------------

class Connection {
  constructor(page) {
    this.page = page;
    this.tries = 0;
    this.open();
  }

  open() {
    const url = address("connection");
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.flying = new Map(); // number of a frame -> when it was taken, and its picture
    this.socket = new WebSocket(url);
    this.socket.onmessage = (event) => this.page.hear(JSON.parse(event.data));
    this.socket.onopen = () => { this.opened = performance.now(); };
    this.socket.onclose = (event) => this.again(event);
  }

  again(event) {
    this.page.lost(event.reason);
    const waited = RETRY[Math.min(this.tries, RETRY.length - 1)];
    this.tries += 1;
    setTimeout(() => this.open(), waited);
  }

  get isOpen() { return this.socket.readyState === WebSocket.OPEN; }

  send(content) {
    if (this.isOpen) this.socket.send(JSON.stringify(content));
  }

  async sendImage(content, blob) {
    const header = new TextEncoder().encode(JSON.stringify(content));
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, header.length, true);
    if (this.isOpen) this.socket.send(new Blob([length, header, blob]));
  }
}

// --- sources of frames --------------------------------------------------------------------------

/** The browser's camera. */
class Camera {
  constructor() {
    this.video = document.createElement("video");
    this.video.muted = this.video.playsInline = true;
    this.canvas = document.createElement("canvas");
  }

  async start(onFrame) {
    if (!navigator.mediaDevices) throw new Error(text("camera_insecure"));
    let stream;
    try {
      const video = { width: { ideal: 640 }, height: { ideal: 480 }, facingMode: "user" };
      stream = await navigator.mediaDevices.getUserMedia({ video, audio: false });
    } catch (error) {
      const known = { NotAllowedError: "camera_refused", NotFoundError: "camera_missing" };
      throw new Error(text(known[error.name] ?? "camera_busy"));
    }
    this.video.srcObject = stream;
    await this.video.play();
    const next = () => { onFrame(); this.video.requestVideoFrameCallback(next); };
    if (this.video.requestVideoFrameCallback) this.video.requestVideoFrameCallback(next);
    else setInterval(onFrame, 33);
  }

  get size() { return [this.video.videoWidth, this.video.videoHeight]; }

  get time() { return performance.now() / 1000; }

  draw(context, width, height, mirror) {
    context.save();
    if (mirror) { context.translate(width, 0); context.scale(-1, 1); }
    context.drawImage(this.video, 0, 0, width, height);
    context.restore();
  }

  /** The present frame as JPEG. */
  async capture(width, height, mirror) {
    Object.assign(this.canvas, { width, height });
    this.draw(this.canvas.getContext("2d", { willReadFrequently: true }), width, height, mirror);
    return new Promise((done) => this.canvas.toBlob(done, "image/jpeg", QUALITY));
  }
}

/** A clip that the program plays: its frames are JPEG already. */
class Clip {
  async start(onFrame) {
    const url = address("source");
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    const open = () => {
      const socket = new WebSocket(url);
      socket.binaryType = "blob";
      socket.onmessage = async (event) => {
        const length = new DataView(await event.data.slice(0, 4).arrayBuffer()).getUint32(0, true);
        const { time } = JSON.parse(await event.data.slice(4, 4 + length).text());
        const blob = event.data.slice(4 + length, event.data.size, "image/jpeg");
        const bitmap = await createImageBitmap(blob);
        this.bitmap?.close();
        Object.assign(this, { bitmap, blob, time });
        onFrame();
      };
      socket.onclose = () => setTimeout(open, 1000);
    };
    open();
  }

  get size() { return this.bitmap ? [this.bitmap.width, this.bitmap.height] : [0, 0]; }

  draw(context, width, height) { if (this.bitmap) context.drawImage(this.bitmap, 0, 0, width, height); }

  async capture() { return this.blob; }
}

// --- the page -----------------------------------------------------------------------------------

/** What scripts of apps use: `zoo.on`, `zoo.send`, `zoo.sendImage`, `zoo.onDraw`, `zoo.texts`. */
class Page {
  constructor() {
    this.texts = {};
    this.values = {}; // of the controls, where they were changed
    this.defaults = {};
    this.latest = null; // the last answer: {result, events, ..}, with `taken` and `picture`
    this.listeners = new Map();
    this.painters = [];
    this.draws = true; // whether results are drawn by this file
    this.synchronous = false; // draw the frame that the result is of, not the newest one
    this.number = 0;
    this.taking = 0;
    this.trips = [];
    this.answers = [];
    this.isPaused = false;
    this.readUntil = 0;
    this.ready = new Promise((resolve) => { this.isReady = resolve; }); // texts and controls are there
    this.canvas = element("picture");
    this.context = this.canvas.getContext("2d");
  }

  /** Call a function with each message of a type; "result" for each answered frame. */
  on(type, listener) {
    this.listeners.set(type, [...(this.listeners.get(type) ?? []), listener]);
  }

  /** Draw on the picture, at the display's rate: painter(context, latest). */
  onDraw(painter) { this.painters.push(painter); }

  /** Send the app a message; see `App.on`. */
  send(type, content = {}) { this.connection.send({ ...content, type }); }

  /** Send the app the present frame, or an image, for `App.on_image`; it is not dropped. */
  async sendImage(type, content = {}, blob = null) {
    const [width, height] = this.frameSize();
    const image = blob ?? await this.source.capture(width, height, this.mirrors);
    this.number += 1;
    await this.connection.sendImage({ ...content, type, number: this.number, mirrored: this.mirrors && !blob }, image);
  }

  /** The address of a download of the app. */
  download(name) { return address(`download/${name}`, { page: this.page, key: this.key }); }

  /** Let the browser save something under a name. */
  saveFile(blob, name) {
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  get mirrors() { return this.isMirror && this.source instanceof Camera; }

  async start() {
    const settings = await (await fetch(address("settings"))).json();
    this.texts = settings.texts;
    this.isMirror = settings.mirror;
    this.say("connecting");
    this.source = settings.has_source ? new Clip() : new Camera();
    this.addControls(settings.controls);
    this.connection = new Connection(this);
    element("pause").onclick = () => this.pause(!this.isPaused);
    requestAnimationFrame(() => this.draw());
    setInterval(() => this.showFigures(), 500);
    this.isReady();
    if (!settings.has_source) this.say("ask_camera");
    try {
      await this.source.start(() => this.take());
      this.hasSource = true;
      this.say("starting");
    } catch (error) {
      this.say("failed", "bad", error.message);
      document.body.dataset.camera = "refused";
    }
  }

  frameSize() {
    const [width, height] = this.source.size;
    const scale = Math.min(1, CAPTURE_SIDE / Math.max(width, height, 1));
    return [Math.round(width * scale), Math.round(height * scale)];
  }

  /** Send the present frame, unless two are on their way. */
  async take() {
    const flying = this.connection.flying;
    if (this.isPaused || document.hidden || !this.connection.isOpen || !this.isGreeted) return;
    if (flying.size + this.taking >= IN_FLIGHT) return;
    const [width, height] = this.frameSize();
    if (!width || !height) return;
    this.taking += 1;
    try {
      const taken = performance.now();
      const { time } = this.source;
      const image = await this.source.capture(width, height, this.mirrors);
      this.number += 1;
      const picture = this.synchronous ? await createImageBitmap(image) : null;
      flying.set(this.number, { taken, picture });
      const content = { number: this.number, type: "frame", mirrored: this.mirrors, time };
      await this.connection.sendImage(content, image);
    } finally {
      this.taking -= 1;
    }
  }

  hear(message) {
    if (message.type === "hello") this.greet(message);
    if (["result", "dropped", "error"].includes(message.type)) this.land(message);
    for (const listener of this.listeners.get(message.type) ?? []) listener(message);
  }

  greet(message) {
    this.connection.tries = 0;
    this.isGreeted = true;
    [this.page, this.key] = [message.page, message.key];
    document.body.dataset.connection = "open";
    if (this.hasSource) this.say("starting");
    for (const [name, value] of Object.entries(this.values)) this.send("set", { name, value });
  }

  land(message) {
    const flight = this.connection.flying.get(message.number);
    this.connection.flying.delete(message.number);
    if (message.type === "error") this.say("failed", "bad", message.message);
    if (message.type !== "result" || !flight) { flight?.picture?.close(); return; }
    const now = performance.now();
    this.trips = [...this.trips.slice(1 - AVERAGED), now - flight.taken];
    this.answers = [...this.answers.filter((time) => now - time < 3000), now];
    this.latest?.picture?.close();
    this.latest = Object.assign(message, flight);
    this.count("answered");
    if (now > this.readUntil) this.say(null);
  }

  lost(reason) {
    this.isGreeted = false;
    document.body.dataset.connection = "lost";
    if (reason) this.say("refused", "bad", reason);
    else this.say("lost", "bad");
  }

  count(name) {
    document.body.dataset[name] = Number(document.body.dataset[name] ?? 0) + 1;
  }

  say(name, kind = "", ...values) {
    const notice = element("notice");
    notice.hidden = name === null;
    if (kind === "bad") this.readUntil = performance.now() + READ;
    notice.className = kind;
    if (name !== null && notice.textContent !== text(name, ...values)) notice.textContent = text(name, ...values);
  }

  pause(isPaused) {
    this.isPaused = isPaused;
    const button = element("pause");
    button.setAttribute("aria-pressed", String(isPaused));
    button.textContent = text(isPaused ? "resume" : "pause");
    this.say(isPaused ? "paused" : null);
  }

  showFigures() {
    const now = performance.now();
    this.answers = this.answers.filter((time) => now - time < 3000);
    if (this.answers.length < 2) return;
    const seconds = (now - this.answers[0]) / 1000;
    const fps = (this.answers.length / Math.max(seconds, 0.1)).toFixed(1);
    const trips = [percentile(this.trips, 0.5), percentile(this.trips, 0.95)].map((ms) => ms.toFixed(0));
    element("fps").textContent = text("fps", fps);
    element("round-trip").textContent = text("round_trip", ...trips);
    Object.assign(document.body.dataset, { fps, median: trips[0], percentile95: trips[1] });
  }

  // --- drawing ---

  draw() {
    requestAnimationFrame(() => this.draw());
    const [width, height] = this.frameSize();
    if (!width || !height) return;
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    const age = this.latest ? performance.now() - this.latest.taken : Infinity;
    const shown = age <= OLDEST_SHOWN ? this.latest : null;
    const { context } = this;
    if (shown?.picture) context.drawImage(shown.picture, 0, 0, width, height);
    else this.source.draw(context, width, height, this.mirrors);
    if (shown) {
      this.note(age);
      context.save();
      context.scale(width / shown.size[0], height / shown.size[1]);
      if (this.draws) drawResult(context, shown.result);
      for (const painter of this.painters) painter(context, shown);
      context.restore();
    }
  }

  note(age) {
    const { dataset } = document.body;
    dataset.oldest = Math.max(Number(dataset.oldest ?? 0), age).toFixed(0);
  }

  // --- controls ---

  addControls(controls) {
    this.defaults = Object.fromEntries(controls.map((control) => [control.name, control.default]));
    const form = element("controls");
    form.hidden = !controls.length;
    form.onsubmit = (event) => event.preventDefault();
    for (const control of controls) form.append(this.control(control));
    addEventListener("keydown", (event) => {
      if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
      const pressed = controls.find((control) => control.key && control.key === event.key);
      if (pressed) { event.preventDefault(); this.send(pressed.name); }
    });
  }

  control(control) {
    if (control.kind === "button") {
      const button = document.createElement("button");
      button.type = "button";
      button.name = control.name;
      button.textContent = control.meaning + (control.key ? ` (${control.key})` : "");
      button.onclick = () => this.send(control.name);
      return button;
    }
    const label = document.createElement("label");
    const input = document.createElement(control.kind === "select" ? "select" : "input");
    input.name = control.name;
    if (control.kind === "select") {
      for (const choice of control.choices) input.add(new Option(choice, choice, false, choice === control.default));
    } else if (control.kind === "switch") {
      Object.assign(input, { type: "checkbox", checked: Boolean(control.default) });
      label.className = "switch";
    } else {
      const step = control.step || "any";
      Object.assign(input, { type: "range", min: control.low ?? 0, max: control.high, step, value: control.default });
    }
    const value = () => (control.kind === "switch" ? input.checked : control.kind === "slider" ? Number(input.value) : input.value);
    const number = document.createElement("output");
    const show = () => { if (control.kind === "slider") number.textContent = input.value; };
    input.oninput = () => { this.set(control.name, value()); show(); };
    show();
    label.append(control.meaning, " ", ...(control.kind === "slider" ? [number] : []), input);
    return label;
  }

  /** The value of a control. */
  value(name) { return this.values[name] ?? this.defaults[name]; }

  /** Change the value of a control for the app. */
  set(name, value) {
    this.values[name] = value;
    this.send("set", { name, value });
  }
}

// --- drawing of results -------------------------------------------------------------------------

/** Draw any result of the zoo: poses, hands, faces, boxes, gestures, masks, labels. */
export function drawResult(context, result) {
  const items = Array.isArray(result) ? result : result ? [result] : [];
  const unit = Math.max(context.canvas.width, context.canvas.height) / 320;
  items.forEach((item, index) => {
    const colour = COLOURS[index % COLOURS.length];
    if (item.mask) drawMask(context, item.mask, colour);
    if (item.landmarks) drawFace(context, item, colour, unit);
    else if (item.handedness && item.keypoints) drawHand(context, item, unit);
    else if (item.keypoints) drawPose(context, item, colour, unit);
    else if (item.box) drawBox(context, item.box, colour, unit, caption(item));
  });
  const labels = items.filter((item) => item.label && !item.box && item.hand === undefined);
  labels.forEach((item, index) => write(context, caption(item), 4 * unit, (8 + 14 * index) * unit, COLOURS[0], unit));
}

function caption(item) {
  return [item.label, item.score === undefined ? null : `${Math.round(100 * item.score)} %`].filter(Boolean).join(" ");
}

function points(item, least = zoo.value("threshold") ?? 0.3) {
  return Object.fromEntries(item.keypoints.filter((p) => (p.score ?? 1) >= least).map((p) => [p.part, p.position]));
}

export function line(context, places, colour, width) {
  context.beginPath();
  places.forEach(({ x, y }, index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  Object.assign(context, { strokeStyle: colour, lineWidth: width, lineCap: "round", lineJoin: "round" });
  context.stroke();
}

export function dot(context, { x, y }, colour, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
}

export function drawPose(context, pose, colour, unit) {
  const found = points(pose);
  for (const [from, to] of BODY) if (found[from] && found[to]) line(context, [found[from], found[to]], colour, 2.2 * unit);
  for (const place of Object.values(found)) dot(context, place, "#fff", 1.6 * unit);
}

export function drawHand(context, hand, unit) {
  const found = points(hand, 0);
  FINGERS.forEach((finger, index) => {
    const chain = [found.wrist, ...hand.keypoints.filter((p) => p.part.startsWith(finger)).map((p) => p.position)];
    if (found.wrist) line(context, chain, COLOURS[index], 1.6 * unit);
  });
  for (const place of Object.values(found)) dot(context, place, "#fff", 1.1 * unit);
}

export function drawFace(context, face, colour, unit) {
  if (face.contours) {
    for (const indices of Object.values(face.contours)) {
      line(context, indices.map((index) => face.keypoints[index].position), colour, 0.9 * unit);
    }
  } else for (const { position } of face.keypoints) dot(context, position, colour, 1.2 * unit);
}

export function drawBox(context, { x, y, width, height }, colour, unit, words = "") {
  Object.assign(context, { strokeStyle: colour, lineWidth: 1.8 * unit });
  context.strokeRect(x, y, width, height);
  if (words) write(context, words, x, y, colour, unit);
}

/** Words on a plate, within the picture. */
export function write(context, words, x, y, colour, unit) {
  context.font = `600 ${7.5 * unit}px system-ui, sans-serif`;
  const width = context.measureText(words).width + 6 * unit;
  const top = Math.max(0, y - 11 * unit);
  context.fillStyle = colour;
  context.fillRect(x, top, width, 11 * unit);
  context.fillStyle = "#14141a";
  context.textBaseline = "middle";
  context.fillText(words, x + 3 * unit, top + 5.8 * unit);
}

const masks = new WeakMap(); // mask -> its tinted picture, or null while it is decoded

export function drawMask(context, mask, colour) {
  if (!masks.has(mask)) { masks.set(mask, null); tint(mask, colour).then((picture) => masks.set(mask, picture)); }
  const picture = masks.get(mask);
  if (picture) context.drawImage(picture, 0, 0);
}

/** A mask, which is a PNG in base64 whose values are 0 for the background, as an image of one colour. */
export async function tint(mask, colour, alpha = 0.5) {
  const bytes = Uint8Array.from(atob(mask.png), (letter) => letter.charCodeAt(0));
  const values = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const canvas = new OffscreenCanvas(values.width, values.height);
  const context = canvas.getContext("2d");
  context.drawImage(values, 0, 0);
  const image = context.getImageData(0, 0, values.width, values.height);
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  for (let at = 0; at < image.data.length; at += 4) {
    const isThere = image.data[at] > 0;
    image.data.set([red, green, blue, isThere ? 255 * alpha : 0], at);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

export const zoo = new Page();
globalThis.zoo = zoo;
zoo.start();
