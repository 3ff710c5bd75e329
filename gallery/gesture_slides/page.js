import { zoo, text } from "../assets/zoo.js";

const element = (id) => document.getElementById(id);
const likes = new Map(); // number of a slide -> how often it was liked
let slides = [];
let at = 0;

function show(step) {
  at = Math.min(slides.length - 1, Math.max(0, at + step));
  const [headline, words] = slides[at];
  element("headline").textContent = headline;
  element("words").textContent = words;
  element("page").textContent = at + 1;
  element("pages").textContent = slides.length;
  element("likes").textContent = likes.has(at) ? `👍 ${likes.get(at)}` : "";
  const deck = element("deck");
  deck.style.setProperty("--from", `${24 * Math.sign(step)}px`);
  deck.classList.remove("turned");
  void deck.offsetWidth; // begin the animation anew
  if (step) deck.classList.add("turned");
}

function like() {
  likes.set(at, (likes.get(at) ?? 0) + 1);
  show(0);
}

const ACTIONS = {
  swipe_left: () => show(1), // as one turns a page: the hand takes the slide along
  swipe_right: () => show(-1),
  thumbs_up: like,
};

zoo.on("result", ({ events }) => {
  for (const { label, type } of events ?? []) {
    if (!["happened", "started"].includes(type)) continue;
    element("gesture").textContent = text("seen", label.replaceAll("_", " "));
    ACTIONS[label]?.();
  }
});

addEventListener("keydown", (event) => {
  if (event.key === "ArrowRight") show(1);
  if (event.key === "ArrowLeft") show(-1);
});
element("next").onclick = () => show(1);
element("back").onclick = () => show(-1);
zoo.ready.then(() => {
  slides = text("slides").split("\n\n").map((slide) => slide.split("\n"));
  show(0);
});
