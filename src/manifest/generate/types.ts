/**
 * What generation reads of an output, and what it finds there.
 *
 * @module
 */
import type { DetectedProject } from "../detect/types.ts";
import type { Manifest } from "../types.ts";

/** A build's output: the paths of its files, relative and with `/`, and the text of single ones. */
export interface BuiltOutput {
  readonly paths: readonly string[];
  /** `undefined` where there is no such file. */
  readonly readText: (path: string) => Promise<string | undefined>;
}

/** How a framework's entry becomes a server that listens where the platform asks it to. */
export type Launcher = "astro" | "sveltekit" | "nitro" | "nitro-middleware";

/** The server that a build made. */
export interface FoundServer {
  readonly type: "server";
  readonly launcher: Launcher;
  /** Folder of the server and its entry, both relative to the output. */
  readonly directory: string;
  readonly entry: string;
  /** Folders with files to serve as they are, the first choice first. */
  readonly clients: readonly string[];
  /** URL paths below which every file is named by its content. */
  readonly immutable: readonly string[];
}

export type Found =
  | FoundServer
  /** Plain files below this folder. */
  | { readonly type: "static"; readonly directory: string }
  /** The build is for another platform, or lacks its server. */
  | { readonly type: "unusable"; readonly message: string; readonly hint?: string };

/** Looks at the output of one framework. */
export type FindServer = (
  output: BuiltOutput,
  detected: DetectedProject,
) => Found | Promise<Found>;

export type Generated =
  | { readonly type: "static"; readonly manifest: Manifest }
  | { readonly type: "server"; readonly manifest: Manifest; readonly launcher: Launcher }
  | Extract<Found, { readonly type: "unusable" }>;
