import { zoo, text } from "../assets/zoo.js";

zoo.on("result", ({ result, size }) => {
  const people = result.filter((pose) => pose.score > 0.1);
  document.getElementById("people").textContent = people.length;
  document.getElementById("tilt").textContent = people.length ? tilt(people[0]) : text("nobody");
});

function tilt(pose) {
  const places = Object.fromEntries(pose.keypoints.map((point) => [point.part, point]));
  const [left, right] = [places.left_shoulder, places.right_shoulder];
  if (Math.min(left.score, right.score) < zoo.value("threshold")) return "–";
  const rise = (right.position.y - left.position.y) / Math.abs(left.position.x - right.position.x);
  const degrees = Math.round((Math.atan(rise) * 180) / Math.PI);
  if (Math.abs(degrees) < 3) return text("level");
  return degrees > 0 ? text("left_up", degrees) : text("right_up", -degrees);
}
