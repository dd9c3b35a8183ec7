/** A deployment's databases, for its servers, builds and functions. @module */
import { MAIN_BRANCH } from "../../contract/databases.ts";
import { ENVIRONMENT_PREVIEW } from "../../contract/environment_names.ts";
import type { BranchAccess } from "../../database/mod.ts";
import type { DatabaseRecipe } from "../../lib/database_previews.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { DatabaseSettings } from "../../manifest/mod.ts";
import { Failure } from "../core/http/mod.ts";
import { DatabaseNotReadyError, type DeploymentStore } from "../deployments/mod.ts";
import type { RecordedBranches } from "./branch_access.ts";
import type { BranchService } from "./branch_service.ts";
import type { DatabaseService, DatabaseServices } from "./database_service.ts";
import type { DoorAddress } from "./database_door.ts";
import { preparePreviewBranch, previewBranch } from "./preview_branches.ts";
import { databasesIn, fillSnapshot, type VariableService } from "../variables/mod.ts";
import {
  type BranchRecord,
  type DatabaseRecord,
  hasPreviewBranch,
  injectsInto,
  previewBranchName,
} from "./records.ts";

export interface DatabaseUser {
  readonly projectId: string;
  readonly environment: string;
  readonly branch: string;
  /** How to create the deployment's preview branch. */
  readonly database?: DatabaseSettings | undefined;
}

export interface VariablesUser extends DatabaseUser {
  readonly id: string;
}

interface DeploymentVariables {
  /** The project's variables, with resolved references. */
  readonly own: Readonly<Record<string, string>>;
  /**
   * Names of the project's variables that contain a connection string, even if they are plain
   * variables.
   */
  readonly secret: readonly string[];
  /** Connection strings. Variables that the project sets itself override these. */
  readonly databases: Readonly<Record<string, string>>;
  /** Addresses of the listeners; empty if there are no databases. */
  readonly addresses: readonly DoorAddress[];
  /** Changes when the connection strings change. */
  readonly identity: string;
}

interface UsedBranch {
  readonly database: DatabaseRecord;
  readonly branch: BranchRecord;
}

/** Returns a value that changes with the connection strings, but contains none of their secrets. */
const identityOf = (used: readonly UsedBranch[]): string =>
  JSON.stringify(
    used.map(({ database: { envVar }, branch: { role, verifier } }) => [envVar, role, verifier]),
  );

/** The identity of databases while one of their branches has yet to be created. */
const UNMADE = "unmade";

/**
 * Returns how to create a preview's branch; `undefined` if the settings do not define this. A
 * preview with migrations needs its own branch, to protect production.
 */
function recipeOf({ preview, reset, mask, migrate }: DatabaseSettings): DatabaseRecipe | undefined {
  if ((preview ?? reset ?? mask ?? migrate) === undefined) return undefined;
  return { preview: preview ?? "copy", mask: mask ?? {} };
}

/** Finds the database to which a deployment's settings apply. */
function subjectOf(
  databases: readonly DatabaseRecord[],
  { environment, database: settings }: Pick<DatabaseUser, "environment" | "database">,
): DatabaseRecord | undefined {
  const wanted = settings?.name;
  return wanted === undefined
    ? databases.find((database) => injectsInto(database, environment)) ?? databases[0]
    : databases.find(({ id, name }) => id === wanted || name === wanted);
}

type DeploymentDatabasesServices = DatabaseServices & {
  readonly snapshots: Pick<VariableService, "openSnapshot">;
  readonly databaseService: DatabaseService;
  readonly branchService: BranchService;
  /** Like `branchService`, but waits long enough for copies of large databases. */
  readonly patientBranches: BranchService;
  readonly directory: RecordedBranches;
  readonly deployments: Pick<DeploymentStore, "find">;
};

export class DeploymentDatabases {
  readonly #services: DeploymentDatabasesServices;

  constructor(services: DeploymentDatabasesServices) {
    this.#services = services;
  }

