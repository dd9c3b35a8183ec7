/** The record of a rolling release. Pure. @module */
import * as z from "zod";
import { RELEASE_STATES } from "../../contract/releases.ts";
import { keys, readRecord, RecordType, Table } from "../core/store/mod.ts";
import type { Operation, RecordStore } from "../../store/mod.ts";

const releaseRecord = z.object({
  id: z.string(),
  projectId: z.string(),
  workspaceId: z.string(),
  /** The previous production deployment, and the one that is being released. */
  from: z.string(),
  to: z.string(),
  state: z.enum(RELEASE_STATES),
  reason: z.string().nullable(),
  steps: z.array(z.number()),
  /** The index in `steps` of the current percentage of visitors. */
  step: z.number(),
  everyMs: z.number().nullable(),
  startedAt: z.number(),
  stepStartedAt: z.number(),
  endedAt: z.number().nullable(),
});
export type ReleaseRecord = z.infer<typeof releaseRecord>;

export const releases = new RecordType({
  root: keys.allReleases(),
  schema: releaseRecord,
  parts: ({ projectId, id }) => [projectId, id],
  indices: {
    running: {
      entries: ({ projectId, state }) =>
        state === "RUNNING" ? [keys.runningRelease(projectId)] : [],
      holds: ["projectId", "id"],
      unique: true,
    },
  },
});

/** Returns the percentage of visitors who see the new deployment. */
export const shareOf = ({ steps, step }: ReleaseRecord): number => steps[step]!;

const pointer = z.object({ id: z.string() });

/** Reads a project's current rolling release. */
export async function runningRelease(kv: RecordStore, projectId: string) {
  const entry = await readRecord(kv, keys.runningRelease(projectId), pointer);
  return entry && await readRecord(kv, releases.key(projectId, entry.value.id), releaseRecord);
}

/** Adds the end of the current release to a commit that changes production. */
export async function endRelease(
  kv: RecordStore,
  operation: Operation,
  { projectId, now, state, reason }: {
    readonly projectId: string;
    readonly now: number;
    readonly state: Exclude<ReleaseRecord["state"], "RUNNING">;
    readonly reason: string;
  },
): Promise<void> {
  const running = await runningRelease(kv, projectId);
  if (running === undefined) return;
  releases.replace(operation, running, { ...running.value, state, reason, endedAt: now });
}

export const openReleases = (kv: RecordStore) => new Table(kv, releases);
export type ReleaseTable = ReturnType<typeof openReleases>;
