/** Error groups in the store. All nodes add their counts to the same record. @module */
import { noteEvent, type RaisedEvent } from "../core/events/mod.ts";
import { commitWithRetries, keys, keysBelow, readAll, readRecord } from "../core/store/mod.ts";
import { type ErrorGroup, errorGroup, mergeGroups } from "./error_group.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";

/**
 * Maximum number of error groups to keep per project. Beyond it, those seen least recently are
 * removed.
 */
export const MAX_GROUPS = 500;
/** How long an error group is kept after its last occurrence, in milliseconds. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;

export class ErrorStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /** Adds occurrences to an error group. Stores the event for a new group in the same commit. */
  async add(
    projectId: string,
    group: ErrorGroup,
    eventOfNew: (group: ErrorGroup) => RaisedEvent | undefined,
  ): Promise<{ readonly isNew: boolean; readonly event: RaisedEvent | undefined }> {
    const key = keys.errorGroup(projectId, group.id);
    return await commitWithRetries(this.#kv, [key], async (operation) => {
      const known = await readRecord(this.#kv, key, errorGroup);
      const sum = known === undefined ? group : mergeGroups(known.value, group);
      operation
        .check({ key, versionstamp: known?.versionstamp ?? null })
        .set(key, sum, { expireIn: KEPT_MS });
      const event = known === undefined ? eventOfNew(group) : undefined;
      if (event !== undefined) noteEvent(operation, event);
      return { isNew: known === undefined, event };
    });
  }

  async find(projectId: string, id: string): Promise<ErrorGroup | undefined> {
    return (await readRecord(this.#kv, keys.errorGroup(projectId, id), errorGroup))?.value;
  }

  async list(projectId: string): Promise<ErrorGroup[]> {
    const groups: ErrorGroup[] = [];
    for await (const { value } of readAll(this.#kv, keys.errors(projectId), errorGroup)) {
      groups.push(value);
    }
    return groups.sort((a, b) => b.lastSeen - a.lastSeen || (a.id < b.id ? -1 : 1));
  }

  /** Lists the keys of everything that is stored for a project. */
  keysOf(projectId: string): AsyncGenerator<RecordKey> {
    return keysBelow(this.#kv, keys.errors(projectId));
  }

  /** Removes the least recently seen error groups if there are too many. */
  async trim(projectId: string): Promise<void> {
    const excess = (await this.list(projectId)).slice(MAX_GROUPS);
    for (const { id } of excess) await this.#kv.delete(keys.errorGroup(projectId, id));
  }
}
