/** Pull requests that forges have reported: their branches, and the comments on them. @module */
import * as z from "zod";
import type { Clock } from "../../lib/clock.ts";
import { commitWithRetries, keys, readAll, readRecord } from "../core/store/mod.ts";
import type { RecordStore } from "../../store/mod.ts";

/** How long to keep a pull request after its last change, in milliseconds. */
const KEPT_MS = 180 * 24 * 60 * 60 * 1000;

const pullComment = z.object({
  /** The comment's ID in the forge's API. */
  id: z.string(),
  /** ID of the deployment that the comment shows. IDs sort by time. */
  deploymentId: z.string(),
});
type PullComment = z.infer<typeof pullComment>;

const pullRecord = z.object({
  number: z.number(),
  isOpen: z.boolean(),
  comment: pullComment.nullable(),
  updatedAt: z.number(),
});
export type PullRecord = z.infer<typeof pullRecord>;

interface PullPlace {
  readonly projectId: string;
  readonly branch: string;
}

export class PullStore {
  readonly #kv: RecordStore;
  readonly #now: Clock;

  constructor(kv: RecordStore, now: Clock) {
    this.#kv = kv;
    this.#now = now;
  }

  async find({ projectId, branch }: PullPlace): Promise<PullRecord | undefined> {
    return (await readRecord(this.#kv, keys.pull(projectId, branch), pullRecord))?.value;
  }

  /** Records that a pull request is open, and keeps its comment if one is known. */
  async opened(place: PullPlace, number: number): Promise<void> {
    await this.#change(place, (known) => ({
      number,
      isOpen: true,
      comment: known?.number === number ? known.comment : null,
    }));
  }

  /** Records that a pull request is closed, so it does not get a new comment. */
  async closed(place: PullPlace, number: number): Promise<void> {
    await this.#change(place, (known) => {
      return known?.number === number ? { ...known, isOpen: false } : undefined;
    });
  }

  /**
   * Remembers the comment on a pull request, unless the branch has a different pull request by now.
   */
  async commented(place: PullPlace, number: number, comment: PullComment | null): Promise<void> {
    await this.#change(place, (known) => {
      return known?.number === number ? { ...known, comment } : undefined;
    });
  }

  async removeProject(projectId: string): Promise<void> {
    for await (const { key } of readAll(this.#kv, keys.pulls(projectId), pullRecord)) {
      await this.#kv.delete(key);
    }
  }

  async #change(
    { projectId, branch }: PullPlace,
    change: (known: PullRecord | undefined) => Omit<PullRecord, "updatedAt"> | undefined,
  ): Promise<void> {
    const key = keys.pull(projectId, branch);
    await commitWithRetries(this.#kv, [key], async (operation) => {
      const known = await readRecord(this.#kv, key, pullRecord);
      const changed = change(known?.value);
      operation
        .check({ key, versionstamp: known?.versionstamp ?? null });
      if (changed !== undefined) {
        operation.set(key, { ...changed, updatedAt: this.#now() }, { expireIn: KEPT_MS });
      }
    });
  }
}
