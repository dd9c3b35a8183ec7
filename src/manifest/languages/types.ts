/** @module Types for describing a language. Each language has one file in this folder. */
import type { Placement, ProjectReader } from "../frameworks/types.ts";

/** A plan for how to build and start a project in this language as a server. */
export interface LanguagePlan {
  /** The evidence, such as `requirements.txt requires fastapi`. */
  readonly reason: string;
  /** IDs of the toolchains that build the project. */
  readonly toolchains: readonly string[];
  /** Shell command that builds the project. Missing if there is nothing to build. */
  readonly build?: string;
  /**
   * Shell command that starts the server in the deployment folder. The server listens on `$PORT`.
   */
  readonly start: string;
  /** The files to deploy. */
  readonly placements: readonly Placement[];
  /** A file that is always deployed, as a path in the deployment. */
  readonly entry: string;
  /**
   * Name of the container image that the build creates. The image's root file system is deployed
   * too.
   */
  readonly image?: string;
  /** Memory that the server needs, in MiB. Defaults to the platform's default. */
  readonly memoryMb?: number;
}

export interface Language {
  readonly id: string;
  readonly name: string;
  /** Files in a project's folder that can show the language. */
  readonly files: readonly string[];
  /** Plans the server. Returns `undefined` if the project has no server in this language. */
  readonly plan: (reader: ProjectReader) => Promise<LanguagePlan | undefined>;
}
