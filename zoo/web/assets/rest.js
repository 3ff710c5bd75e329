// The page of `zoo serve`: a form for each function, made of the server's own description.

import { address, element, make, text, texts } from "./common.js";
import { drawResult, prepare } from "./drawing.js";

const LONGEST_TEXT = 60; // of a value that is shown whole; masks are longer
const LONGEST_LINE = 100; // of an object that is shown on one line
const COPIED = 1500; // milliseconds for which a button says so

async function read(path) {
  const answer = await fetch(address(path));
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

const [description, settings] = await Promise.all([read("openapi.json"), read("settings")]).catch((error) => {
  element("notice").textContent = element("notice").dataset.lost; // texts come with settings
  throw error;
});
Object.assign(texts, settings.texts);

const verbs = element("verb");
const image = element("image");
let preview = null; // of the chosen image, as the browser decodes it
let answer = null; // of the last request

// --- the form -----------------------------------------------------------------------------------

const operation = () => description.paths[verbs.value].post;

function showVerb() {
  element("summary").textContent = operation().summary;
  element("options").replaceChildren(...operation().parameters.map(field));
  change();
}

/** One option: its name, what it means, and where to choose it. */
function field({ name, schema, description: meaning }) {
  const input = choices(schema) ? select(name, schema) : entry(name, schema);
  return make("label", {}, name, input, make("small", { textContent: meaning }));
}

function choices(schema) {
  return schema.type === "boolean" ? ["true", "false"] : schema.enum;
}

function select(name, schema) {
  const shown = (value) => ({ true: text("yes"), false: text("no") })[value] ?? value;
  const unchanged = schema.default === undefined ? text("own_default") : text("default", shown(schema.default));
  const options = choices(schema).filter((value) => value !== String(schema.default));
  return make("select", { name }, new Option(unchanged, ""), ...options.map((value) => new Option(shown(value), value)));
}

function entry(name, schema) {
  const { minimum, maximum, type } = schema;
  const limits = { min: minimum ?? "", max: maximum ?? "", step: type === "integer" ? 1 : "any" };
  const isNumber = type === "integer" || type === "number";
  return make("input", { name, placeholder: hint(schema), ...(isNumber ? { type: "number", ...limits } : { type: "text" }) });
}

function hint({ type, minimum, maximum, default: value }) {
  const range = maximum === undefined ? text("least", minimum) : text("range", minimum, maximum);
  const valid = type === "array" ? text("several") : range;
  return value === undefined ? valid : `${valid}, ${text("default", value)}`;
}

function chosen() {
  const inputs = [...element("options").querySelectorAll("input, select")];
  return Object.fromEntries(inputs.filter((input) => input.value).map((input) => [input.name, input.value]));
}

// --- commands -----------------------------------------------------------------------------------

const target = () => address(verbs.value.slice(1), chosen());

const quoted = (words) => `'${words.replaceAll("'", "'\\''")}'`;

function change() {
  const name = image.files[0]?.name ?? "image.jpg";
  element("command").textContent = `curl --data-binary ${quoted(`@${name}`)} ${quoted(target().href)}`;
  element("program").textContent = [
    "import requests", "",
    `with open(${JSON.stringify(name)}, "rb") as image:`,
    `    answer = requests.post(${JSON.stringify(target().href)}, data=image)`,
    "print(answer.json())",
  ].join("\n");
}

async function copy({ currentTarget: button }) {
  const words = element(button.dataset.copies);
  getSelection().selectAllChildren(words);
  if (!navigator.clipboard) return; // pages without https: the words are selected
  await navigator.clipboard.writeText(words.textContent);
  button.textContent = text("copied");
  setTimeout(() => { button.textContent = text("copy"); }, COPIED);
}

// --- the image ----------------------------------------------------------------------------------

async function showImage() {
  answer = null;
  element("answer").hidden = true;
  preview?.close();
  preview = null;
  const file = image.files[0];
  const decoded = file ? await createImageBitmap(file).catch(() => null) : null;
  if (file !== image.files[0]) { decoded?.close(); return; } // another one was chosen meanwhile
  preview = decoded;
  draw();
  say(!file ? "start" : preview ? "ready" : "unreadable");
  change();
}

function draw() {
  const picture = element("picture");
  const { width, height } = preview ?? { width: 640, height: 400 };
  Object.assign(picture, { width, height });
  const context = picture.getContext("2d");
  if (preview) context.drawImage(preview, 0, 0);
  if (preview && answer) drawResult(context, answer);
}

function drop(event) {
  event.preventDefault();
  element("stage").classList.remove("aimed");
  if (!event.dataTransfer.files.length) return;
  image.files = event.dataTransfer.files;
  showImage();
}

// --- the answer ---------------------------------------------------------------------------------

function say(name, ...values) {
  element("notice").textContent = text(name, ...values);
}

async function send(event) {
  event.preventDefault();
  const file = image.files[0];
  element("send").disabled = true;
  say("sending");
  try {
    const found = await ask(file);
    if (file !== image.files[0]) return; // another one was chosen meanwhile
    if (found) await show(found, file);
    else say("lost");
  } finally {
    element("send").disabled = false;
  }
}

/** The server's answer, with the time that it took; null where there is none. */
async function ask(file) {
  const begun = performance.now();
  const found = await fetch(target(), { method: "POST", body: file }).catch(() => null);
  if (!found) return null;
  const document = await found.json().catch(() => null); // such as the page of another server
  const milliseconds = Math.round(performance.now() - begun);
  if (!document) return { document: { error: text("unclear", found.status) }, isGood: false, milliseconds };
  return { document, isGood: found.ok, milliseconds };
}

async function show({ document, isGood, milliseconds }, file) {
  const shown = element("answer");
  shown.hidden = false;
  shown.className = isGood ? "card" : "card bad";
  shown.textContent = isGood ? readable(document) : document.error;
  answer = isGood ? document : null;
  say(...(isGood ? ["answered", counted(document), milliseconds] : [document.error]));
  element("stage").scrollIntoView({ block: "nearest" });
  if (isGood) await prepare(document);
  if (file === image.files[0]) draw();
}

function counted(document) {
  const count = Array.isArray(document) ? document.length : 1;
  return count > 1 ? text("found_many", count) : text(count ? "found_one" : "found_none");
}

/** JSON with short objects on one line each, and the middle of long texts left out. */
function readable(document) {
  const brief = (_, value) => (typeof value === "string" && value.length > LONGEST_TEXT
    ? `${value.slice(0, LONGEST_TEXT / 2)}… (${text("letters", value.length.toLocaleString("en"))})` : value);
  const lines = JSON.stringify(document, brief, 2);
  const joined = (part) => {
    const line = part.replace(/\s*\n\s*/g, " ");
    return line.length <= LONGEST_LINE ? line : part;
  };
  return [1, 2].reduce((found) => found.replace(/\{(?:[^{}[\]]|\{[^{}[\]\n]*\})*\}|\[[^{}[\]]*\]/g, joined), lines);
}

// --- the page -----------------------------------------------------------------------------------

for (const path of Object.keys(description.paths)) verbs.add(new Option(path.replace("/v1/", ""), path));
for (const name of ["openapi", "metrics"]) element(name).href = address(element(name).getAttribute("href"));
for (const button of document.querySelectorAll("[data-copies]")) button.onclick = copy;
verbs.onchange = showVerb;
image.onchange = showImage;
element("options").oninput = change;
element("request").onsubmit = send;
Object.assign(element("stage"), {
  ondragover: (event) => { event.preventDefault(); element("stage").classList.add("aimed"); },
  ondragleave: () => element("stage").classList.remove("aimed"),
  ondrop: drop,
});
showVerb();
showImage();
document.body.dataset.ready = "yes";
