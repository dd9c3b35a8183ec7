/** @module Messages between the first thread of an image process and its worker. */
import type { Conversion } from "../types.ts";
import type { FailedHead } from "../wire.ts";

/** The engine's files: its JavaScript module as text, and its WebAssembly. */
export interface EngineFiles {
  readonly code: string;
  readonly core: Uint8Array<ArrayBuffer>;
  /** The module that reads and writes AVIF. */
  readonly heif: Uint8Array<ArrayBuffer>;
}

export type ToImageWorker =
  | { readonly type: "load"; readonly files: EngineFiles; readonly maxPixels: number }
  | {
    readonly type: "convert";
    readonly conversion: Conversion;
    readonly source: Uint8Array<ArrayBuffer>;
  };

export type FromImageWorker =
  | { readonly type: "ready"; readonly version: string }
  | {
    readonly type: "done";
    readonly bytes: Uint8Array<ArrayBuffer>;
    readonly width: number;
    readonly height: number;
  }
  | { readonly type: "failed"; readonly failed: FailedHead }
  /** The engine cannot continue: its memory is used up or damaged. */
  | { readonly type: "fatal"; readonly message: string };
