/** The files of a published folder, in memory; without `relaxed`, the other module is used. */
export interface ModelFiles {
  readonly modules: { readonly simd: Uint8Array; readonly relaxed?: Uint8Array };
  readonly shards: readonly Uint8Array[];
}

/** The address of a published folder, or its files. */
export type Source = string | URL | ModelFiles;

/** An option of a method: what is valid, and what it is where none is given. */
export interface OptionRecord {
  readonly type: "integer" | "number" | "flag";
  readonly default: number | boolean | null;
  readonly low?: number;
  readonly high?: number;
}

/** What a module says of its model. */
export interface Description {
  readonly model: string;
  readonly title: string;
  readonly licence: string;
  readonly task: string;
  /** Options by the name of the method, then by their own. */
  readonly options: Readonly<Record<string, Readonly<Record<string, OptionRecord>>>>;
  readonly labels: readonly string[];
  /** Keypoints, and the lines between them by their numbers. */
  readonly skeleton?: {
    readonly names: readonly string[];
    readonly lines: readonly (readonly [number, number])[];
  };
}
