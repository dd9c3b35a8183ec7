/** @module The runtime settings of a COMPUTE layer, with defaults filled in. */
import {
  DEFAULT_MEMORY_MB,
  DEFAULT_START_TIMEOUT_MS,
  DEFAULT_TIMEOUT_MS,
  DEFAULT_TMP_MB,
  ENGINES,
} from "./limits.ts";
import type { ComputeLayer } from "./types.ts";

/** An engine that runs servers. */
export type Engine = (typeof ENGINES)[number];

export interface RuntimeSettings {
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly engine: Engine;
  /** Node version, if Node is the engine. By default, the platform chooses the version. */
  readonly nodeVersion?: string;
  /** Size of the folder for temporary files, in MiB. */
  readonly tmpMb: number;
  /**
   * Path for which the server must return a status from 200 to 399 before its deployment goes live.
   * If missing, any response to `/` is enough.
   */
  readonly healthPath?: string;
  /** Shell command that starts the server. If missing, the entry is run. */
  readonly command?: string;
  /** Root file system in which the server starts. */
  readonly image?: NonNullable<NonNullable<ComputeLayer["runtime"]>["image"]>;
  /** Time limit for the server to start listening, in milliseconds. */
  readonly startTimeoutMs: number;
}

/**
 * Returns the settings of a layer, with the defaults for missing ones. The default engine is Deno.
 */
export function runtimeSettings({ runtime }: ComputeLayer): RuntimeSettings {
  const { nodeVersion, healthPath, command, image } = runtime ?? {};
  return {
    timeoutMs: runtime?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    memoryMb: runtime?.memoryMb ?? DEFAULT_MEMORY_MB,
    engine: runtime?.engine ?? "deno",
    ...(nodeVersion === undefined ? {} : { nodeVersion }),
    tmpMb: runtime?.tmpMb ?? DEFAULT_TMP_MB,
    ...(healthPath === undefined ? {} : { healthPath }),
    ...(command === undefined ? {} : { command }),
    ...(image === undefined ? {} : { image }),
    startTimeoutMs: runtime?.startTimeoutMs ?? DEFAULT_START_TIMEOUT_MS,
  };
}
