/** Creates, changes, stops, deletes and restores databases. @module */
import type { BodyOf } from "../../contract/endpoint.ts";
import {
  connectionUrl,
  type DatabaseAddress,
  type DatabaseConnection,
  MAIN_BRANCH,
} from "../../contract/databases.ts";
import type { endpoints } from "../../contract/endpoints.ts";
import type { EngineKind } from "../../database/mod.ts";
import { uuidV7 } from "../../lib/ids.ts";
import type { Foundation } from "../core/foundation.ts";
import { Failure } from "../core/http/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";
import { engineBranch } from "./branch_access.ts";
import type { BranchStore } from "./branch_store.ts";
import type { BranchWork } from "./branch_work.ts";
import type { DatabaseDoor, DoorAddress } from "./database_door.ts";
import type { DatabaseStore } from "./database_store.ts";
import { type Engines, toFailureOfEngine } from "./engines.ts";
import { mintBranch, mintId, passwordPlace } from "./names.ts";
import { type BranchRecord, type DatabaseRecord, stateOf } from "./records.ts";
import { GRACE_MS, MAX_DATABASES } from "./sizes.ts";

export interface DatabaseServices extends Pick<Foundation, "box" | "nodes" | "now" | "random"> {
  readonly databases: DatabaseStore;
  readonly branches: BranchStore;
  readonly engines: Engines;
  readonly door: DatabaseDoor;
  readonly work: BranchWork;
  /** Called when the databases of a project's deployments may have changed. */
  changed(projectId: string): Promise<void>;
}

type NewDatabase = BodyOf<typeof endpoints.createDatabase>;
type Changes = BodyOf<typeof endpoints.updateDatabase>;

const gone = (name: string) => new Failure("not_found", `Database "${name}" was deleted`);

/** Returns whether a branch has a task that has not failed. */
const isBusy = ({ task, failure }: BranchRecord): boolean => task !== null && failure === null;

const addressOf = (
  { name: database }: DatabaseRecord,
  { role: user, name: branch }: BranchRecord,
  { host, port, encrypts = false }: DoorAddress,
): DatabaseAddress => ({ host, port, user, database, branch, encrypts });

export class DatabaseService {
  readonly #services: DatabaseServices;

  constructor(services: DatabaseServices) {
    this.#services = services;
  }

  async require(project: ProjectRecord, reference: string): Promise<DatabaseRecord> {
    const database = await this.#services.databases.find(project.id, reference);
    if (database === undefined || database.deletedAt !== null) {
      const hint = database === undefined ? "does not exist" : "is deleted";
      throw new Failure(
        "not_found",
        `Database "${reference}" ${hint} in project "${project.name}"`,
      );
    }
    return database;
  }

  async requireBranch(database: DatabaseRecord, name: string): Promise<BranchRecord> {
    const branch = await this.#services.branches.get(database.id, name);
    if (branch !== undefined) return branch;
    throw new Failure(
      "not_found",
      `Branch "${name}" of database "${database.name}" does not exist`,
    );
  }

