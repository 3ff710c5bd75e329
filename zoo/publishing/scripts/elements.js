/** Register the tag of a model. */
export function defineElement(name, load) {}
