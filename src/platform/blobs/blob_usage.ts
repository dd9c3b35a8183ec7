/**
 * The size of a project's blob stores. Each commit that adds or removes data also counts the change
 * separately, so concurrent writers to one store do not contend for a record.
 *
 * @module
 */
import * as z from "zod";
import { keys, readAll } from "../core/store/mod.ts";
import type { Operation, RecordStore } from "../../store/mod.ts";
import type { BlobPlace } from "./object_record.ts";

const counter = z.instanceof(Deno.KvU64);

interface BlobUse {
  readonly bytes: number;
  readonly objects: number;
}

type Counter = "bytes_added" | "bytes_removed" | "objects_added" | "objects_removed";

export class BlobUsage {
  readonly #kv: RecordStore;
  /** Number of bytes of uploads in progress, by project. These bytes are not recorded yet. */
  readonly #arriving = new Map<string, number>();

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /** Adds a change in usage to the commit that causes the change. */
  note(operation: Operation, place: BlobPlace, change: Partial<Record<Counter, number>>): void {
    for (const [name, count] of Object.entries(change)) {
      if (count === 0) continue;
      operation.sum(keys.blobUse(place.projectId, place.environment, name), BigInt(count));
    }
  }

  /** Returns the usage of each environment of a project. */
  async of(projectId: string): Promise<ReadonlyMap<string, BlobUse>> {
    const found = new Map<string, { bytes: number; objects: number }>();
    for await (const { key, value } of readAll(this.#kv, keys.blobUsage(projectId), counter)) {
      const [environment, name] = key.slice(-2).map(String) as [string, Counter];
      const use = found.get(environment) ?? { bytes: 0, objects: 0 };
      const count = Number(value.value) * (name.endsWith("_added") ? 1 : -1);
      use[name.startsWith("bytes") ? "bytes" : "objects"] += count;
      found.set(environment, use);
    }
    return found;
  }

  /** Returns the number of bytes that are recorded for a project. */
  async recordedOf(projectId: string): Promise<number> {
    let total = 0;
    for (const { bytes } of (await this.of(projectId)).values()) total += bytes;
    return total;
  }

  /**
   * Returns the number of bytes that a project uses, including the bytes that this node is
   * receiving.
   */
  async bytesOf(projectId: string): Promise<number> {
    // The incoming bytes are read first, so bytes that are recorded between the two reads count
    // twice rather than not at all.
    const arriving = this.#arriving.get(projectId) ?? 0;
    return arriving + await this.recordedOf(projectId);
  }

  /** Counts `bytes` as arriving while `work` runs. `work` can add more. */
  async whileArriving<T>(
    projectId: string,
    bytes: number,
    work: (add: (more: number) => void) => Promise<T>,
  ): Promise<T> {
    let counted = 0;
    const add = (more: number) => {
      counted += more;
      const total = (this.#arriving.get(projectId) ?? 0) + more;
      if (total === 0) this.#arriving.delete(projectId);
      else this.#arriving.set(projectId, total);
    };
    add(bytes);
    try {
      return await work(add);
    } finally {
      add(-counted);
    }
  }
}
