import { zoo, text, tint } from "../assets/zoo.js";

const LEAST = 0.005; // part of the frame that is somebody
const layer = () => document.createElement("canvas").getContext("2d");
const [mask, person, hidden, stage] = [layer(), layer(), layer(), layer()];
const smaller = []; // layers of a blur

zoo.draws = false;
zoo.synchronous = true; // the mask fits the frame that it is of

// An answer is shown when its mask is decoded: until then the one before stays, with its own mask.
zoo.prepare = async (answer) => {
  answer.person = answer.result?.mask ? await tint(answer.result.mask, "#ffffff", 1) : null;
};

zoo.on("result", ({ share }) => say(isOpen() ? "open" : share >= LEAST ? "seen" : "nobody"));

zoo.onDraw((context, answer) => {
  if (!isOpen()) compose(context, answer.picture, answer.person, answer.size);
});

// A frame without an answer, as before the first one, may show anything: all of it is hidden.
zoo.conceal = (context) => {
  if (isOpen()) return;
  say("waiting");
  const { canvas } = context;
  compose(context, canvas, null, [canvas.width, canvas.height]);
};

const isOpen = () => zoo.value("behind") === "original";

function say(name) {
  const said = document.getElementById("said");
  if (said.textContent !== text(name)) said.textContent = text(name);
}

/** Draw what is chosen, and over it the part of a picture that a mask says is somebody. */
function compose(context, picture, found, [width, height]) {
  clear(person, width, height);
  if (found) {
    drawShrunk(person, found, width, height, 2, mask); // a soft edge
    person.globalCompositeOperation = "source-in";
    person.drawImage(picture, 0, 0, width, height);
  }
  clear(stage, width, height);
  SCENES[zoo.value("behind")](stage, picture, width, height, found);
  stage.drawImage(person.canvas, 0, 0);
  context.drawImage(stage.canvas, 0, 0, width, height);
}

function clear(context, width, height) {
  Object.assign(context.canvas, { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) });
  context.imageSmoothingQuality = "high";
}

function drawShrunk(context, picture, width, height, factor, by) {
  clear(by, width / factor, height / factor);
  by.drawImage(picture, 0, 0, by.canvas.width, by.canvas.height);
  context.drawImage(by.canvas, 0, 0, width, height);
}

/** Draw a picture blurred: by halves to pixels of the radius and back, as not all browsers have filters. */
function drawBlurred(context, picture, width, height, radius) {
  const factors = [];
  for (let factor = 2; factor < radius; factor *= 2) factors.push(factor);
  let from = picture;
  for (const [index, factor] of [...factors, radius].entries()) {
    smaller[index] ??= layer();
    clear(smaller[index], width / factor, height / factor);
    const { canvas } = smaller[index];
    smaller[index].drawImage(from, 0, 0, canvas.width, canvas.height);
    from = canvas;
  }
  for (let index = factors.length - 1; index >= 0; index -= 1) {
    const { canvas } = smaller[index];
    smaller[index].globalCompositeOperation = "copy";
    smaller[index].drawImage(from, 0, 0, canvas.width, canvas.height);
    from = canvas;
  }
  context.drawImage(from, 0, 0, width, height);
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
    drawBlurred(context, picture, width, height, radius);
    if (!found) return;
    // Without the person, whose colours would shine about them.
    clear(hidden, width, height);
    hidden.drawImage(picture, 0, 0, width, height);
    hidden.globalCompositeOperation = "destination-out";
    hidden.drawImage(found, 0, 0, width, height);
    for (let time = 0; time < 3; time += 1) drawBlurred(context, hidden.canvas, width, height, radius);
  },
  plain(context, picture, width, height) {
    gradient(context, width, height, [0, "#e8edf3"], [1, "#c3ccd8"]);
  },
  beach(context, picture, width, height) {
    gradient(context, width, height, [0, "#58b7ea"], [0.55, "#d8f1fb"], [0.555, "#2a8fb8"], [0.72, "#58c2cf"], [0.73, "#f1dfb6"], [1, "#e2c690"]);
    glow(context, 0.8 * width, 0.2 * height, 0.16 * width, "#fff3c4");
    for (let wave = 0; wave < 60; wave += 1) {
      const [x, y] = [(wave * 7919) % width, (0.57 + 0.14 * ((wave * 37) % 60) / 60) * height];
      context.fillStyle = "#ffffff50";
      context.fillRect(x, y, 0.04 * width, 0.003 * height);
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
