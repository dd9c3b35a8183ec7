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

/** A problem with a manifest. */
export interface ManifestProblem {
  /** Field path such as `layers[0].entry`; empty for the whole document. */
  readonly path: string;
  /** Starts with a capital, on one line, without a final full stop. */
  readonly message: string;
}

/** Questions of validation about the output, for a folder and for an upload. */
export interface OutputFiles {
  /** Whether the output has a file at this path, relative and with `/`. */
  hasFile(path: string): boolean;
  /** Whether the output has a file below this folder; `.` is the output itself. */
  hasDirectory(path: string): boolean;
}

export type ManifestResult =
  | {
    readonly ok: true;
    readonly manifest: Manifest;
    /** Valid but probably mistaken settings. */
    readonly warnings: readonly ManifestProblem[];
  }
  | { readonly ok: false; readonly problems: readonly ManifestProblem[] };
