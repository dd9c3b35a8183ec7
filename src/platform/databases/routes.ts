/** `/v1/projects/{project}/databases` and the paths under it, except SQL. @module */
import { endpoints } from "../../contract/endpoints.ts";
import { type Caller, reachesProject } from "../core/access/mod.ts";
import type { Router } from "../core/http/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import type { BranchService } from "./branch_service.ts";
import type { BranchStore } from "./branch_store.ts";
import type { DatabaseService } from "./database_service.ts";
import type { DatabaseStore } from "./database_store.ts";
import type { Descriptions } from "./describe.ts";
import type { BranchRecord, DatabaseRecord } from "./records.ts";
import type { UsageSamples } from "./usage_samples.ts";
import { type SnapshotService, snapshotToWire } from "./snapshot_service.ts";

export interface RouteParts {
  readonly projects: ProjectStore;
  readonly databases: DatabaseStore;
  readonly branches: BranchStore;
  readonly databaseService: DatabaseService;
  readonly branchService: BranchService;
  readonly snapshots: SnapshotService;
  readonly descriptions: Descriptions;
  readonly usage: Pick<UsageSamples, "read">;
}

interface NamedDatabase {
  readonly project: string;
  readonly database: string;
}

export async function findDatabase(
  { projects, databaseService }: Pick<RouteParts, "projects" | "databaseService">,
  caller: Caller,
  { project, database }: NamedDatabase,
): Promise<DatabaseRecord> {
  return await databaseService.require(await findProject(projects, caller, project), database);
}

export function bindDatabaseRoutes(router: Router, parts: RouteParts): void {
  const { projects, databases, databaseService: service, descriptions } = parts;
  const find = (caller: Caller, params: NamedDatabase) => findDatabase(parts, caller, params);
  const show = (database: DatabaseRecord) => descriptions.database(database);

  router.guarded(endpoints.listDatabases, async (caller, { params, query }) => {
    const { id } = await findProject(projects, caller, params.project);
    const found = query.deleted === "true"
      ? await recoverable(parts, caller, id)
      : await databases.list(id);
    const page = databases.page(found, query);
    return { items: await Promise.all(page.items.map(show)), nextCursor: page.nextCursor };
  });

  router.guarded(endpoints.createDatabase, async (caller, { params, body }) => {
    const project = await findProject(projects, caller, params.project);
    return await show(await service.create(project, body));
  });

  router.guarded(
    endpoints.getDatabase,
    async (caller, { params }) => await show(await find(caller, params)),
  );
  router.guarded(
    endpoints.updateDatabase,
    async (caller, { params, body, note }) => {
      const database = await find(caller, params);
      note({ before: await show(database) });
      return await show(await service.update(database, body));
    },
  );
  router.guarded(
    endpoints.deleteDatabase,
    async (caller, { params }) => await show(await service.delete(await find(caller, params))),
  );
  router.guarded(endpoints.undeleteDatabase, async (caller, { params }) => {
    const project = await findProject(projects, caller, params.project);
    const isOrphaned = (database: DatabaseRecord) => isOrphanedFor(parts, caller, database);
    return await show(await service.undelete(project, params.database, isOrphaned));
  });
  router.guarded(
    endpoints.startDatabase,
    async (caller, { params }) => await show(await service.start(await find(caller, params))),
  );
  router.guarded(
    endpoints.stopDatabase,
    async (caller, { params }) => await show(await service.stop(await find(caller, params))),
  );
  router.guarded(
    endpoints.getDatabaseConnection,
    async (caller, { params, query, note }) => {
      const database = await find(caller, params);
      note({ before: { id: database.id, database: database.name } });
      return await service.connection(database, query.branch);
    },
  );
  router.guarded(
    endpoints.getDatabaseAddress,
    async (caller, { params, query }) =>
      await service.address(await find(caller, params), query.branch),
  );
  router.guarded(
    endpoints.getDatabaseUsage,
    async (caller, { params }) => await parts.usage.read(await find(caller, params)),
  );
  router.guarded(
    endpoints.moveDatabase,
    async (caller, { params, body, note }) => {
      const database = await find(caller, params);
      note({ before: await show(database) });
      return await show(await service.move(database, body.engine));
    },
  );
}

