/**
 * The process that backs up a running platform. Because it is a separate process, reading and
 * encrypting all data does not delay requests. The process gets its job as one line of JSON on
 * standard input. It stops when standard input closes, for example because the platform is killed.
 *
 * @module
 */
import { setPriority } from "node:os";
import * as z from "zod";
import { systemClock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/error_message.ts";
import { leaveSignalsToPlatform } from "../../lib/leave_signals.ts";
import { backUpToPlace } from "./back_up_to_place.ts";
import { BackupError } from "./backup_layout.ts";

const workSchema = z.object({
  dataDir: z.string(),
  kv: z.string().optional(),
  blobs: z.string().optional(),
  keys: z.string().optional(),
  postgres: z.string().optional(),
  place: z.string(),
  recipients: z.array(z.string()),
  keep: z.int(),
  version: z.string(),
});
export type BackupWork = z.infer<typeof workSchema>;

const count = z.number();

export const resultSchema = z.union([
  z.object({
    name: z.string(),
    files: count,
    bytes: count,
    sentBytes: count,
    records: count,
    blobs: count,
    databases: z.array(z.object({ id: z.string(), tables: count, rows: count })),
    removed: count,
  }),
  z.object({ error: z.string(), hint: z.string().nullable() }),
]);
export type BackupResult = z.infer<typeof resultSchema>;

/** Maximum time to release the backup location when the platform stops, in milliseconds. */
const STOP_MS = 5000;

/** Gives other processes on the machine priority over this one. */
const PRIORITY = 10;

async function run(work: BackupWork, signal: AbortSignal): Promise<BackupResult> {
  const { postgres, kv, blobs, keys, ...options } = work;
  try {
    const proven = await backUpToPlace({
      ...options,
      kv,
      blobs,
      keys,
      env: Deno.env.toObject(),
      databases: { postgres },
      now: systemClock,
      signal,
    });
    return { ...proven, databases: [...proven.databases] };
  } catch (error) {
    const hint = error instanceof BackupError ? error.hint ?? null : null;
    return { error: messageOf(error), hint };
  }
}

/** Reads the job, then calls `stop` when the platform exits. */
async function readWork(stop: () => void): Promise<BackupWork> {
  const line = Promise.withResolvers<string>();
  const watch = async () => {
    let text = "";
    for await (const piece of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
      text += piece;
      if (text.endsWith("\n")) line.resolve(text);
    }
  };
  watch().finally(stop).catch(() => {});
  return workSchema.parse(JSON.parse(await line.promise));
}

export async function runBackupProcess(_path: string): Promise<never> {
  try {
    setPriority(PRIORITY);
  } catch { /* if the system does not allow this, the priority stays normal */ }
  leaveSignalsToPlatform();
  const closing = new AbortController();
  const work = await readWork(() => {
    closing.abort(new Error("The platform stopped during the backup"));
    setTimeout(() => Deno.exit(1), STOP_MS);
  });
  const result = await run(work, closing.signal);
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(result)}\n`));
  return Deno.exit(0);
}

if (import.meta.main) await runBackupProcess("");
