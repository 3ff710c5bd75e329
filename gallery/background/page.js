import { zoo, tint } from "../assets/zoo.js";

zoo.draws = false;
zoo.synchronous = true; // the mask fits the frame that it is of

const layers = { person: null, taken: 0 };
const cut = document.createElement("canvas");

zoo.on("result", async ({ result }) => {
  layers.person = result?.mask ? await tint(result.mask, "#ffffff", 1) : null;
});

zoo.onDraw((context, { picture, size }) => {
  const behind = zoo.value("behind");
  if (!layers.person || !picture || behind === "original") return;
  const [width, height] = size;
  Object.assign(cut, { width, height });
  const person = cut.getContext("2d");
  person.filter = "blur(2px)"; // a soft edge
  person.drawImage(layers.person, 0, 0, width, height);
  person.filter = "none";
  person.globalCompositeOperation = "source-in";
  person.drawImage(picture, 0, 0, width, height);
  SCENES[behind](context, picture, width, height);
  context.drawImage(cut, 0, 0);
});

function gradient(context, width, height, ...stops) {
  const fill = context.createLinearGradient(0, 0, 0, height);
  for (const [at, colour] of stops) fill.addColorStop(at, colour);
  context.fillStyle = fill;
  context.fillRect(0, 0, width, height);
}

const SCENES = {
  blur(context, picture, width, height) {
    const radius = zoo.value("strength");
    context.save();
    context.filter = `blur(${radius}px)`;
    context.drawImage(picture, -radius, -radius, width + 2 * radius, height + 2 * radius);
    context.restore();
  },
  plain(context, picture, width, height) {
    gradient(context, width, height, [0, "#e8edf3"], [1, "#c3ccd8"]);
  },
  beach(context, picture, width, height) {
    gradient(context, width, height, [0, "#58b7ea"], [0.55, "#d8f1fb"], [0.56, "#2a8fb8"], [0.72, "#58c2cf"], [0.73, "#f1dfb6"], [1, "#e2c690"]);
  },
  night(context, picture, width, height) {
    gradient(context, width, height, [0, "#060b1f"], [0.8, "#26345f"], [1, "#4a4f7a"]);
    context.fillStyle = "#fff";
    for (let star = 0; star < 90; star += 1) {
      const [x, y] = [(star * 7919) % width, (star * 104729) % (0.8 * height)];
      context.globalAlpha = 0.3 + 0.7 * ((star * 31) % 10) / 10;
      context.fillRect(x, y, 1 + (star % 3) / 2, 1 + (star % 3) / 2);
    }
    context.globalAlpha = 1;
  },
};
