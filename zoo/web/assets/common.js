// What the other files of the page share: elements, texts, addresses.

const token = new URLSearchParams(location.search).get("token");

/** Texts of the page by name; they come with its settings. */
export const texts = {};

export const element = (id) => document.getElementById(id);

/** Write into an element, where that is new: screen readers read each change. */
export function setText(id, words) {
  if (element(id).textContent !== String(words)) element(id).textContent = words;
}

/** A text of the page with its values filled in: `{0}`, `{1}`, .. */
export function text(name, ...values) {
  return (texts[name] ?? name).replace(/\{(\d)\}/g, (_, index) => values[index] ?? "");
}

/** The address of something of this server, with the page's token. */
export function address(path, more = {}) {
  const url = new URL(path, location.href);
  url.search = "";
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
  if (token) url.searchParams.set("token", token);
  return url;
}

/** A new WebSocket of this server. */
export function openSocket(path) {
  const url = address(path);
  url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(url);
}

/** A new element with properties and children. */
export function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
