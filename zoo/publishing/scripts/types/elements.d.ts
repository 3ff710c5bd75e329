/** The events of a model's tag, beside those of every tag. */
export interface ZooElementEvents<Result> {
  /** The model is loaded. */
  ready: CustomEvent<null>;
  /** Something was looked for in a picture; the detail is what `find` of the model gives. */
  result: CustomEvent<Result>;
  /** Model, picture or camera cannot be used; the message of the detail says what to do. */
  error: CustomEvent<Error>;
}

/**
 * The tag of a model: photos and the camera, with a drawing of what is found, and in words.
 *
 * Attributes: `src`, the folder of the model; `photo`, the address of a picture to begin with;
 * `camera`, to begin with the camera.
 */
export interface ZooElement<Model extends { find(image: never): unknown }> extends HTMLElement {
  /** From the event "ready" on. */
  readonly model?: Model;
  addEventListener<Name extends keyof ZooElementEvents<unknown>>(
    type: Name,
    listener: (event: ZooElementEvents<ReturnType<Model["find"]>>[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}
