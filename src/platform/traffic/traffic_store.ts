/**
 * Traffic in the store: counts by project, period and environment, and visitor salts.
 *
 * Each process repeatedly writes its growing counts for a period under its own name, without
 * reading them first, so that several processes can count at the same time. Readers merge the
 * parts.
 *
 * @module
 */
import type { Random } from "../../lib/clock.ts";
import { type EncodedCounts, SALT_BYTES, TrafficCounts } from "../../traffic/mod.ts";
import { keys } from "../core/store/mod.ts";
import { PERIODS, type Unit } from "./periods.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";

/**
 * How long to keep a day's salt, in milliseconds. Requests from the previous day finish soon after
 * midnight.
 */
const SALT_KEPT_MS = 36 * 60 * 60 * 1000;

/** One process's counts for an environment in a period. */
export interface TrafficPart {
  readonly projectId: string;
  readonly environment: string;
  readonly unit: Unit;
  /** The start of the period, in milliseconds since the Unix epoch. */
  readonly start: number;
  /** Distinguishes the part from parts by other writers. */
  readonly part: string;
}

/** Counts that were read from the store. */
export interface FoundCounts {
  readonly start: number;
  readonly counts: EncodedCounts;
}

const isCounts = (value: unknown): value is EncodedCounts =>
  typeof value === "object" && value !== null && "version" in value && value.version === 1;

const NOTHING = new TrafficCounts().encode();

export class TrafficStore {
  readonly #kv: RecordStore;
  readonly #random: Random;

  constructor(kv: RecordStore, random: Random) {
    this.#kv = kv;
    this.#random = random;
  }

  async write(part: TrafficPart, counts: EncodedCounts): Promise<void> {
    const { vitals, ...rest } = counts;
    const expireIn = PERIODS[part.unit].keptMs;
    await this.#kv.set(keys.trafficPart(part), rest, { expireIn });
    if (vitals === undefined) return;
    // Vitals are stored separately, because a value is limited to 64 KiB.
    const key = keys.trafficPart({ ...part, part: `${part.part}-vitals` });
    await this.#kv.set(key, { ...NOTHING, vitals }, { expireIn });
  }

  /** Reads an environment's counts since `start`, except those that another version has stored. */
  async *read(
    { projectId, environment, unit, start }: Omit<TrafficPart, "part">,
  ): AsyncGenerator<FoundCounts> {
    const prefix = keys.trafficUnit(projectId, unit);
    const found = this.#kv.list({ prefix, start: [...prefix, start] }, { batchSize: 100 });
    for await (const { key, value } of found) {
      const [at, name] = key.slice(prefix.length);
      if (name === environment && isCounts(value)) yield { start: Number(at), counts: value };
    }
  }

  /** Lists the keys of all counts for a project, or for one of its environments. */
  async *keysOf(projectId: string, environment?: string): AsyncGenerator<RecordKey> {
    const prefix = keys.traffic(projectId);
    for await (const { key } of this.#kv.list({ prefix })) {
      if (environment === undefined || key[prefix.length + 2] === environment) yield key;
    }
  }

  /**
   * Returns a day's salt, which is the same for all processes, and expires 36 hours after its
   * creation.
   */
  async salt(day: number): Promise<Uint8Array> {
    const key = keys.trafficSalt(day);
    while (true) {
      const { value, versionstamp } = await this.#kv.get<Uint8Array>(key);
      if (value instanceof Uint8Array) return value;
      const salt = this.#random(SALT_BYTES);
      const { ok } = await this.#kv.atomic().check({ key, versionstamp })
        .set(key, salt, { expireIn: SALT_KEPT_MS }).commit();
      if (ok) return salt;
    }
  }
}
