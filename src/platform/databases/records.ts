/**
 * Records of databases, their branches and their snapshots. Pure.
 *
 * A branch refers to its *storage*: a branch in an engine, which has its own ID. Resetting,
 * restoring and moving create new storage and swap it in with one commit, so a crash leaves either
 * the old or the new storage.
 *
 * @module
 */
import * as z from "zod";
import {
  CU_SIZES,
  DATABASE_ENGINES,
  type DatabaseState,
  MAIN_BRANCH,
} from "../../contract/databases.ts";
import { ENVIRONMENT_PREVIEW } from "../../contract/environment_names.ts";
import { type DatabaseRecipe, databaseRecipe } from "../../lib/database_previews.ts";
import { sealedSecret } from "../core/secrets/mod.ts";

export const storageRecord = z.object({
  engine: z.enum(DATABASE_ENGINES),
  /** 16 hexadecimal digits. */
  id: z.string(),
});
export type StorageRecord = z.infer<typeof storageRecord>;

export const databaseRecord = z.object({
  id: z.string(),
  workspaceId: z.string(),
  projectId: z.string(),
  name: z.string(),
  /** The engine for new branches. */
  engine: z.enum(DATABASE_ENGINES),
  cuSize: z.enum(CU_SIZES),
  autoInject: z.boolean(),
  envVar: z.string(),
  /** Environments whose deployments get the variable; `null` for all environments. */
  environments: z.array(z.string()).nullable(),
  previewBranches: z.boolean(),
  /** Whether the owner has stopped the database. */
  stopped: z.boolean(),
  createdAt: z.number(),
  deletedAt: z.number().nullable(),
});
export type DatabaseRecord = z.infer<typeof databaseRecord>;

/**
 * The source of the content of a branch's storage. The branch and the snapshot are looked up when
 * the work starts.
 */
const sourceRecord = z.discriminatedUnion("type", [
  z.object({ type: z.literal("empty") }),
  z.object({ type: z.literal("branch"), name: z.string() }),
  /** Initial content for a git branch's preview, from the database branch called `name`. */
  z.object({ type: z.literal("preview"), name: z.string(), recipe: databaseRecipe }),
  z.object({ type: z.literal("snapshot"), id: z.string() }),
  /** A branch as it was at a point in time, in milliseconds since 1970. */
  z.object({ type: z.literal("history"), name: z.string(), at: z.number() }),
  /**
   * The branch's own content, for a move to another engine. In the meantime, clients have to wait.
   */
  z.object({ type: z.literal("move") }),
  /** The SQL from a restored backup. `id` is the ID of the original storage. */
  z.object({ type: z.literal("backup"), id: z.string() }),
]);
export type SourceRecord = z.infer<typeof sourceRecord>;

/** Maximum number of entries for previous storage in a branch's record. */
export const MAX_FORMER = 20;

export const branchRecord = z.object({
  /** 16 hexadecimal digits. Stays the same when the storage changes. */
  id: z.string(),
  databaseId: z.string(),
  name: z.string(),
  /** The branch from which this one was copied; `null` for `main`. */
  parent: z.string().nullable(),
  role: z.string(),
  password: sealedSecret,
  /** Verifier for SCRAM-SHA-256, in PostgreSQL's text format. */
  verifier: z.string(),
  /** The current storage; `null` before it is created. */
  storage: storageRecord.nullable(),
  /**
   * Previous storage, oldest first, with the time until which each entry was current. Previous
   * storage contains the branch's history.
   */
  former: z.array(storageRecord.extend({ until: z.number() })).default([]),
  /** The storage that is being created; `null` if there is none. */
  task: z.object({
    target: storageRecord,
    source: sourceRecord,
    /** The process that creates the storage; `null` before one has started. */
    maker: z.string().nullable().default(null),
  }).nullable(),
  /** Why the branch's task failed; `null` if it has not failed. */
  failure: z.string().nullable(),
  /** Whether a task has failed, and none has succeeded since. */
  isFailing: z.boolean().default(false),
  /** The git branch whose previews use this branch. */
  gitBranch: z.string().nullable(),
  /** The deployment settings with which the branch was created, if there were any. */
  recipe: databaseRecipe.nullable().default(null),
  /** Creation time of the newest deployment for which the branch was created or reset. */
  madeFor: z.number().nullable().default(null),
  /**
   * When the branch's first content was ready (and masked, if requested); `null` before that, and
   * in old records.
   */
  madeAt: z.number().nullable().default(null),
  /** The deployment that is migrating the branch, and the time by which it must finish. */
  migration: z.object({
    deploymentId: z.string(),
    until: z.number(),
    /** Digest of the schema before the migration; `null` if unknown. */
    schema: z.string().nullable(),
  }).nullable().default(null),
  createdAt: z.number(),
  resetAt: z.number().nullable(),
  expiresAt: z.number().nullable(),
});
export type BranchRecord = z.infer<typeof branchRecord>;

