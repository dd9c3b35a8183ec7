/**
 * Migrations of deployments' databases. They run one at a time, and their changes are recorded.
 *
 * @module
 */
import { MAIN_BRANCH } from "../../contract/databases.ts";
import { ENVIRONMENT_PREVIEW } from "../../contract/environment_names.ts";
import { MAX_NAMED_CHANGES, type SchemaDifference } from "../../contract/schema_difference.ts";
import { EngineError } from "../../database/mod.ts";
import type { Clock } from "../../lib/clock.ts";
import { MIGRATION_MS } from "../../lib/database_previews.ts";
import { sha256Hex } from "../../lib/hash.ts";
import type { RecordedBranches } from "./branch_access.ts";
import type { BranchStore } from "./branch_store.ts";
import type { DatabaseDoor } from "./database_door.ts";
import type { DatabaseUser, DeploymentDatabases, VariablesUser } from "./deployment_databases.ts";
import type { BranchRecord, DatabaseRecord } from "./records.ts";
import { diffSchemas, readSchema, type Schema } from "./schema_diff.ts";

/**
 * Maximum length of an object's name in a deployment's record, in characters. The names of
 * functions include their arguments.
 */
const MAX_CHANGE_NAME = 300;
/** Maximum time for reading a schema, in milliseconds. */
const SCHEMA_MS = 15_000;

interface MigrationParts {
  readonly deploymentDatabases: Pick<DeploymentDatabases, "subject">;
  readonly branches: Pick<BranchStore, "get" | "update">;
  readonly directory: Pick<RecordedBranches, "accessTo">;
  readonly door: Pick<DatabaseDoor, "connect">;
  readonly now: Clock;
}

interface UsedBranch {
  readonly database: DatabaseRecord;
  readonly branch: BranchRecord;
}

export class DatabaseMigrations {
  readonly #parts: MigrationParts;

  constructor(parts: MigrationParts) {
    this.#parts = parts;
  }

  /**
   * Reserves the database for a migration. Returns `false` while another deployment has reserved
   * the database.
   */
  async beginMigration(user: VariablesUser): Promise<boolean> {
    const migrated = await this.#migrated(user);
    if (migrated === undefined) return true;
    const { now, branches } = this.#parts;
    const schema = await this.#digestOf(migrated);
    let isTaken = true;
    await branches.update(migrated.branch, (current) => {
      const { migration } = current;
      isTaken = migration === null || migration.deploymentId === user.id ||
        migration.until <= now();
      return isTaken
        ? { ...current, migration: { deploymentId: user.id, until: now() + MIGRATION_MS, schema } }
        : current;
    });
    return isTaken;
  }

  /** Releases the database. Returns whether its schema has changed. */
  async endMigration(user: VariablesUser): Promise<boolean> {
    const migrated = await this.#migrated(user);
    const { migration } = migrated?.branch ?? {};
    if (migrated === undefined || migration?.deploymentId !== user.id) return false;
    await this.#parts.branches.update(
      migrated.branch,
      (current) =>
        current.migration?.deploymentId === user.id ? { ...current, migration: null } : current,
    );
    const schema = await this.#digestOf(migrated);
    return schema !== null && migration.schema !== null && schema !== migration.schema;
  }

  /** Finds the branch that a deployment migrates, if there is one. */
  async #migrated(user: VariablesUser): Promise<UsedBranch | undefined> {
    if (user.database?.migrate === undefined) return undefined;
    const subject = await this.#parts.deploymentDatabases.subject(user);
    if (subject === undefined) return undefined;
    const { database } = subject;
    const branch = await this.#parts.branches.get(database.id, subject.branch);
    return branch && { database, branch };
  }

  /** Reads a branch's schema; `undefined` if it cannot be read now. */
  async #schemaOf({ database, branch }: UsedBranch): Promise<Schema | undefined> {
    const { directory, door } = this.#parts;
    try {
      const access = await directory.accessTo(database, branch);
      if (access === undefined || access.refusal !== undefined) return undefined;
      return await readSchema(await door.connect(access), AbortSignal.timeout(SCHEMA_MS));
    } catch (error) {
      if (error instanceof EngineError) return undefined;
      throw error;
    }
  }

  async #digestOf(used: UsedBranch): Promise<string | null> {
    const schema = await this.#schemaOf(used);
    return schema === undefined ? null : sha256Hex(JSON.stringify([...schema].sort()));
  }

  /** Returns how a preview's branch differs from `main`; `undefined` if unknown. */
  async schemaDifference(user: DatabaseUser): Promise<SchemaDifference | undefined> {
    if (user.environment !== ENVIRONMENT_PREVIEW) return undefined;
    const { deploymentDatabases, branches } = this.#parts;
    const subject = await deploymentDatabases.subject(user);
    if (subject === undefined || subject.branch === MAIN_BRANCH) return undefined;
    const { database, branch: name } = subject;
    const [branch, main] = [
      await branches.get(database.id, name),
      await branches.get(database.id, MAIN_BRANCH),
    ];
    const before = main && await this.#schemaOf({ database, branch: main });
    const after = branch && await this.#schemaOf({ database, branch });
    if (before === undefined || after === undefined) return undefined;
    const changes = diffSchemas(before, after);
    return {
      database: database.name,
      branch: name,
      changes: changes.slice(0, MAX_NAMED_CHANGES)
        .map(({ change, kind, name }) => ({
          change,
          kind,
          name: name.slice(0, MAX_CHANGE_NAME).toWellFormed(),
        })),
      total: changes.length,
    };
  }
}
