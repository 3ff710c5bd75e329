import { prepare } from "./fits.js";
import { toPixels } from "./images.js";
import { flippedPixels } from "./mirroring.js";
import { checkedOptions } from "./options.js";

/** A classifier, as zoo.classify runs it: the network is "classify", its last layer a softmax. */
export class Classifier {
  static task = "classes";

  constructor({ description, networks }) {
    this.description = description;
    this.network = networks.classify;
  }

  /** The classes of an image; see `classify`. */
  find(image, options) {
    return this.classify(image, options);
  }

  /** The classes with the highest scores above 0, best first; of equal ones the first. */
  classify(image, options = {}) {
    const known = this.description.options.classify;
    const { topK, mirror } = checkedOptions("classify", options, known);
    const pixels = mirror ? flippedPixels(toPixels(image)) : toPixels(image);
    const [scores] = Object.values(this.network.run(prepare(pixels, this.network).values));
    const { labels } = this.description;
    return Array.from(scores, (score, index) => ({ label: labels[index], score, index }))
      .sort((one, other) => other.score - one.score)
      .slice(0, topK)
      .filter(({ score }) => score > 0);
  }
}
