/** @module Types for the description of a language; each language has one file in this folder. */
import type { Placement, ProjectReader } from "../frameworks/types.ts";

/** How a project of a language becomes a server. */
export interface LanguagePlan {
  /** Such as `requirements.txt asks for fastapi`. */
  readonly reason: string;
  /** Ids of the toolchains that build it. */
  readonly toolchains: readonly string[];
  /** Shell command that builds it; missing if there is nothing to build. */
  readonly build?: string;
  /** Shell command that starts it in the folder of the deployment; it listens on `$PORT`. */
  readonly start: string;
  /** The deployed files. */
  readonly placements: readonly Placement[];
  /** A file that is always deployed, by its path there. */
  readonly entry: string;
  /** Name of the container image that the build creates, whose root file system is deployed too. */
  readonly image?: string;
  /** Memory that it needs, in MiB; the usual amount by default. */
  readonly memoryMb?: number;
}

export interface Language {
  readonly id: string;
  readonly name: string;
  /** `undefined` if a project shows no server in this language. */
  readonly plan: (reader: ProjectReader) => Promise<LanguagePlan | undefined>;
}
