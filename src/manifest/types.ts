/** @module The build output manifest as typed values. */
import type * as z from "zod";
import type {
  computeLayerSchema,
  manifestSchema,
  routeSchema,
  staticLayerSchema,
} from "./schema.ts";

/** Files that the edge serves unchanged. `directory` is normalized: `.` or `a/b`. */
export type StaticLayer = Readonly<z.infer<typeof staticLayerSchema>>;

/** A server process. `directory` and `entry` are relative to the output directory. */
export type ComputeLayer = Readonly<z.infer<typeof computeLayerSchema>>;

export type Layer = StaticLayer | ComputeLayer;

export type Route = Readonly<z.infer<typeof routeSchema>>;

export type Method = NonNullable<Route["methods"]>[number];

/** A manifest that passed validation. */
export interface Manifest extends Readonly<z.infer<typeof manifestSchema>> {
  readonly layers: Layer[];
  readonly routes: Route[];
}

/** An error or warning about a field of a manifest, or about the whole manifest. */
export interface ManifestProblem {
  /** Field path such as `layers[0].entry`, or empty for the whole document. */
  readonly path: string;
  /** One-line message that starts with a capital letter and has no final period. */
  readonly message: string;
}

/** File lookups for validation, in an output folder or an upload. */
export interface OutputFiles {
  /** Returns whether the output has a file at this relative path, whose separator is `/`. */
  hasFile(path: string): boolean;
  /**
   * Returns whether the output has a file in the folder `path`, at any depth. `.` is the output
   * itself.
   */
  hasDirectory(path: string): boolean;
}

export type ManifestResult =
  | {
    readonly ok: true;
    readonly manifest: Manifest;
    /** Problems with settings that are valid, but probably mistakes. */
    readonly warnings: readonly ManifestProblem[];
  }
  | { readonly ok: false; readonly problems: readonly ManifestProblem[] };
