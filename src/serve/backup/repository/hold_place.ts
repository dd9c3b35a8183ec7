/**
 * Reserves a backup location while a backup is written to it, or while content is removed from it.
 *
 * Each process stores its own marker, then looks for other markers. Therefore, of any two
 * processes, at least one sees the other's marker. A process renews its marker while it works. The
 * marker expires when the process has exited, or if it is not renewed for a while.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import * as z from "zod";
import { BackupError } from "../backup_layout.ts";
import type { Place } from "./place.ts";

/** Time between two renewals of a marker, in milliseconds. */
const RENEW_MS = 30_000;
/** Age at which a marker expires, in milliseconds. */
const LAPSE_MS = 10 * 60_000;
/**
 * Time after which a process stops if it could not renew its marker, in milliseconds. Other
 * processes can reserve the location only well after that.
 */
const TRUST_MS = 5 * 60_000;

const HOLDS = "running/";

const markSchema = z.object({
  machine: z.string(),
  pid: z.int(),
  renewedAt: z.number(),
});
type Mark = z.infer<typeof markSchema>;

/** Identifies the machine and the process ID namespace, because each container has its own. */
function machineName(): string {
  const parts = [hostname()];
  try {
    parts.push(Deno.readTextFileSync("/proc/sys/kernel/random/boot_id"));
    parts.push(Deno.readLinkSync("/proc/self/ns/pid"));
  } catch { /* on other systems, a process only counts as exited when its marker expires */ }
  return createHash("sha256").update(parts.join("\n")).digest("hex").slice(0, 32);
}

function isGone({ machine, pid, renewedAt }: Mark, now: number): boolean {
  if (Math.abs(now - renewedAt) > LAPSE_MS) return true;
  if (Deno.build.os !== "linux" || machine !== machineName()) return false;
  try {
    Deno.statSync(`/proc/${pid}`);
    return false;
  } catch {
    return true;
  }
}

/** A location reserved by this process. */
export interface HeldPlace {
  /** @throws {BackupError} if other processes might consider the location free */
  assertHeld(): void;
}

async function readMark(place: Place, key: string): Promise<Mark | undefined> {
  const bytes = await place.get(key);
  if (bytes === undefined) return undefined;
  try {
    return markSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** @throws {BackupError} while another process has reserved the location */
async function refuseOthers(place: Place, own: string): Promise<void> {
  for (const key of await Array.fromAsync(place.list(HOLDS))) {
    if (key === own || !key.endsWith(".json")) continue;
    const mark = await readMark(place, key);
    if (mark === undefined || isGone(mark, Date.now())) {
      await place.remove(key);
      continue;
    }
    throw new BackupError(
      `Cannot use ${place.name}: another backup is writing to it, and was last active at ${
        new Date(mark.renewedAt).toISOString()
      }`,
      "Wait until it finishes. If its process is gone, it counts as stopped after 10 minutes",
    );
  }
}

/**
 * Runs `work` while no other process writes to the location or removes anything from it. When the
 * signal aborts, the location is released. `work` must then stop, and the process should exit.
 *
 * @throws {BackupError} while another process has reserved the location
 */
export async function holdPlace<T>(
  place: Place,
  work: (held: HeldPlace) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  signal.throwIfAborted();
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  stopped.catch(() => {});
  const key = `${HOLDS}${crypto.randomUUID()}.json`;
  const machine = machineName();
  let renewedAt = Date.now();
  const renew = async () => {
    const at = Date.now();
    const mark: Mark = { machine, pid: Deno.pid, renewedAt: at };
    await place.put(key, new TextEncoder().encode(JSON.stringify(mark)));
    renewedAt = at;
  };
  await renew();
  // A failed renewal is noticed when the marker is too old.
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    // A renewal can take longer than the interval.
    const before = renewing;
    renewing = renew().catch(() => {}).then(() => before);
  }, RENEW_MS);
  const workAlone = async () => {
    await refuseOthers(place, key);
    return await work({
      assertHeld() {
        signal.throwIfAborted();
        if (Date.now() - renewedAt < TRUST_MS) return;
        throw new BackupError(
          `Cannot continue the backup: ${place.name} did not respond for several minutes`,
          "Check the network. The next backup continues where this one stopped",
        );
      },
    });
  };
  try {
    return await Promise.race([stopped, workAlone()]);
  } finally {
    clearInterval(timer);
    await renewing;
    await place.remove(key).catch(() => {});
  }
}
