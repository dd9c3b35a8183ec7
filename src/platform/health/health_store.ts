/**
 * The health of projects in Deno KV, so that a restart does not report it
 * twice.
 *
 * @module
 */
import { keys, readAll } from "../core/store/mod.ts";
import { type HealthRecord, healthRecord } from "./health_record.ts";

export class HealthStore {
  constructor(private readonly kv: Deno.Kv) {}

  async *all(): AsyncGenerator<{ readonly projectId: string; readonly record: HealthRecord }> {
    for await (const { key, value } of readAll(this.kv, keys.allProjectHealth(), healthRecord)) {
      yield { projectId: String(key.at(-1)), record: value };
    }
  }

  async set(projectId: string, record: HealthRecord): Promise<void> {
    await this.kv.set(keys.projectHealth(projectId), record);
  }
}
