import { zoo, text, tint } from "../assets/zoo.js";

const LEAST = 0.005; // part of the frame that is somebody
const element = (id) => document.getElementById(id);
const layer = () => document.createElement("canvas").getContext("2d");
const [mask, person, hidden, stage] = [layer(), layer(), layer(), layer()];
const smaller = []; // layers of a blur
let shown = []; // the answer and the choices that are on the stage

zoo.draws = false;
zoo.synchronous = true; // the mask fits the frame that it is of

// An answer is shown when its mask is decoded: until then the one before stays, with its own mask.
zoo.prepare = async (answer) => {
  answer.person = answer.result?.mask ? await tint(answer.result.mask, "#ffffff", 1) : null;
};

zoo.onDraw((context, answer) => {
  say(isOpen() ? "open" : answer.share >= LEAST ? "seen" : "nobody");
  if (isOpen()) return;
  const made = [answer, zoo.value("behind"), zoo.value("strength")];
  if (made.some((part, index) => part !== shown[index])) {
    compose(answer.picture, answer.share >= LEAST ? answer.person : null, answer.size);
  }
  shown = made;
  context.drawImage(stage.canvas, 0, 0, ...answer.size);
});

// A frame without an answer, as before the first one, may show anything: all of it is hidden.
zoo.conceal = (context) => {
  say(isOpen() ? "open" : "waiting");
  if (isOpen()) return;
  shown = [];
  const { canvas } = context;
  compose(canvas, null, [canvas.width, canvas.height]);
  context.drawImage(stage.canvas, 0, 0);
};

/** The slider of the blur is there where it does something. */
function showStrength() {
  const { behind, strength } = element("controls").elements;
  strength.closest("label").hidden = behind.value !== "blur";
}

zoo.ready.then(() => {
  element("controls").addEventListener("input", showStrength);
  showStrength();
});

const isOpen = () => zoo.value("behind") === "original";

function say(name) {
  const said = element("said");
  if (said.textContent !== text(name)) said.textContent = text(name);
}

/** Draw on the stage what is chosen, and over it the part of a picture that a mask says is somebody. */
function compose(picture, found, [width, height]) {
  clear(stage, width, height);
  SCENES[zoo.value("behind")](stage, picture, width, height, found);
  if (!found) return;
  clear(mask, width / 2, height / 2); // half of its size gives a soft edge
  mask.drawImage(found, 0, 0, mask.canvas.width, mask.canvas.height);
  clear(person, width, height);
  person.drawImage(mask.canvas, 0, 0, width, height);
  person.globalCompositeOperation = "destination-in"; // twice: less of what is behind at the edge
  person.drawImage(mask.canvas, 0, 0, width, height);
  person.globalCompositeOperation = "source-in";
  person.drawImage(picture, 0, 0, width, height);
  stage.drawImage(person.canvas, 0, 0);
}

function clear(context, across, down) {
  const [width, height] = [across, down].map((side) => Math.max(1, Math.round(side)));
  const { canvas } = context;
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  context.globalCompositeOperation = "source-over";
  context.clearRect(0, 0, width, height);
}

/** A picture blurred: by halves to pixels of the radius, and back, as not all browsers have filters. */
function blurred(picture, width, height, radius) {
  const factors = [];
  for (let factor = 2; factor < radius; factor *= 2) factors.push(factor);
  let from = picture;
  const copy = (context) => {
    context.drawImage(from, 0, 0, context.canvas.width, context.canvas.height);
    from = context.canvas;
  };
  for (const [index, factor] of [...factors, radius].entries()) {
    smaller[index] ??= layer();
    clear(smaller[index], width / factor, height / factor);
    copy(smaller[index]);
  }
  for (const context of smaller.slice(0, factors.length).reverse()) {
    clear(context, context.canvas.width, context.canvas.height);
    copy(context);
  }
  return from;
}

function gradient(context, width, height, ...stops) {
  const fill = context.createLinearGradient(0, 0, 0, height);
  for (const [at, colour] of stops) fill.addColorStop(at, colour);
  context.fillStyle = fill;
  context.fillRect(0, 0, width, height);
}

function glow(context, x, y, radius, colour) {
  const fill = context.createRadialGradient(x, y, 0, x, y, radius);
  for (const [at, alpha] of [[0, "ff"], [0.3, "ff"], [0.36, "66"], [1, "00"]]) fill.addColorStop(at, colour + alpha);
  context.fillStyle = fill;
  context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
}

const SCENES = {
  blur(context, picture, width, height, found) {
    const radius = zoo.value("strength");
    context.drawImage(blurred(picture, width, height, radius), 0, 0, width, height);
    if (!found) return;
    // Without the person, whose colours would shine about them.
    clear(hidden, width, height);
    hidden.drawImage(picture, 0, 0, width, height);
    hidden.globalCompositeOperation = "destination-out";
    hidden.drawImage(found, 0, 0, width, height);
    const around = blurred(hidden.canvas, width, height, radius);
    for (let time = 0; time < 3; time += 1) context.drawImage(around, 0, 0, width, height);
  },
  plain(context, picture, width, height) {
    gradient(context, width, height, [0, "#e8edf3"], [1, "#c3ccd8"]);
  },
  beach(context, picture, width, height) {
    gradient(context, width, height, [0, "#58b7ea"], [0.55, "#d8f1fb"], [0.555, "#2a8fb8"], [0.72, "#58c2cf"], [0.73, "#f1dfb6"], [1, "#e2c690"]);
    glow(context, 0.8 * width, 0.2 * height, 0.16 * width, "#fff3c4");
    context.fillStyle = "#ffffff40";
    for (let wave = 0; wave < 40; wave += 1) {
      const [x, y] = [((0.618 * wave) % 1) * width, (0.57 + 0.14 * ((0.414 * wave) % 1)) * height];
      context.fillRect(x, y, (0.02 + 0.03 * ((0.732 * wave) % 1)) * width, 0.003 * height);
    }
  },
  night(context, picture, width, height) {
    gradient(context, width, height, [0, "#060b1f"], [0.8, "#26345f"], [1, "#4a4f7a"]);
    context.fillStyle = "#ffffff";
    for (let star = 0; star < 90; star += 1) {
      const [x, y] = [(star * 7919) % width, (star * 104729) % (0.8 * height)];
      context.globalAlpha = 0.3 + 0.7 * ((star * 31) % 10) / 10;
      context.fillRect(x, y, 1 + (star % 3) / 2, 1 + (star % 3) / 2);
    }
    context.globalAlpha = 1;
    glow(context, 0.82 * width, 0.18 * height, 0.12 * width, "#fbf3d5");
  },
};
