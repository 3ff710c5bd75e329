import { zoo, text, drawHand } from "../assets/zoo.js";

const READ = 2500; // milliseconds for which the hint about a gesture stays
const FAST = 4; // palms per second: a hand that is lost at this speed was swiping
const KEYS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
const HUES = [212, 164, 268, 18, 338];

const element = (id) => document.getElementById(id);
const likes = new Map(); // number of a slide -> how often it was liked
let slides = [];
let at = 0;
let hint = { until: 0 };
let before = null; // {centre, palm, time, speed} of the hand in the answer before

zoo.draws = false; // hands are drawn, but not the names of their gestures

// --- the deck ---

function show() {
  const [headline, words] = slides[at];
  element("headline").textContent = headline;
  element("sentence").textContent = words;
  element("page").textContent = at + 1;
  element("pages").textContent = slides.length;
  element("count").textContent = likes.get(at) ?? 0;
  element("likes").hidden = !likes.has(at);
  element("deck").style.setProperty("--hue", HUES[at % HUES.length]);
  element("dots").replaceChildren(...slides.map((_, number) => {
    const dot = document.createElement("i");
    dot.className = number === at ? "here" : "";
    return dot;
  }));
}

function animate(place, name) {
  place.classList.remove(name);
  void place.offsetWidth; // begin anew
  place.classList.add(name);
}

/** Go to a slide, which comes in from the right (1) or the left (-1); gives whether there is one. */
function go(number, from) {
  if (number < 0 || number >= slides.length) {
    announce(text(number < 0 ? "first" : "last"));
    return false;
  }
  at = number;
  show();
  element("slide").style.setProperty("--from", `${60 * from}px`);
  animate(element("slide"), "turned");
  announce(text("now", at + 1, slides.length, ...slides[at]));
  return true;
}

function like() {
  likes.set(at, (likes.get(at) ?? 0) + 1);
  show();
  animate(element("likes"), "liked");
  announce(text("liked", likes.get(at)));
}

/** For those who do not see the page. */
function announce(words) { element("announced").textContent = words; }

// --- hands ---

/** What the page waits for, or what it saw, which stays for a while. */
function say(words, isSeen = false) {
  const now = performance.now();
  if (!isSeen && now < hint.until) return;
  hint = { until: isSeen ? now + READ : 0 };
  element("hint").textContent = words;
  element("hint").className = isSeen ? "seen" : "";
}

/** Left is that of the person, who faces the camera: on the right of an image that is no mirror image. */
function swiped(side, isMirrored) {
  const isLeft = (side === "left") === isMirrored;
  const step = isLeft === zoo.value("other_way") ? -1 : 1;
  const isThere = go(at + step, side === "left" ? 1 : -1); // the hand takes the slide along
  const turned = step === 1 ? "turned_next" : "turned_back";
  say(text(isLeft ? "swiped_left" : "swiped_right", text(isThere ? turned : step === 1 ? "last" : "first")), true);
}

function happened({ label, type }, isMirrored) {
  if (type === "happened" && label === "swipe_left") swiped("left", isMirrored);
  if (type === "happened" && label === "swipe_right") swiped("right", isMirrored);
  if (type === "started" && label === "thumbs_up") { like(); say(text("liked", likes.get(at)), true); }
}

/** Where the palm of a hand is, and how fast it moves. */
function follow(hand, time) {
  const place = (part) => hand.keypoints.find((point) => point.part === part).position;
  const [wrist, knuckle] = [place("wrist"), place("middle_finger_mcp")];
  const palm = Math.hypot(wrist.x - knuckle.x, wrist.y - knuckle.y);
  const centre = (wrist.x + knuckle.x) / 2;
  const speed = before && time > before.time ? Math.abs(centre - before.centre) / palm / (time - before.time) : 0;
  return { centre, palm, time, speed };
}

zoo.on("result", ({ hands, events, time, mirrored }) => {
  for (const event of events) happened(event, mirrored);
  const hand = hands[0];
  if (!hand && before?.speed > FAST) say(text("left_picture"), true);
  else say(text(hand ? "swipe" : "show_hand"));
  before = hand ? follow(hand, time) : null;
});

zoo.onDraw((context, { hands }) => {
  for (const hand of hands) drawHand(context, hand, Math.max(context.canvas.width, context.canvas.height) / 200);
});

// --- keys and buttons ---

addEventListener("keydown", (event) => {
  const isText = event.target.matches("select, textarea, input:not([type=checkbox])");
  if (isText || event.ctrlKey || event.metaKey || event.altKey) return;
  const step = KEYS[event.key];
  if (step) go(at + step, step);
  else if (event.key === "Home") go(0, -1);
  else if (event.key === "End") go(slides.length - 1, 1);
  else if (event.key.toLowerCase() === "l" && !event.repeat) like();
  else return;
  event.preventDefault();
});
element("next").onclick = () => go(at + 1, 1);
element("back").onclick = () => go(at - 1, -1);
element("like").onclick = like;
zoo.ready.then(() => {
  element("side").prepend(element("stage")); // slides come first
  element("side").append(element("controls"), element("camera").parentElement);
  slides = text("slides").split("\n\n").map((slide) => slide.split("\n"));
  show();
});
