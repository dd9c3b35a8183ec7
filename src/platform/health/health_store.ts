/**
 * Projects' health in Deno KV. The health is stored so a change is not reported again after a
 * restart.
 *
 * @module
 */
import { noteEvent, type RaisedEvent } from "../core/events/mod.ts";
import { keys, readAll } from "../core/store/mod.ts";
import { type HealthRecord, healthRecord } from "./health_record.ts";
import type { Lease, LeasedStore } from "../../store/mod.ts";

export class HealthStore {
  readonly #kv: LeasedStore;

  constructor(kv: LeasedStore) {
    this.#kv = kv;
  }

  async *all(): AsyncGenerator<{ readonly projectId: string; readonly record: HealthRecord }> {
    for await (const { key, value } of readAll(this.#kv, keys.allProjectHealth(), healthRecord)) {
      yield { projectId: String(key.at(-1)), record: value };
    }
  }

  /** Stores a change, with its event in the same commit. */
  async change(
    projectId: string,
    record: HealthRecord,
    event: RaisedEvent,
    lease: Lease,
  ): Promise<void> {
    const operation = this.#kv.atomic().set(keys.projectHealth(projectId), record);
    noteEvent(operation, event);
    await operation.commit(lease);
  }
}
