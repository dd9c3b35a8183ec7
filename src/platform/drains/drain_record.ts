/**
 * Projects' drains in the store. A drain's headers contain credentials, so they are sealed.
 *
 * @module
 */
import * as z from "zod";
import { keys, keysBelow, RecordType, Table } from "../core/store/mod.ts";
import { sealedSecret, type SecretBox } from "../core/secrets/mod.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";

const drainRecord = z.object({
  id: z.string(),
  projectId: z.string(),
  url: z.string(),
  headerNames: z.array(z.string()),
  /** The headers, keyed by name, as JSON. */
  headers: sealedSecret,
  createdAt: z.number(),
});
export type DrainRecord = z.infer<typeof drainRecord>;

const openHeaders = z.record(z.string(), z.string());

const drains = new RecordType({
  root: keys.allDrains(),
  schema: drainRecord,
  parts: ({ projectId, id }) => [projectId, id],
});

/** Returns whether any of the changed keys belongs to a drain. */
export const areDrains = (changed: readonly RecordKey[]): boolean =>
  changed.some(([root]) => root === drains.root[0]);

const sealPlace = (id: string): string => `drain/${id}`;

export class DrainStore extends Table<DrainRecord, readonly [string, string]> {
  readonly #box: SecretBox;

  constructor(kv: RecordStore, box: SecretBox) {
    super(kv, drains);
    this.#box = box;
  }

  /** Creates the record for a new drain, without storing it. */
  async seal(
    { headers, ...record }: Omit<DrainRecord, "headers" | "headerNames"> & {
      readonly headers: Readonly<Record<string, string>>;
    },
  ): Promise<DrainRecord> {
    const sealed = await this.#box.seal(JSON.stringify(headers), sealPlace(record.id));
    return { ...record, headerNames: Object.keys(headers), headers: sealed };
  }

  async headersOf({ id, headers }: DrainRecord): Promise<Readonly<Record<string, string>>> {
    return openHeaders.parse(JSON.parse(await this.#box.open(headers, sealPlace(id))));
  }

  keysOf(projectId: string): AsyncIterable<RecordKey> {
    return keysBelow(this.kv, keys.drains(projectId));
  }

  /**
   * Seals the headers of all drains with the platform's current key. Returns how many were
   * resealed.
   */
  async reseal(): Promise<number> {
    return await this.rewrite(async (record) => {
      const headers = await this.#box.renew(record.headers, sealPlace(record.id));
      return headers === record.headers ? record : { ...record, headers };
    });
  }
}
