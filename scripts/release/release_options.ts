/**
 * The inputs for a release.
 *
 * @module
 */
import type { ReleaseProgram } from "../../src/release/mod.ts";
import type { Target } from "./targets.ts";

export interface ReleaseOptions {
  readonly version: string;
  readonly dataFormat: number;
  /** Folder with the compiled programs, whose names come from `programName()`. */
  readonly programs: string;
  /** Folder that receives the release. */
  readonly out: string;
  /** The release's base URL. */
  readonly place: string;
  /** The signing key in PKCS #8 PEM. */
  readonly keyPem: string;
  /** Keys that the programs trust. */
  readonly trusted: readonly string[];
}

/** A program, and the archive that contains it. */
export interface ReleasedProgram {
  readonly target: Target;
  readonly manifest: ReleaseProgram;
  readonly archive: { readonly file: string; readonly sha256: string };
}