/** Returns the storage that a branch used at a given time. */
export const storageAt = ({ former, storage }: BranchRecord, at: number): StorageRecord | null =>
  former.find(({ until }) => at < until) ?? storage;

/**
 * Returns the earliest time that can be restored: the branch's first content was ready and masked
 * by then, and the record still names the storage used then.
 *
 * @param since when the engine's history starts
 */
export const restorableSince = (
  { former, madeAt, createdAt }: BranchRecord,
  since: number,
): number =>
  Math.max(since, madeAt ?? createdAt, former.length < MAX_FORMER ? 0 : former[0]!.until);

/** Returns the verb for what a branch's task does, for messages. */
export function taskVerb({ storage, task }: BranchRecord): string {
  const type = task?.source.type;
  if (type === "move") return "move";
  const isRestored = storage !== null && (type === "snapshot" || type === "history");
  if (type === "backup" || isRestored) return "restore";
  return storage === null ? "create" : "reset";
}

export const snapshotRecord = z.object({
  id: z.string(),
  databaseId: z.string(),
  branch: z.string(),
  storage: storageRecord,
  role: z.string(),
  kind: z.enum(["daily", "manual"]),
  /** Whether the snapshot has been created. */
  ready: z.boolean(),
  /** The process that is creating or has created the snapshot. */
  maker: z.string().nullable().default(null),
  sizeBytes: z.number(),
  createdAt: z.number(),
});
export type SnapshotRecord = z.infer<typeof snapshotRecord>;

export const roleRecord = z.object({
  projectId: z.string(),
  databaseId: z.string(),
  branch: z.string(),
});

export interface ShownState {
  readonly state: DatabaseState;
  readonly reason: string | null;
}

export function stateOf(database: DatabaseRecord, branch: BranchRecord): ShownState {
  const { failure, storage, task } = branch;
  if (database.deletedAt !== null) return { state: "deleted", reason: null };
  if (failure !== null && storage === null) return { state: "failed", reason: failure };
  if (database.stopped) {
    return { state: "stopped", reason: "It was stopped. Start it with svc db start" };
  }
  if (storage === null) return { state: "creating", reason: null };
  if (task?.source.type === "move" && failure === null) {
    return { state: "creating", reason: `It is being moved to the engine ${task.target.engine}` };
  }
  return { state: "active", reason: failure };
}

/** Returns the name of the database branch for a git branch's previews. */
export const previewBranchName = (gitBranch: string): string => `preview/${gitBranch}`;

/** Returns whether an environment's deployments get a database's variable. */
export function injectsInto(database: DatabaseRecord, environment: string): boolean {
  const { autoInject, environments, deletedAt } = database;
  return autoInject && deletedAt === null &&
    (environments === null || environments.includes(environment));
}

/**
 * Returns whether a deployment has its own branch of the database. Only previews do, if the
 * database or the deployment's settings call for it.
 */
export function hasPreviewBranch(
  { previewBranches }: DatabaseRecord,
  deployment: { readonly environment: string },
  recipe?: DatabaseRecipe,
): boolean {
  return (previewBranches || recipe !== undefined) &&
    deployment.environment === ENVIRONMENT_PREVIEW;
}

/** Returns a branch's recipe after the branch has received content from a source. */
export function recipeAfter(
  source: SourceRecord,
  { gitBranch, recipe }: Pick<BranchRecord, "gitBranch" | "recipe">,
): BranchRecord["recipe"] {
  if (source.type === "preview") return source.recipe;
  return source.type === "branch" && gitBranch !== null ? null : recipe;
}

/** Returns the source of a preview branch's content. */
export const previewSource = (recipe: DatabaseRecipe | null): SourceRecord =>
  recipe === null
    ? { type: "branch", name: MAIN_BRANCH }
    : { type: "preview", name: MAIN_BRANCH, recipe };