  /**
   * Prepares a preview's branch. Never leaves an unmasked branch behind.
   *
   * @throws {DatabaseNotReadyError}
   */
  async prepare(user: VariablesUser): Promise<void> {
    const { database: settings, environment, projectId, branch: gitBranch } = user;
    const recipe = settings && recipeOf(settings);
    if (settings === undefined || environment !== ENVIRONMENT_PREVIEW) return;
    const { databases, branches, patientBranches, deployments } = this.#services;
    const all = await databases.list(projectId);
    const subject = subjectOf(all, user);
    if (subject === undefined) {
      if (settings.name === undefined) return;
      throw new DatabaseNotReadyError(
        `svc.toml sets the database "${settings.name}" in [db], but the project has no such ` +
          `database`,
      );
    }
    if (!hasPreviewBranch(subject, user, recipe)) return;
    const deployment = await deployments.find(projectId, user.id);
    if (deployment === undefined) return;
    try {
      await preparePreviewBranch(subject, {
        gitBranch,
        recipe: recipe ?? null,
        madeFor: deployment.createdAt,
        // A copy of a deployment has no folder from which to run migrations.
        resets: settings.reset === "deploy" && deployment.redeployOf === null,
      }, { branches, branchService: patientBranches });
    } catch (error) {
      const branch = previewBranchName(gitBranch);
      throw new DatabaseNotReadyError(
        `Branch "${branch}" of database "${subject.name}" was not created: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  /**
   * Finds the database to which a deployment's settings apply, and the branch that the deployment
   * uses.
   */
  async subject(
    user: DatabaseUser,
  ): Promise<{ readonly database: DatabaseRecord; readonly branch: string } | undefined> {
    const database = subjectOf(await this.#services.databases.list(user.projectId), user);
    return database && { database, branch: await this.#branchName(database, user) };
  }

  /**
   * Returns connection strings for a command that runs outside this platform, keyed by variable
   * name.
   */
  async connections(user: VariablesUser): Promise<Readonly<Record<string, string>>> {
    const { databaseService } = this.#services;
    const urls: Record<string, string> = {};
    for (const database of await this.#injected(user)) {
      const { name } = await this.#branchOf(database, user);
      urls[database.envVar] = (await databaseService.connection(database, name)).url;
    }
    return urls;
  }

  /**
   * Returns a deployment's variables. Creates a preview's missing branches. @throws
   * {DatabaseNotReadyError | ReferencesError}
   */
  async openVariables(user: VariablesUser): Promise<DeploymentVariables> {
    const { snapshots, door } = this.#services;
    const snapshot = await snapshots.openSnapshot(user.id);
    const injected = await this.#injected(user);
    const referred = await this.#referred(user, snapshot.databases);
    const missing = snapshot.databases.find((wanted) =>
      !referred.some(({ name }) => name === wanted)
    );
    if (missing !== undefined) {
      throw new DatabaseNotReadyError(
        `a variable refers to \${{db.${missing}.url}}, but the database was deleted`,
      );
    }
    const wanted = [...injected, ...referred];
    if (wanted.length === 0) {
      const own = fillSnapshot(snapshot, {});
      return { own, secret: [], databases: {}, addresses: [], identity: identityOf([]) };
    }
    try {
      const { servers } = door.open();
      const used: UsedBranch[] = [];
      const urls = new Map<string, string>();
      for (const database of wanted) {
        const branch = await this.#branchOf(database, user);
        urls.set(database.id, await this.#urlOf({ database, branch }));
        used.push({ database, branch });
      }
      const named = (name: (database: DatabaseRecord) => string, of: readonly DatabaseRecord[]) =>
        Object.fromEntries(of.map((database) => [name(database), urls.get(database.id)!]));
      return {
        own: fillSnapshot(snapshot, named(({ name }) => name, referred)),
        secret: snapshot.unfilled,
        databases: named(({ envVar }) => envVar, injected),
        addresses: [servers],
        identity: identityOf(used),
      };
    } catch (error) {
      if (error instanceof DatabaseNotReadyError) throw error;
      throw new DatabaseNotReadyError(`its database cannot be used: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }

  /**
   * Returns the project's variables. A reference to an unavailable database resolves to an empty
   * string, so the site still opens.
   */
  async ownVariables(user: VariablesUser): Promise<Readonly<Record<string, string>>> {
    const { snapshots, branches } = this.#services;
    const snapshot = await snapshots.openSnapshot(user.id);
    const connections: Record<string, string> = {};
    for (const database of await this.#referred(user, snapshot.databases)) {
      const branch = await branches.get(database.id, await this.#branchName(database, user));
      if (branch?.storage) connections[database.name] = await this.#urlOf({ database, branch });
    }
    return fillSnapshot(snapshot, connections);
  }

  /**
   * Returns all current variables, so their values can be masked in logs. Creates nothing.
   *
   * @throws {ReferencesError}
   */
  async currentVariables(user: VariablesUser): Promise<Readonly<Record<string, string>>> {
    const injected: Record<string, string> = {};
    for (const database of await this.#injected(user)) {
      const name = await this.#branchName(database, user);
      const branch = await this.#services.branches.get(database.id, name);
      if (branch?.storage) injected[database.envVar] = await this.#urlOf({ database, branch });
    }
    return { ...injected, ...await this.ownVariables(user) };
  }

  /**
   * Returns the connection string for a developer's computer: for the branch of the developer's
   * previews if there is one, otherwise for `main`.
   *
   * @throws {Failure}
   */
  async connectionFor(
    user: Pick<DatabaseUser, "projectId" | "environment"> & {
      readonly branch: string | undefined;
    },
    name: string,
  ): Promise<string> {
    const { databaseService, branches } = this.#services;
    const [database] = await this.#referred(user, [name]);
    if (database === undefined) {
      throw new Failure("conflict", `Cannot connect to database "${name}": it was deleted`);
    }
    const preview = user.branch !== undefined && user.environment === ENVIRONMENT_PREVIEW
      ? await branches.get(database.id, previewBranchName(user.branch))
      : undefined;
    // The git branch's deployments may have requested the database branch in their settings.
    const isUsed = preview !== undefined && (database.previewBranches || preview.recipe !== null);
    const shown = isUsed ? preview.name : MAIN_BRANCH;
    return (await databaseService.connection(database, shown)).url;
  }

  /**
   * Returns the branch that functions use, in the first database.
   *
   * @throws {DatabaseNotReadyError}
   */
  async accessFor(user: DatabaseUser): Promise<BranchAccess | undefined> {
    const [database] = await this.#injected(user);
    if (database === undefined) return undefined;
    const branch = await this.#branchOf(database, user);
    return await this.#services.directory.accessTo(database, branch);
  }

  /**
   * Returns the `identity` that `openVariables()` would return; `undefined` while it is
   * unavailable.
   */
  async identityFor(
    user: DatabaseUser & {
      /** The references in the deployment's variables. */
      readonly references?: readonly { readonly reference: string }[] | undefined;
    },
  ): Promise<string | undefined> {
    const used: UsedBranch[] = [];
    const words = (user.references ?? []).map(({ reference }) => `\${{${reference}}}`);
    const referred = await this.#referred(user, databasesIn(words));
    for (const database of [...await this.#injected(user), ...referred]) {
      const name = await this.#branchName(database, user);
      const branch = await this.#services.branches.get(database.id, name);
      if (branch === undefined) return UNMADE;
      if (branch.storage === null) return undefined;
      used.push({ database, branch });
    }
    return identityOf(used);
  }

  /** Lists the databases that a deployment gets: the oldest one for each variable. */
  async #injected({ projectId, environment }: DatabaseUser): Promise<DatabaseRecord[]> {
    const wanted = (await this.#services.databases.list(projectId))
      .filter((database) => injectsInto(database, environment));
    const names = new Set<string>();
    return wanted.filter(({ envVar }) => !names.has(envVar) && names.add(envVar));
  }

  /** Finds those of the project's databases that have the given names. */
  async #referred(
    { projectId }: Pick<DatabaseUser, "projectId">,
    names: readonly string[],
  ): Promise<DatabaseRecord[]> {
    if (names.length === 0) return [];
    return (await this.#services.databases.list(projectId))
      .filter(({ name }) => names.includes(name));
  }

  /**
   * Returns how a deployment's settings define the branch of a database; `undefined` if they do
   * not.
   */
  async #recipeFor(
    { id }: DatabaseRecord,
    user: DatabaseUser,
  ): Promise<DatabaseRecipe | undefined> {
    const recipe = user.database && recipeOf(user.database);
    if (recipe === undefined) return undefined;
    const subject = subjectOf(await this.#services.databases.list(user.projectId), user);
    return subject?.id === id ? recipe : undefined;
  }

  /** Returns the branch of a database that a deployment uses. */
  async #branchName(database: DatabaseRecord, user: DatabaseUser): Promise<string> {
    return hasPreviewBranch(database, user, await this.#recipeFor(database, user))
      ? previewBranchName(user.branch)
      : MAIN_BRANCH;
  }

  async #urlOf({ database, branch }: UsedBranch): Promise<string> {
    const { door, databaseService } = this.#services;
    const { servers } = door.open();
    return (await databaseService.connectionAt(database, branch, servers)).url;
  }

  async #branchOf(database: DatabaseRecord, user: DatabaseUser): Promise<BranchRecord> {
    const { branches, branchService } = this.#services;
    const recipe = await this.#recipeFor(database, user);
    const branch = hasPreviewBranch(database, user, recipe)
      ? await previewBranch(
        database,
        { gitBranch: user.branch, recipe: recipe ?? null },
        { branches, branchService },
      )
      : await branches.get(database.id, MAIN_BRANCH);
    if (branch?.storage) return branch;
    const where = branch === undefined ? database.name : `${database.name}, ${branch.name}`;
    const state = branch?.failure
      ? `failed: ${branch.failure}`
      : "is still being created: try again later";
    throw new DatabaseNotReadyError(`its database (${where}) ${state}`);
  }
}
