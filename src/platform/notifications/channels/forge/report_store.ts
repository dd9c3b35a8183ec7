/** The last report to the forge about each deployment, and the reason if it failed. @module */
import * as z from "zod";
import { FORGES } from "../../../../contract/projects.ts";
import { keys, readRecord } from "../../../core/store/mod.ts";
import type { DeploymentRecord } from "../../../deployments/mod.ts";
import type { RecordStore } from "../../../../store/mod.ts";

const KEPT_MS = 180 * 24 * 60 * 60 * 1000;

const reportRecord = z.object({
  forge: z.enum(FORGES),
  repository: z.string(),
  /** The commit's status; `null` before the first success. */
  state: z.string().nullable(),
  /** Hash of the deployment's comment on a pull request. */
  comment: z.string().nullable(),
  /** Why the last report did not reach the forge. */
  problem: z.string().nullable(),
  at: z.number(),
});
export type ReportRecord = z.infer<typeof reportRecord>;

type Place = Pick<DeploymentRecord, "projectId" | "id">;

export class ReportStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  async find({ projectId, id }: Place): Promise<ReportRecord | undefined> {
    return (await readRecord(this.#kv, keys.forgeReport(projectId, id), reportRecord))?.value;
  }

  async save({ projectId, id }: Place, record: ReportRecord): Promise<void> {
    await this.#kv.set(keys.forgeReport(projectId, id), record, { expireIn: KEPT_MS });
  }
}
