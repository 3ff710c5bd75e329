/** An error in words for people: its message says what is wrong, and what to do. */
export class ZooError extends Error {
  name = "ZooError";
}
