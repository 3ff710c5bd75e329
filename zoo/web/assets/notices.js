// The words below the picture: one notice at a time, the most urgent one.

import { element, setText, text } from "./common.js";

const PLACES = ["error", "connection", "camera", "asking", "paused", "slow", "waiting"]; // most urgent first
const BAD = ["error", "connection", "camera"];
const READ = 6000; // milliseconds for which an error stays
const notices = new Map(); // place -> words
let timer = 0;

/** Say a text in a place; null for nothing any more. */
export function say(place, name, ...values) {
  if (name === null) notices.delete(place);
  else notices.set(place, text(name, ...values));
  show();
}

/** Say an error, for as long as it takes to read it. */
export function sayError(words) {
  say("error", words);
  clearTimeout(timer);
  timer = setTimeout(() => say("error", null), READ);
}

function show() {
  const place = PLACES.find((known) => notices.has(known));
  const words = notices.get(place) ?? "";
  const notice = element("notice");
  notice.className = BAD.includes(place) ? "bad" : "";
  setText("notice", words);
}
