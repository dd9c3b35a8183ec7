/**
 * Size and connections of databases over time.
 *
 * Each process takes a sample every minute, and writes peaks under its own name. Readers add up the
 * connections. All samples expire, including those of deleted databases.
 *
 * @module
 */
import * as z from "zod";
import type { DatabaseUsage } from "../../contract/databases.ts";
import type { RecordStore } from "../../store/mod.ts";
import { keys } from "../core/store/mod.ts";
import type { DatabaseRecord } from "./records.ts";

export const SAMPLE_MS = 60_000;
/** How long after the platform's start the first samples are taken, in milliseconds. */
export const FIRST_SAMPLE_MS = 2000;

const HOUR_MS = 60 * 60 * 1000;

/**
 * Step lengths, and how long to keep samples, in milliseconds. Thanks to one-minute steps, new
 * databases have a graph sooner.
 */
const UNITS = {
  minute: { ms: SAMPLE_MS, keptMs: 2 * HOUR_MS },
  tenMinutes: { ms: 10 * SAMPLE_MS, keptMs: 24 * HOUR_MS },
} as const;
type Unit = keyof typeof UNITS;

const usageSample = z.object({
  sizeBytes: z.int().nullable(),
  /** The highest number of open connections during the step. */
  connections: z.int(),
});
type UsageSample = z.infer<typeof usageSample>;

interface UsageParts {
  readonly kv: RecordStore;
  readonly node: string;
  now(): number;
  /** Returns the total size of all branches; `null` while unknown. */
  sizeOf(database: DatabaseRecord): Promise<number | null>;
  connectionsOf(database: DatabaseRecord): Promise<number>;
}

const startOf = (unit: Unit, time: number): number => time - time % UNITS[unit].ms;

const isYoung = ({ createdAt }: DatabaseRecord, now: number): boolean =>
  now - createdAt < UNITS.minute.keptMs;

export class UsageSamples {
  /** Each database's peak number of connections in the current ten minutes. */
  readonly #peaks = new Map<string, { readonly start: number; readonly connections: number }>();

  readonly #parts: UsageParts;

  constructor(parts: UsageParts) {
    this.#parts = parts;
  }

  /** Takes a sample of each database, and forgets databases that no longer exist. */
  async sampleAll(databases: AsyncIterable<DatabaseRecord>, signal: AbortSignal): Promise<void> {
    const seen = new Set<string>();
    for await (const database of databases) {
      if (signal.aborted) return;
      if (database.deletedAt !== null) continue;
      seen.add(database.id);
      await this.#sample(database);
    }
    for (const id of this.#peaks.keys()) if (!seen.has(id)) this.#peaks.delete(id);
  }

  async #sample(database: DatabaseRecord): Promise<void> {
    const { sizeOf, connectionsOf, now } = this.#parts;
    const start = startOf("tenMinutes", now());
    const connections = await connectionsOf(database);
    const known = this.#peaks.get(database.id);
    const isNew = known?.start !== start;
    const peak = isNew ? connections : Math.max(known.connections, connections);
    this.#peaks.set(database.id, { start, connections: peak });
    const young = isYoung(database, now());
    // An idle database gets only one sample every ten minutes.
    if (!young && !isNew && peak === known.connections) return;
    const sizeBytes = await sizeOf(database);
    if (young) await this.#write(database, "minute", { sizeBytes, connections });
    await this.#write(database, "tenMinutes", { sizeBytes, connections: peak });
  }

  async #write({ id }: DatabaseRecord, unit: Unit, sample: UsageSample): Promise<void> {
    const { kv, node, now } = this.#parts;
    const { keptMs } = UNITS[unit];
    const key = keys.databaseSample(id, { unit, start: startOf(unit, now()), node });
    await kv.set(key, sample, { expireIn: keptMs });
  }

  /**
   * Returns the usage over the last day in ten-minute steps. For a new database, returns the usage
   * since its creation in one-minute steps.
   */
  async read(database: DatabaseRecord): Promise<DatabaseUsage> {
    const { kv, now } = this.#parts;
    const unit = isYoung(database, now()) ? "minute" : "tenMinutes";
    const { ms, keptMs } = UNITS[unit];
    const steps = new Map<number, UsageSample>();
    const prefix = keys.databaseSamples(database.id, unit);
    const since = Math.max(database.createdAt - ms, now() - keptMs);
    const found = kv.list({ prefix, start: [...prefix, since] }, { batchSize: 500 });
    for await (const { key, value } of found) {
      const sample = usageSample.safeParse(value).data;
      if (sample === undefined) continue;
      const start = Number(key[prefix.length]);
      const other = steps.get(start);
      steps.set(start, {
        sizeBytes: sample.sizeBytes ?? other?.sizeBytes ?? null,
        connections: sample.connections + (other?.connections ?? 0),
      });
    }
    return {
      stepSeconds: ms / 1000,
      steps: [...steps].map(([start, sample]) => ({
        time: new Date(start).toISOString(),
        ...sample,
      })),
    };
  }
}
