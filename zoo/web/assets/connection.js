// The connection to the program: messages, frames on their way, connecting again.

import { openSocket } from "./common.js";

const IN_FLIGHT = 2; // frames on their way; a newer one is taken when one of them is answered
const RETRY = [250, 500, 1000, 2000, 4000]; // milliseconds before connecting again
const MOST_UNSENT = 1_000_000; // bytes that the browser may still hold before another frame

export class Connection {
  /**
   * @param onMessage called with each message
   * @param onLost called with the server's reason, or "", when the connection is lost
   */
  constructor(onMessage, onLost) {
    Object.assign(this, { onMessage, onLost, tries: 0, retry: 0 });
    // Milliseconds: a frame without answer counts as lost; a silent program is connected to again.
    this.patience = { frame: 5000, silence: 30000 };
    this.open();
  }

  open() {
    this.isReady = false; // the page has seen that it talks to the same app
    this.flights = new Map(); // number of a frame -> when it was taken, and its picture
    this.awaited = new Map(); // number of an image -> what its answer is given to
    this.askedAt = performance.now(); // when the program was first asked since it was heard
    const socket = openSocket("connection");
    socket.onmessage = (event) => {
      this.askedAt = null;
      this.take(JSON.parse(event.data));
    };
    socket.onclose = (event) => this.lose(event.reason);
    this.socket = socket;
  }

  take(message) {
    this.awaited.get(message.number)?.(message);
    this.awaited.delete(message.number);
    this.onMessage(message);
  }

  /** Give the connection up, and try again after a while. */
  lose(reason = "") {
    if (this.retry) return; // it is lost already
    this.socket.onmessage = this.socket.onclose = null;
    this.socket.close();
    this.isReady = false;
    this.askedAt = null;
    for (const number of [...this.flights.keys()]) this.land(number)?.picture?.close();
    for (const give of this.awaited.values()) give(null);
    this.awaited.clear();
    this.onLost(reason);
    const wait = RETRY[Math.min(this.tries, RETRY.length - 1)];
    this.retry = setTimeout(() => { this.retry = 0; this.open(); }, wait);
    this.tries += 1;
  }

  get isOpen() { return this.socket.readyState === WebSocket.OPEN; }

  /** Whether one more frame may be sent; lost ones are forgotten. */
  hasRoom(now) {
    if (this.askedAt !== null && now - this.askedAt > this.patience.silence) this.lose();
    for (const [number, { taken }] of this.flights) {
      if (now - taken > this.patience.frame) this.land(number).picture?.close();
    }
    const isFree = this.flights.size < IN_FLIGHT && this.socket.bufferedAmount < MOST_UNSENT;
    return this.isOpen && this.isReady && isFree;
  }

  /** Note that a frame is on its way. */
  depart(number, flight) {
    this.flights.set(number, flight);
    this.askedAt ??= flight.taken;
  }

  /** The frame of an answer, which is no longer on its way. */
  land(number) {
    const flight = this.flights.get(number);
    this.flights.delete(number);
    return flight;
  }

  send(content) {
    if (this.isOpen) this.socket.send(JSON.stringify(content));
  }

  sendImage(content, blob) {
    const header = new TextEncoder().encode(JSON.stringify(content));
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, header.length, true);
    if (this.isOpen) this.socket.send(new Blob([length, header, blob]));
  }

  /** The answer to an image: a message; null where the connection is lost before. */
  answer(number) {
    if (!this.isOpen) return Promise.resolve(null);
    return new Promise((give) => this.awaited.set(number, give));
  }
}
