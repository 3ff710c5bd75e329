// Frames per second and round trips, as the footer shows them.

import { element, text } from "./common.js";

const RECENT = 3000; // milliseconds over which frames are counted
const AVERAGED = 120; // round trips in the median

export class Figures {
  trips = []; // milliseconds from taking a frame to its answer
  answers = []; // times of answers

  /** Note an answer. */
  take(now, milliseconds) {
    this.trips = [...this.trips.slice(1 - AVERAGED), milliseconds];
    this.answers = [...this.recent(now), now];
  }

  recent(now) { return this.answers.filter((time) => now - time < RECENT); }

  /** Whether each of the last answers took longer than this. */
  areSlower(milliseconds, count = 3) {
    const last = this.trips.slice(-count);
    return last.length === count && last.every((trip) => trip > milliseconds);
  }

  show(now) {
    this.answers = this.recent(now);
    if (this.answers.length < 2) return;
    const seconds = (now - this.answers[0]) / 1000;
    const fps = (this.answers.length / Math.max(seconds, 0.1)).toFixed(1);
    const [median, percentile95] = [0.5, 0.95].map((share) => percentile(this.trips, share).toFixed(0));
    element("fps").textContent = text("fps", fps);
    element("round-trip").textContent = text("round_trip", median, percentile95);
    Object.assign(document.body.dataset, { fps, median, percentile95 });
  }
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
