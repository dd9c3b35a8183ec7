/**
 * What the operator decides about builds from git.
 *
 * @module
 */
import type { BuildLimits } from "./runner/build_limits.ts";
import type { SandboxKind } from "./runner/sandbox.ts";

export interface BuildSettings {
  /** Builds run without walls where there are none. */
  readonly allowUnsandboxed: boolean;
  /** First of the users that builds run as, where the platform is root. */
  readonly firstUid?: number;
  /** The only kind of walls that is tried; the best one where missing. */
  readonly sandbox?: SandboxKind;
  readonly limits?: Partial<BuildLimits>;
  /** Files and folders outside of the data directory that no build may see. */
  readonly hidden: readonly string[];
}