/**
 * Returns whether a database's project was deleted, and the caller could access it. A key that is
 * limited to projects must not reach the data of another one.
 */
async function isOrphanedFor(
  { projects }: Pick<RouteParts, "projects">,
  caller: Caller,
  { projectId }: DatabaseRecord,
): Promise<boolean> {
  return reachesProject(caller, projectId) &&
    await projects.find(caller.workspace.id, projectId) === undefined;
}

/** Lists a project's deleted databases, and those of the workspace's deleted projects. */
async function recoverable(
  { databases, projects }: Pick<RouteParts, "databases" | "projects">,
  caller: Caller,
  projectId: string,
): Promise<DatabaseRecord[]> {
  const found: DatabaseRecord[] = [];
  for (const database of await databases.deleted(caller.workspace.id)) {
    const isOwn = database.projectId === projectId;
    if (isOwn || await isOrphanedFor({ projects }, caller, database)) found.push(database);
  }
  return found;
}

export function bindBranchRoutes(router: Router, parts: RouteParts): void {
  const { branches, databaseService, branchService, snapshots, descriptions } = parts;
  const find = (caller: Caller, params: NamedDatabase) => findDatabase(parts, caller, params);
  const findBranch = async (
    caller: Caller,
    params: NamedDatabase & { readonly branch: string },
  ): Promise<readonly [DatabaseRecord, BranchRecord]> => {
    const database = await find(caller, params);
    return [database, await databaseService.requireBranch(database, params.branch)];
  };

  router.guarded(endpoints.listDatabaseBranches, async (caller, { params }) => {
    const database = await find(caller, params);
    const all = await branches.list(database.id);
    return {
      items: await Promise.all(all.map((branch) => descriptions.branch(database, branch))),
    };
  });
  router.guarded(endpoints.createDatabaseBranch, async (caller, { params, body, note }) => {
    const database = await find(caller, params);
    note({ before: { database: database.name } });
    return await descriptions.branch(database, await branchService.create(database, body));
  });
  router.guarded(endpoints.deleteDatabaseBranch, async (caller, { params, note }) => {
    const [database, branch] = await findBranch(caller, params);
    note({ before: { id: branch.id, name: branch.name, database: database.name } });
    await branchService.remove(database, branch);
    return undefined;
  });
  router.guarded(endpoints.resetDatabaseBranch, async (caller, { params, note }) => {
    const [database, branch] = await findBranch(caller, params);
    note({ before: { database: database.name } });
    return await descriptions.branch(database, await branchService.reset(database, branch));
  });

  router.guarded(endpoints.listDatabaseSnapshots, async (caller, { params }) => {
    const all = await snapshots.list(await find(caller, params));
    return { items: all.map(snapshotToWire) };
  });
  router.guarded(endpoints.createDatabaseSnapshot, async (caller, { params, body, note }) => {
    const [database, branch] = await findBranch(caller, { ...params, branch: body.branch });
    note({ before: { database: database.name } });
    return snapshotToWire(await snapshots.create(database, branch));
  });
  router.guarded(endpoints.restoreDatabaseSnapshot, async (caller, { params, body, note }) => {
    const database = await find(caller, params);
    note({ before: { database: database.name } });
    const snapshot = await snapshots.require(database, params.snapshot);
    const branch = await snapshots.restore(database, snapshot, body.branch);
    return await descriptions.branch(database, branch);
  });
  router.guarded(endpoints.deleteDatabaseSnapshot, async (caller, { params, note }) => {
    const database = await find(caller, params);
    const snapshot = await snapshots.require(database, params.snapshot);
    note({ before: { ...snapshotToWire(snapshot), database: database.name } });
    await snapshots.remove(snapshot);
    return undefined;
  });
}
