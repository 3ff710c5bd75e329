import { zoo, text } from "../assets/zoo.js";

const LEAST_JOINTS = 5; // of somebody who is counted
const GONE = 600; // milliseconds without anybody until the page says so
const LEVEL = 3; // degrees that count as none
const STEEPEST = 45; // degrees of shoulders that are seen from the front
const element = (id) => document.getElementById(id);
let lastSeen = -Infinity;

zoo.on("result", ({ result }) => {
  const people = result.map(seenJoints).filter((joints) => joints.size >= LEAST_JOINTS);
  const now = performance.now();
  if (people.length) lastSeen = now;
  else if (now - lastSeen < GONE) return;
  write("people", people.length);
  write("joints", people.length ? people.map((joints) => joints.size).join(" + ") : "–");
  element("joints").classList.toggle("several", people.length > 1);
  write("hint", people.length ? "" : text("nobody"));
  showTilt(people.length ? tilt(people[0]) : {});
});

function write(id, words) {
  if (element(id).textContent !== String(words)) element(id).textContent = words;
}

/** Joints that are drawn, by their names. */
function seenJoints({ keypoints }) {
  const seen = keypoints.filter(({ score }) => score >= zoo.value("threshold"));
  return new Map(seen.map(({ part, position }) => [part, position]));
}

/** What is said of the shoulders, and the degrees by which the right end of their line is lower. */
function tilt(joints) {
  const [left, right] = [joints.get("left_shoulder"), joints.get("right_shoulder")];
  if (!left || !right) return { words: text("no_shoulders") };
  const down = right.y - left.y; // by which the right shoulder is lower than the left one
  const degrees = Math.round((Math.atan2(Math.abs(down), Math.abs(right.x - left.x)) * 180) / Math.PI);
  if (degrees > STEEPEST) return { words: text("from_the_side") };
  if (degrees < LEVEL) return { words: text("level"), angle: 0 };
  const angle = Math.sign(down) * Math.sign(right.x - left.x) * degrees;
  return { words: text(down > 0 ? "left_up" : "right_up", degrees), angle };
}

function showTilt({ words = "–", angle }) {
  write("tilt", words);
  element("beam").className = angle === undefined ? "" : angle ? "tilted" : "level";
  element("beam").style.rotate = `${angle ?? 0}deg`;
}