  /** Records a database, and starts creating its `main` branch. */
  async create(project: ProjectRecord, wanted: NewDatabase): Promise<DatabaseRecord> {
    const { databases, engines, door, work, now, random } = this.#services;
    const engine = wanted.engine ?? engines.usual;
    this.#requireEngine(engine);
    door.open();
    const database: DatabaseRecord = {
      id: uuidV7(now, random),
      workspaceId: project.workspaceId,
      projectId: project.id,
      name: wanted.name,
      engine,
      cuSize: wanted.cuSize,
      autoInject: wanted.autoInject,
      envVar: wanted.envVar,
      environments: null,
      previewBranches: false,
      stopped: false,
      createdAt: now(),
      deletedAt: null,
    };
    const main = await mintBranch(this.#services, database, {
      name: MAIN_BRANCH,
      parent: null,
      source: { type: "empty" },
    });
    switch (await databases.create(database, main)) {
      case "no project":
        throw new Failure("not_found", `Project "${project.name}" was deleted`);
      case "name taken":
        throw new Failure("conflict", `Database "${wanted.name}" already exists`);
      case "too many":
        throw tooMany(project);
      case "created":
        void work.run(database, MAIN_BRANCH);
        return database;
    }
  }

  /** Changes settings. A new size takes effect when a branch is restarted. */
  async update(database: DatabaseRecord, changes: Changes): Promise<DatabaseRecord> {
    const { databases } = this.#services;
    const updated = await databases.update(database, (current) => ({ ...current, ...changes }));
    if (updated === undefined) throw gone(database.name);
    await this.#services.changed(updated.projectId);
    if (updated.cuSize !== database.cuSize) await this.#stopBranches(updated, { onlyIdle: true });
    return updated;
  }

  /** Lets clients connect again, and retries failed work. */
  async start(database: DatabaseRecord): Promise<DatabaseRecord> {
    const { databases, branches, door, work } = this.#services;
    door.open();
    const started = await databases.update(database, (current) => ({ ...current, stopped: false }));
    if (started === undefined) throw gone(database.name);
    for (const branch of await branches.list(database.id)) {
      if (branch.task === null) continue;
      await branches.update(branch, (current) => ({ ...current, failure: null }));
      void work.run(database, branch.name);
    }
    return started;
  }

  async stop(database: DatabaseRecord): Promise<DatabaseRecord> {
    const { databases } = this.#services;
    const stopped = await databases.update(database, (current) => ({ ...current, stopped: true }));
    if (stopped === undefined) throw gone(database.name);
    await this.#stopBranches(stopped);
    return stopped;
  }

  async delete(database: DatabaseRecord): Promise<DatabaseRecord> {
    const { databases, now } = this.#services;
    const deleted = await databases.delete(database, now());
    await this.#services.changed(deleted.projectId);
    await this.#stopBranches(deleted);
    return deleted;
  }

  /** Restores a deleted database of the project, or one that `isOrphaned` accepts. */
  async undelete(
    project: ProjectRecord,
    reference: string,
    isOrphaned: (database: DatabaseRecord) => Promise<boolean>,
  ): Promise<DatabaseRecord> {
    const { databases, door, branches, work } = this.#services;
    const found = await this.#findDeleted(project, reference, isOrphaned);
    if (found === undefined) {
      const days = GRACE_MS / (24 * 60 * 60 * 1000);
      throw new Failure(
        "not_found",
        `Project "${project.name}" has no deleted database "${reference}" to restore. Databases can be restored for ${days} days`,
      );
    }
    door.open();
    const result = await databases.undelete(found, project.id);
    if (result === "gone") throw gone(reference);
    if (result === "too many") throw tooMany(project);
    if (result === "name taken") {
      throw new Failure(
        "conflict",
        `Project "${project.name}" already has another database "${found.name}": delete that one first`,
      );
    }
    for (const { name, task } of await branches.list(result.id)) {
      if (task !== null) void work.run(result, name);
    }
    await this.#services.changed(result.projectId);
    return result;
  }

  /** Returns a branch's connection details, including the password. */
  async connection(database: DatabaseRecord, name: string): Promise<DatabaseConnection> {
    const branch = await this.requireBranch(database, name);
    return await this.connectionAt(database, branch, this.#forClients());
  }

  /** Returns how clients can reach a branch. */
  async address(database: DatabaseRecord, name: string): Promise<DatabaseAddress> {
    return addressOf(database, await this.requireBranch(database, name), this.#forClients());
  }

  /** @throws {Failure} `conflict` if only deployments can connect */
  #forClients(): DoorAddress {
    const { clients } = this.#services.door.open();
    if (clients !== undefined) return clients;
    throw new Failure(
      "conflict",
      "On this platform, only deployments can connect to databases (--postgres-port none). Run SQL with svc db query",
    );
  }

  /** Returns the details for connecting to a branch through the gateway, including the password. */
  async connectionAt(
    database: DatabaseRecord,
    branch: BranchRecord,
    at: DoorAddress,
  ): Promise<DatabaseConnection> {
    const place = passwordPlace(database.id, branch.id);
    const password = await this.#services.box.open(branch.password, place);
    const address = addressOf(database, branch, at);
    const { encrypts: _, ...shown } = address;
    return { url: connectionUrl(address, password), password, ...shown };
  }

  /** Moves all branches to another engine. Clients cannot use a branch while it is being moved. */
  async move(database: DatabaseRecord, engine: EngineKind): Promise<DatabaseRecord> {
    const { databases, branches, work, random } = this.#services;
    this.#requireEngine(engine);
    const all = await branches.list(database.id);
    const unready = all.find((branch) => branch.storage === null || isBusy(branch));
    if (unready !== undefined) {
      const { state } = stateOf(database, unready);
      throw new Failure(
        "conflict",
        `Branch "${unready.name}" is ${state}: wait for it or delete it before you move the database`,
      );
    }
    const moved = await databases.update(database, (current) => ({ ...current, engine }));
    if (moved === undefined) throw gone(database.name);
    for (const branch of all) {
      // If the branch is already on this engine, only a failed move must be cleared.
      const task = branch.storage!.engine === engine ? null : {
        target: { engine, id: mintId(random) },
        source: { type: "move" as const },
        maker: null,
      };
      await branches.update(
        branch,
        (current) => isBusy(current) ? current : { ...current, task, failure: null },
      );
      void work.run(database, branch.name);
    }
    return moved;
  }

  #requireEngine(kind: EngineKind): void {
    const lack = this.#services.engines.lackOf(kind);
    if (lack !== undefined) throw new Failure("conflict", lack);
  }

  async #findDeleted(
    project: ProjectRecord,
    reference: string,
    isOrphaned: (database: DatabaseRecord) => Promise<boolean>,
  ): Promise<DatabaseRecord | undefined> {
    const { databases, now } = this.#services;
    // Once the time is up, housekeeping may already be removing the database.
    const named = (await databases.deleted(project.workspaceId))
      .filter(({ id, name }) => id === reference || name === reference)
      .filter(({ deletedAt }) => now() - (deletedAt ?? 0) < GRACE_MS)
      .sort((one, other) => (other.deletedAt ?? 0) - (one.deletedAt ?? 0));
    const own = named.find(({ projectId }) => projectId === project.id);
    if (own !== undefined) return own;
    for (const database of named) if (await isOrphaned(database)) return database;
    return undefined;
  }

  /** Stops a database's running branches. The engine reports failures itself. */
  async #stopBranches(
    database: DatabaseRecord,
    { onlyIdle = false }: { readonly onlyIdle?: boolean } = {},
  ): Promise<void> {
    const { branches, door, engines } = this.#services;
    for (const branch of await branches.list(database.id)) {
      const { storage } = branch;
      if (storage === null || (onlyIdle && door.sessionsOf(storage.id) > 0)) continue;
      await door.endSessions(storage.id);
      const engine = await engines.opened(storage.engine);
      const running = engineBranch(database, branch, storage);
      try {
        if (engine?.isRunning(running)) await engine.stop(running);
      } catch (error) {
        throw toFailureOfEngine(error);
      }
    }
  }
}

function tooMany(project: ProjectRecord): Failure {
  return new Failure(
    "conflict",
    `Project "${project.name}" has the maximum of ${MAX_DATABASES} databases: delete one first`,
  );
}
