// Sliders, selects, switches and buttons of an app.

import { make, text } from "./common.js";

/** What the controls give, by name. */
export const values = {};

export class Controls {
  /**
   * @param form that the controls are put into
   * @param described controls, as the settings of the page describe them
   * @param onSet called with name and value of a changed control
   * @param onPress called with the name of a pressed button
   */
  constructor(form, described, onSet, onPress) {
    Object.assign(this, { form, onSet, onPress, changed: new Set() });
    this.keys = new Map(described.filter(({ key }) => key).map(({ key, name }) => [key.toLowerCase(), name]));
    form.onsubmit = (event) => event.preventDefault();
    for (const control of described) {
      if (control.kind !== "button") values[control.name] = control.default;
      form.append(control.kind === "button" ? this.button(control) : this.input(control));
    }
    form.hidden = !described.length;
    addEventListener("keydown", (event) => this.press(event));
  }

  /** Change a value, as if its user had. */
  set(name, value) {
    values[name] = value;
    this.changed.add(name);
    this.onSet(name, value);
    this.form.elements[name]?.show?.(value);
  }

  /** Names and values that differ from what the app began with. */
  entries() { return [...this.changed].map((name) => [name, values[name]]); }

  press(event) {
    const name = this.keys.get(event.key.toLowerCase());
    const isCommand = event.ctrlKey || event.metaKey || event.altKey || event.repeat;
    if (!name || isCommand || needsKey(event.target, event.key)) return;
    event.preventDefault();
    this.onPress(name);
  }

  button({ name, meaning, key }) {
    const button = make("button", { type: "button", name }, meaning);
    if (key) {
      button.append(make("kbd", { textContent: key === " " ? text("space") : key }));
      button.setAttribute("aria-keyshortcuts", key === " " ? "Space" : key);
    }
    button.onclick = () => this.onPress(name);
    return button;
  }

  input(control) {
    const input = INPUTS[control.kind](control);
    input.name = control.name;
    const label = make("label", { className: control.kind }, make("span", {}, control.meaning));
    if (control.kind === "slider") label.append(input.words);
    label.append(input);
    input.oninput = () => this.set(control.name, input.read());
    input.show(control.default);
    return label;
  }
}

const INPUTS = {
  select({ choices }) {
    const input = make("select", {}, ...choices.map((choice) => new Option(text(choice), choice)));
    return Object.assign(input, { read: () => input.value, show: (value) => { input.value = value; } });
  },

  switch() {
    const input = make("input", { type: "checkbox" });
    return Object.assign(input, { read: () => input.checked, show: (value) => { input.checked = value; } });
  },

  slider({ low, high, step }) {
    const input = make("input", { type: "range", min: low, max: high, step: step || (high - low) / 100 });
    const digits = step ? (String(step).split(".")[1] ?? "").length : high - low > 20 ? 0 : high - low > 2 ? 1 : 2;
    const words = make("span", { className: "value", ariaHidden: "true" }); // the slider says it itself
    const show = (value) => { input.value = value; words.textContent = Number(value).toFixed(digits); };
    return Object.assign(input, { read: () => Number(input.value), show, words });
  },
};

/** Whether an element does something of its own with a key. */
function needsKey(target, key) {
  if (target.matches("textarea, select, input:not([type=range], [type=checkbox], [type=radio])")) return true;
  return target.matches("button, a, input, summary") && (key === " " || key.length > 1);
}
