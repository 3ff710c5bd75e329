// Small images of examples, each a button that removes its example.

import { element, make, text } from "../assets/common.js";

const [WIDTH, HEIGHT] = [64, 48]; // pixels

/** A small image of the middle of an image. */
export function small(image) {
  const made = make("canvas", { width: WIDTH, height: HEIGHT });
  const scale = Math.max(WIDTH / image.width, HEIGHT / image.height);
  const [width, height] = [scale * image.width, scale * image.height];
  made.getContext("2d").drawImage(image, (WIDTH - width) / 2, (HEIGHT - height) / 2, width, height);
  return made;
}

/** The examples of a class. Tab reaches one of the buttons, arrow keys the others. */
export class Examples {
  /**
   * @param onRemove called with the number of an example
   * @param after that has the focus once no example is left
   */
  constructor(onRemove, after) {
    Object.assign(this, { onRemove, after, buttons: new Map(), made: 0 });
    this.box = make("div", { className: "thumbs" });
    this.box.setAttribute("role", "group");
    this.box.onkeydown = (event) => this.move(event);
    this.box.addEventListener("focusin", ({ target }) => this.select(target));
  }

  get size() { return this.buttons.size; }

  get numbers() { return [...this.buttons.keys()]; }

  /** {number, name, image} of each example. */
  get all() {
    return [...this.buttons].map(([number, { title, firstChild }]) => ({ number, name: title, image: firstChild }));
  }

  add(number, image) {
    this.made += 1;
    const button = make("button", { type: "button", className: "thumb", tabIndex: this.size ? -1 : 0 }, image);
    button.dataset.count = this.made;
    button.onclick = () => this.onRemove(number);
    this.buttons.set(number, button);
    this.box.append(button);
    this.box.scrollTop = this.box.scrollHeight;
    this.rename(this.label);
  }

  remove(number) {
    const button = this.buttons.get(number);
    if (!button) return;
    const next = button.nextSibling ?? button.previousSibling;
    const [isFocused, isFirst] = [button === document.activeElement, button.tabIndex === 0];
    this.buttons.delete(number);
    button.remove();
    if (next && isFirst) next.tabIndex = 0;
    if (isFocused) (next ?? this.after).focus();
  }

  clear() {
    this.buttons.clear();
    this.box.replaceChildren();
  }

  /** Let screen readers know the label of the class. */
  rename(label) {
    this.label = label;
    this.box.ariaLabel = text("examples_of", label);
    for (const button of this.buttons.values()) {
      button.title = button.ariaLabel = text("remove_example", button.dataset.count, label);
    }
  }

  move(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const all = [...this.buttons.values()];
    const next = step && all[all.indexOf(event.target) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  select(button) {
    for (const other of this.buttons.values()) other.tabIndex = other === button ? 0 : -1;
  }
}

/**
 * Words of the program, with the examples that they number, such as "index 3", as buttons.
 *
 * @param examples {number, name, label, image} in the program's order
 * @param onRemove called with the number of an example
 */
export function pictured(words, examples, onRemove) {
  return words.split(/\bindex (\d+)\b/).map((part, at) => {
    const example = at % 2 ? examples[part] : null;
    return example ? exampleButton(example, onRemove) : at % 2 ? `index ${part}` : part;
  });
}

function exampleButton({ number, name, label, image }, onRemove) {
  const made = make("button", { type: "button", className: "example", title: name, ariaLabel: name }, small(image), label);
  made.onclick = () => {
    onRemove(number);
    made.disabled = true;
    element("train").focus();
  };
  return made;
}
