/**
 * The resources of a COMPUTE layer with its defaults filled in.
 *
 * @module
 */
import { DEFAULT_MEMORY_MB, DEFAULT_TIMEOUT_MS } from "./limits.ts";
import type { ComputeLayer } from "./types.ts";

export interface RuntimeSettings {
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/** What a layer asks for, and 300,000 ms and 256 MiB where it does not say. */
export function runtimeSettings(layer: ComputeLayer): RuntimeSettings {
  return {
    timeoutMs: layer.runtime?.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    memoryMb: layer.runtime?.memoryMb ?? DEFAULT_MEMORY_MB,
  };
}
