/** @module Locks on files, which the system releases when the process exits. */

import { setTimeout as delay } from "node:timers/promises";

/** Default wait for a lock, in milliseconds, before reporting that another process holds it. */
const LOCK_MS = 300;
/** Time between two attempts, in milliseconds. */
const AGAIN_MS = 10;

/** Locks the file exclusively. If the lock stays taken, closes the file and returns false. */
export async function lockInTime(file: Deno.FsFile, waitMs = LOCK_MS): Promise<boolean> {
  const deadline = performance.now() + waitMs;
  while (!await file.tryLock(true)) {
    if (performance.now() >= deadline) {
      file.close();
      return false;
    }
    await delay(AGAIN_MS);
  }
  return true;
}
