/** The audit log of each workspace, with an entry for every change that took effect. @module */
import * as z from "zod";
import {
  AUDIT_CREDENTIALS,
  AUDIT_DAYS,
  AUDIT_ENTRIES,
  type AuditEntry,
} from "../../contract/audit.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { deleteKeys, keys, type Page } from "../core/store/mod.ts";
import { summaryOf } from "./recorded_operations.ts";
import type { RecordKey, RecordStore } from "../../store/mod.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

const MAX_LOOKED_THROUGH = 5000;

const auditRecord = z.object({
  id: z.string(),
  at: z.number(),
  action: z.string(),
  path: z.string(),
  project: z.string().nullable(),
  user: z.object({ id: z.string(), name: z.string() }).nullable(),
  credential: z.object({ type: z.enum(AUDIT_CREDENTIALS), id: z.string(), name: z.string() }),
  target: z.object({ id: z.string().nullable(), name: z.string().nullable() }).nullable()
    .default(null),
  changes: z.array(z.object({
    field: z.string(),
    from: z.string().nullable(),
    to: z.string().nullable(),
  })).readonly().default([]),
  address: z.string(),
  requestId: z.string().nullable(),
});
type AuditRecord = z.infer<typeof auditRecord>;

export type AuditedChange = Omit<AuditRecord, "id" | "at"> & { readonly workspaceId: string };

export interface AuditSelection {
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly user?: string | undefined;
  readonly action?: string | undefined;
  /** IDs and names of a project. An entry has either, as its request did. */
  readonly projects?: readonly string[] | undefined;
}

const fits = (record: AuditRecord, { user, action, projects }: AuditSelection): boolean =>
  (user === undefined || record.user?.id === user) &&
  (action === undefined || record.action === action) &&
  (projects === undefined || (record.project !== null && projects.includes(record.project)));

const toWire = (record: AuditRecord): AuditEntry => ({
  ...record,
  changes: [...record.changes],
  at: new Date(record.at).toISOString(),
  summary: summaryOf(record.action),
});

interface AuditLogParts {
  readonly kv: RecordStore;
  readonly now: Clock;
  readonly random: Random;
  onTrouble(message: string): void;
  readonly maxEntries?: number;
}

export class AuditLog {
  /** Workspaces whose logs have grown since housekeeping last ran. */
  readonly #grown = new Set<string>();

  readonly #parts: AuditLogParts;

  constructor(parts: AuditLogParts) {
    this.#parts = parts;
  }

  /**
   * Records a change, and resolves when the entry has been stored. The change has already taken
   * effect, so failures are reported only to the operator.
   */
  async record({ workspaceId, ...change }: AuditedChange): Promise<void> {
    const { kv, now, random, onTrouble } = this.#parts;
    const record: AuditRecord = { ...change, id: uuidV7(now, random), at: now() };
    try {
      await kv.set(keys.auditEntry(workspaceId, record.id), record, {
        expireIn: AUDIT_DAYS * DAY_MS,
      });
      this.#grown.add(workspaceId);
    } catch (error) {
      const { action, path, user, credential, requestId } = record;
      onTrouble(
        `Cannot record ${action} ${path} by ${user?.name ?? credential.name} in the audit log ` +
          `(request ${requestId ?? "unknown"}): ${
            error instanceof Error ? error.message : String(error)
          }`,
      );
    }
  }

  async list(workspaceId: string, selection: AuditSelection): Promise<Page<AuditEntry>> {
    const prefix = keys.audit(workspaceId);
    const { limit, cursor } = selection;
    const selector = cursor === undefined ? { prefix } : { prefix, end: [...prefix, cursor] };
    const items: AuditEntry[] = [];
    let looked = 0;
    let lastId = "";
    const options = { limit: MAX_LOOKED_THROUGH + 1, reverse: true };
    for await (const { key, value } of this.#parts.kv.list(selector, options)) {
      if (items.length === limit || looked === MAX_LOOKED_THROUGH) {
        return { items, nextCursor: lastId };
      }
      const record = auditRecord.parse(value);
      if (fits(record, selection)) items.push(toWire(record));
      lastId = String(key.at(-1));
      looked++;
    }
    return { items, nextCursor: null };
  }

  /** Removes the oldest entries from logs that this node has filled beyond their limit. */
  async trim(signal: AbortSignal): Promise<number> {
    const { kv, maxEntries = AUDIT_ENTRIES } = this.#parts;
    let removed = 0;
    async function* tooOld(workspaceId: string): AsyncGenerator<RecordKey> {
      let count = 0;
      for await (const { key } of kv.list({ prefix: keys.audit(workspaceId) }, { reverse: true })) {
        if (signal.aborted) return;
        if (++count <= maxEntries) continue;
        removed++;
        yield key;
      }
    }
    for (const workspaceId of [...this.#grown]) {
      if (signal.aborted) break;
      this.#grown.delete(workspaceId);
      await deleteKeys(kv, tooOld(workspaceId));
    }
    return removed;
  }
}
