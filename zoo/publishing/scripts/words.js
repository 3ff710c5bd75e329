/** A best score below it is no answer. */
const SURE_CLASS = 0.3;

/** What would see more, where nothing is found. */
const NOTHING = {
  pose: "Nobody was found. A person is found more surely who fills more of the picture.",
  hands: "No hand was found. A hand is found more surely that is nearer and seen as a whole.",
  faces: "No face was found. A face is found more surely that is nearer and seen from the front.",
};

/** Poses of lower scores are mostly the remains of others. */
const SURE_POSE = 0.2;

/** A result in a sentence. */
export function sentenceOf(task, result) {
  if (task === "classes") return classesInWords(result);
  if (!result.length) return NOTHING[task];
  if (task === "hands") return handsInWords(result);
  if (task === "pose") return peopleInWords(result);
  return countInWords(result, "face", "faces");
}

function peopleInWords(poses) {
  const sure = poses.filter(({ score }) => score >= SURE_POSE);
  const others = poses.length - sure.length;
  const people = sure.length ? countInWords(sure, "person", "people") : "Nobody for sure";
  return others ? `${people}; ${others} more may be a part of somebody` : people;
}

function countInWords(items, one, several) {
  if (items.length > 1) return `${items.length} ${several}`;
  return `1 ${one}: ${percentage(items[0].score)} sure`;
}

function handsInWords(hands) {
  const sides = hands.map(({ handedness }) => handedness);
  if (hands.length === 1) return `1 hand: ${sides[0]}, ${percentage(hands[0].score)} sure`;
  return `${hands.length} hands: ${sides.join(", ")}`;
}

function classesInWords(labels) {
  const listed = labels.map(({ label, score }) => `${label} ${percentage(score)}`).join(", ");
  const isSure = labels.length && labels[0].score >= SURE_CLASS;
  return isSure ? listed : `Not sure. ${listed || "No class has a score above 0."}`;
}

function percentage(score) {
  return `${Math.round(100 * score)} %`;
}
