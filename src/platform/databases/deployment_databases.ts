/**
 * The databases of a deployment: what its servers, builds and functions get.
 *
 * @module
 */
import { MAIN_BRANCH } from "../../contract/databases.ts";
import type { BranchAccess } from "../../database/mod.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { RecordedBranches } from "./branch_access.ts";
import type { BranchService } from "./branch_service.ts";
import type { DatabaseService, DatabaseServices } from "./database_service.ts";
import type { DoorAddress } from "./database_door.ts";
import { previewBranch } from "./preview_branches.ts";
import {
  type BranchRecord,
  type DatabaseRecord,
  hasPreviewBranch,
  injectsInto,
  previewBranchName,
} from "./records.ts";

/** Whose databases they are. */
export interface DatabaseUser {
  readonly projectId: string;
  /** Name of the environment. */
  readonly environment: string;
  /** Branch in git. */
  readonly branch: string;
}

/** The database variables of a server or build. */
export interface InjectedDatabases {
  /** Connection strings; variables that the project sets itself go before these. */
  readonly variables: Readonly<Record<string, string>>;
  /** Addresses of the listeners; empty without databases. */
  readonly addresses: readonly DoorAddress[];
  /** Equal for as long as the connection strings are. */
  readonly identity: string;
}

/** A database as a deployment has it. */
interface UsedBranch {
  readonly database: DatabaseRecord;
  readonly branch: BranchRecord;
}

/** A value that changes with the connection strings, but contains none of their secrets. */
const identityOf = (used: readonly UsedBranch[]): string =>
  JSON.stringify(
    used.map(({ database: { envVar }, branch: { role, verifier } }) => [envVar, role, verifier]),
  );

const NOTHING: InjectedDatabases = { variables: {}, addresses: [], identity: identityOf([]) };

/** The identity of databases of which a branch is to be made first. */
const UNMADE = "unmade";

/** The database of a deployment cannot be had; the message is for whoever deploys. */
export class DatabaseNotReadyError extends Error {
  override readonly name = "DatabaseNotReadyError";
}

/** The branch of a database that a deployment uses. */
const branchNameFor = (database: DatabaseRecord, user: DatabaseUser): string =>
  hasPreviewBranch(database, user) ? previewBranchName(user.branch) : MAIN_BRANCH;

type DeploymentDatabasesServices = DatabaseServices & {
  readonly databaseService: DatabaseService;
  readonly branchService: BranchService;
  readonly directory: RecordedBranches;
};

export class DeploymentDatabases {
  readonly #services: DeploymentDatabasesServices;

  constructor(services: DeploymentDatabasesServices) {
    this.#services = services;
  }

  /**
   * The connection strings of a deployment. Makes the branches of its preview
   * where they are missing.
   *
   * @throws {DatabaseNotReadyError} where one is wanted and cannot be had
   */
  async injectedInto(user: DatabaseUser): Promise<InjectedDatabases> {
    const databases = await this.#injected(user);
    if (databases.length === 0) return NOTHING;
    const { door, databaseService } = this.#services;
    const variables: Record<string, string> = {};
    const used: UsedBranch[] = [];
    try {
      const { servers } = door.open();
      for (const database of databases) {
        const branch = await this.#branchOf(database, user);
        const { url } = await databaseService.connectionAt(database, branch, servers);
        variables[database.envVar] = url;
        used.push({ database, branch });
      }
      return { variables, addresses: [servers], identity: identityOf(used) };
    } catch (error) {
      if (error instanceof DatabaseNotReadyError) throw error;
      throw new DatabaseNotReadyError(`its database cannot be used: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /**
   * The branch that functions of a deployment query: that of its first database.
   *
   * @throws {DatabaseNotReadyError} where it cannot be had
   */
  async accessFor(user: DatabaseUser): Promise<BranchAccess | undefined> {
    const [database] = await this.#injected(user);
    if (database === undefined) return undefined;
    const branch = await this.#branchOf(database, user);
    return await this.#services.directory.accessTo(database, branch);
  }

  /**
   * The `identity` of what `injectedInto()` would return, without making anything;
   * `undefined` while it cannot be had.
   */
  async identityFor(user: DatabaseUser): Promise<string | undefined> {
    const used: UsedBranch[] = [];
    for (const database of await this.#injected(user)) {
      const branch = await this.#services.branches.get(database.id, branchNameFor(database, user));
      if (branch === undefined) return UNMADE;
      if (branch.storage === null) return undefined;
      used.push({ database, branch });
    }
    return identityOf(used);
  }

  /** The databases of a deployment, the oldest for each variable. */
  async #injected({ projectId, environment }: DatabaseUser): Promise<DatabaseRecord[]> {
    const wanted = (await this.#services.databases.list(projectId))
      .filter((database) => injectsInto(database, environment));
    const names = new Set<string>();
    return wanted.filter(({ envVar }) => !names.has(envVar) && names.add(envVar));
  }

  async #branchOf(database: DatabaseRecord, user: DatabaseUser): Promise<BranchRecord> {
    const { branches, branchService } = this.#services;
    const branch = hasPreviewBranch(database, user)
      ? await previewBranch(database, user.branch, { branches, branchService })
      : await branches.get(database.id, MAIN_BRANCH);
    if (branch?.storage) return branch;
    const where = branch === undefined ? database.name : `${database.name}, ${branch.name}`;
    throw new DatabaseNotReadyError(
      `its database (${where}) ${
        branch?.failure ? `failed: ${branch.failure}` : "is still being created: try again later"
      }`,
    );
  }
}
