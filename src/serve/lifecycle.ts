/** Starts, maintains and stops all capabilities. @module */
import { startRounds } from "../lib/rounds.ts";
import { releaseUnusedMemory } from "../lib/unused_memory.ts";
import type { Capability } from "../platform/core/capability.ts";
import type { Foundation } from "../platform/core/foundation.ts";
import type { Closers } from "./closers.ts";
import { finishDeletions } from "./delete_project.ts";
import type { CompleteOptions } from "./options.ts";
import { type Lease, LeaseLostError } from "../store/mod.ts";

/** Time between two releases of unused memory, in milliseconds. */
const HOUSEKEEPING_MS = 60 * 60 * 1000;
/**
 * Delay before the first round, in milliseconds, so the round does not compete with the start. The
 * delay is shorter if the interval is shorter.
 */
const FIRST_ROUND_MS = 60 * 1000;
/** Delay before memory that only the start needed is released, in milliseconds. */
const FIRST_RELEASE_MS = 10 * 1000;

interface PlatformParts {
  readonly capabilities: readonly Capability[];
  readonly foundation: Pick<Foundation, "kv" | "log" | "nodes">;
  readonly closers: Closers;
  /** Whether the store is read-only, so the platform only serves. */
  readonly readOnly: boolean;
}

/** Prepares all capabilities for the first request. */
export async function startCapabilities(parts: PlatformParts): Promise<void> {
  const { capabilities, foundation: { kv }, closers, readOnly } = parts;
  for (const each of capabilities) closers.add({ close: () => each.close?.() });
  if (!readOnly) await finishDeletions({ kv, capabilities });
  for (const each of capabilities) await each.recover?.();
  if (readOnly) return;
  for (const each of capabilities) await each.start?.();
  closers.add(finishOnDeath(parts));
}

/** Finishes deletions that a node began but did not complete because it failed. */
function finishOnDeath(
  { capabilities, foundation: { kv, log, nodes } }: PlatformParts,
): { close(): Promise<void> } {
  let finishing = Promise.resolve();
  let isClosed = false;
  const finish = async () => {
    if (!isClosed) await finishDeletions({ kv, capabilities });
  };
  nodes.onDeath(() => {
    finishing = finishing.then(finish).catch((error) =>
      log({
        level: "error",
        message: `Cannot finish the deletions that another node started: ${error}`,
      })
    );
  });
  return {
    async close() {
      isClosed = true;
      await finishing;
    },
  };
}

/** Starts background work, once the platform accepts requests. */
export function startUpkeep(
  { capabilities, foundation: { log, nodes }, closers, readOnly }: PlatformParts,
  { housekeepingMs }: Pick<CompleteOptions, "housekeepingMs">,
): void {
  closers.add(startRounds({
    firstMs: FIRST_RELEASE_MS,
    everyMs: HOUSEKEEPING_MS,
    run: async () => void await releaseUnusedMemory(),
    onError: (error) => log({ level: "error", message: `Releasing memory failed: ${error}` }),
  }));
  if (readOnly) return;
  for (const each of capabilities) each.whenListening?.();
  closers.add(startRounds({
    firstMs: Math.min(FIRST_ROUND_MS, housekeepingMs),
    everyMs: housekeepingMs,
    async run(signal) {
      await tidyNode(capabilities, { signal, log });
      await nodes.during(
        "housekeeping",
        (lease) => cleanUp(capabilities, { signal, log }, lease),
      );
    },
    onError: (error) => log({ level: "error", message: `Housekeeping failed: ${error}` }),
  }));
}

type RoundOptions = Pick<Foundation, "log"> & { readonly signal: AbortSignal };

/** Runs a round of housekeeping for shared data. */
export function cleanUp(
  capabilities: readonly Capability[],
  options: RoundOptions,
  lease: Lease,
): Promise<void> {
  return eachInTurn(capabilities, options, (each) => each.cleanUp?.(options.signal, lease));
}

/** Runs a round of housekeeping for this node's own data. */
function tidyNode(
  capabilities: readonly Capability[],
  options: RoundOptions,
): Promise<void> {
  return eachInTurn(capabilities, options, (each) => each.tidyNode?.(options.signal));
}

/**
 * Does the work of each capability in turn, starting with the last one. If one capability fails,
 * the others are not affected, but a lost lease ends the round.
 */
async function eachInTurn(
  capabilities: readonly Capability[],
  { log }: RoundOptions,
  work: (each: Capability) => Promise<readonly string[]> | undefined,
): Promise<void> {
  for (const each of capabilities.toReversed()) {
    try {
      for (const line of await work(each) ?? []) {
        log({ level: "info", message: `Housekeeping: ${line}` });
      }
    } catch (error) {
      if (error instanceof LeaseLostError) throw error;
      log({ level: "error", message: `Housekeeping of ${each.name} failed: ${error}` });
    }
  }
}
