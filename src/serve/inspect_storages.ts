/** Inspects a platform's storage without starting the platform. @module */
import { systemClock, systemRandom } from "../lib/clock.ts";
import type { Environment } from "../lib/network_variables.ts";
import { inspectStore, parseStoreUrl, type Patience, type StoreFacts } from "../store/mod.ts";

/** Time limits in milliseconds. A user is waiting for the result. */
const PATIENCE: Patience = { connectMs: 3_000, attemptMs: 5_000, failureMs: 3_000 };

/** @throws {StoreAddressError} @throws {StoreUnavailableError} */
export async function inspectPlatformStore(place: string, env: Environment): Promise<StoreFacts> {
  const address = parseStoreUrl(place, {
    variable: (name) => env[name],
    readFile: (path) => Deno.readTextFileSync(path),
  });
  return await inspectStore(address, { now: systemClock, patience: PATIENCE });
}

/** Stores, reads and deletes an object. @throws {ProbeError} */
export async function probeObjectStorage(place: string, env: Environment): Promise<void> {
  const { probeStorage } = await import("../platform/core/s3/mod.ts");
  await probeStorage(place, { env, name: systemRandom(8).toHex() });
}
