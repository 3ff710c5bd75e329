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
    const intervals = this.answers.length - 1;
    if (intervals < 1) { write("", ""); return; } // paused, lost, or too slow to count
    const fps = (1000 * intervals / Math.max(this.answers.at(-1) - this.answers[0], 1)).toFixed(1);
    const [median, percentile95] = [0.5, 0.95].map((share) => percentile(this.trips, share).toFixed(0));
    write(text("fps", fps), text("round_trip", median, percentile95));
    Object.assign(document.body.dataset, { fps, median, percentile95 });
  }
}

function write(fps, trip) {
  element("fps").textContent = fps;
  element("round-trip").textContent = trip;
}

function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
