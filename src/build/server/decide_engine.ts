/**
 * What runs a server: the sandbox on Deno, or Node itself. Pure.
 *
 * @module
 */
import type { Engine } from "../../manifest/mod.ts";

export interface EngineChoice {
  readonly engine: Engine;
  /** Why, as a clause. */
  readonly reason: string;
}

/** What is known before anything is bundled. */
export interface EngineWishes {
  /** `[build] runtime` of `svc.toml`. */
  readonly configured: Engine | undefined;
  /** `runtime.engine` of the layer in a manifest that the build wrote. */
  readonly written: Engine | undefined;
  /** Why the framework needs Node itself. */
  readonly framework: string | undefined;
}

/** The engine that was asked for; `undefined` where bundling decides. */
export function wishedEngine(wishes: EngineWishes): EngineChoice | undefined {
  const { configured, written, framework } = wishes;
  if (configured !== undefined) {
    return { engine: configured, reason: "svc.toml sets build.runtime" };
  }
  if (written !== undefined) return { engine: written, reason: "its manifest says so" };
  return framework === undefined ? undefined : { engine: "node", reason: framework };
}
