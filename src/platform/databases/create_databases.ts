/** Wires up managed databases: records, gateway, and deployments' variables. @module */
import type { OutboundFetch } from "../../runtime/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { keys } from "../core/store/mod.ts";
import type { DeployedDatabases, DeploymentStore } from "../deployments/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import type { VariableService, VariableStore } from "../variables/mod.ts";
import { RecordedBranches } from "./branch_access.ts";
import { BranchService } from "./branch_service.ts";
import { BranchStore } from "./branch_store.ts";
import { type BranchChange, BranchWork } from "./branch_work.ts";
import { DatabaseMigrations } from "./database_migrations.ts";
import { DatabaseDoor, type DoorOptions } from "./database_door.ts";
import { DatabaseService } from "./database_service.ts";
import { DatabaseStore } from "./database_store.ts";
import { type DatabaseUser, DeploymentDatabases } from "./deployment_databases.ts";
import { Descriptions } from "./describe.ts";
import { EngineHealth } from "./engine_health.ts";
import { Engines, type EngineSource } from "./engines.ts";
import { createDatabaseFetch } from "./function_queries.ts";
import { keepDatabases } from "./housekeeping.ts";
import { endedPreviews } from "./preview_branches.ts";
import { bindQueryRoutes } from "./query_routes.ts";
import { RestoredDumps } from "./restored_dumps.ts";
import { bindBranchRoutes, bindDatabaseRoutes } from "./routes.ts";
import { SnapshotService } from "./snapshot_service.ts";
import { transfer } from "./transfer.ts";
import { FIRST_SAMPLE_MS, SAMPLE_MS, UsageSamples } from "./usage_samples.ts";
import { messageOf } from "../../lib/error_message.ts";
import { type Rounds, startRounds } from "../../lib/rounds.ts";
import type { KeyPart } from "../../store/mod.ts";
import { MAIN_BRANCH } from "../../contract/databases.ts";
import type { EventBus } from "../core/events/mod.ts";
import { type DatabaseRecord, taskVerb } from "./records.ts";
import type { Usage } from "../../contract/usage.ts";
import { MAX_BRANCHES, MAX_DATABASES, MAX_MANUAL_SNAPSHOTS } from "./sizes.ts";

async function databaseUsage(
  { databases, branches }: {
    readonly databases: Pick<DatabaseStore, "list">;
    readonly branches: Pick<BranchStore, "list" | "snapshots">;
  },
  projectId: string,
): Promise<Usage[]> {
  const all = await databases.list(projectId);
  const each = all.map(async ({ id, name }): Promise<Usage[]> => {
    const [made, snapshots] = await Promise.all([
      branches.list(id),
      branches.snapshots.collect(id),
    ]);
    const manual = snapshots.filter(({ kind, ready }) => ready && kind === "manual");
    return [
      { subject: "databaseBranches", of: name, used: made.length, limit: MAX_BRANCHES },
      {
        subject: "databaseSnapshots",
        of: name,
        used: manual.length,
        limit: MAX_MANUAL_SNAPSHOTS,
      },
    ];
  });
  return [
    { subject: "databases", of: null, used: all.length, limit: MAX_DATABASES },
    ...(await Promise.all(each)).flat(),
  ];
}

/**
 * Raises `health.check_failed` if a branch's task failed, and `health.recovered` if it succeeded
 * after a failure.
 */
async function raiseBranchEvent(
  { projects, events }: {
    readonly projects: Pick<ProjectStore, "find">;
    readonly events: Pick<EventBus, "raise">;
  },
  { workspaceId, projectId, name }: DatabaseRecord,
  { before, after }: BranchChange,
): Promise<void> {
  const { name: branch, failure } = after;
  const hasRecovered = failure === null && before.isFailing && !after.isFailing;
  if (failure === null && !hasRecovered) return;
  const project = await projects.find(workspaceId, projectId);
  const which = branch === MAIN_BRANCH
    ? `database "${name}"`
    : `branch "${branch}" of database "${name}"`;
  await events.raise({
    event: hasRecovered ? "health.recovered" : "health.check_failed",
    audience: { type: "workspace", workspaceId },
    data: {
      projectId,
      project: project?.name ?? null,
      reason: hasRecovered
        ? `${which[0]!.toUpperCase()}${which.slice(1)} works again`
        : `Cannot ${taskVerb(after)} ${which}: ${failure}`,
    },
    key: `database/${before.task.target.id}`,
  });
}

export interface Databases {
  readonly databases: DatabaseStore;
  /** The database variables for deployments' servers, builds and functions. */
  readonly deploymentDatabases: DeploymentDatabases;
  /** Prepares a deployment's databases before the deployment goes live. */
  readonly deployedDatabases: DeployedDatabases;
  /** Runs SQL statements from a deployment's functions. */
  databaseFetchFor(user: DatabaseUser): OutboundFetch;
  readonly capability: Capability;
}

export interface DatabaseParts {
  readonly projects: ProjectStore;
  readonly deployments: DeploymentStore;
  readonly variables: VariableStore;
  readonly variableService: Pick<VariableService, "openSnapshot">;
  readonly engines: EngineSource;
  readonly listen: Pick<DoorOptions, "host" | "port" | "publicHost" | "certificate">;
  /**
   * Called when deployments may get different databases. Resolves when all running deployments have
   * been checked.
   */
  onChanged(projectId?: string): Promise<void>;
}

/** How long a deployment waits for its database branch, in milliseconds. */
const PREPARE_MS = 10 * 60_000;

/** Record families that determine which databases deployments get. */
const FAMILIES: ReadonlySet<KeyPart> = new Set(
  [keys.allDatabases(), keys.allDatabaseBranches()].map(([family]) => family!),
);

export function createDatabases(foundation: Foundation, parts: DatabaseParts): Databases {
  const { kv, nodes, now, onTrouble, closing, box } = foundation;
  const { projects, deployments } = parts;
  const databases = new DatabaseStore(kv);
  const branches = new BranchStore(kv);
  const engines = new Engines(parts.engines);
  const engineHealth = new EngineHealth(engines);
  const directory = new RecordedBranches({ databases, branches, engines });
  const door = new DatabaseDoor({ ...parts.listen, directory, onTrouble });
  const changed = (projectId?: string): Promise<void> =>
    parts.onChanged(projectId).catch((error) =>
      onTrouble(`Cannot replace servers whose databases changed: ${error}`)
    );
  const work = new BranchWork({
    databases,
    branches,
    engines,
    transfer,
    nodes,
    now,
    onTrouble,
    maskKey: (workspaceId) => box.deriveBytes(`svc database mask ${workspaceId}`),
    dumps: new RestoredDumps(foundation.dataDir.root),
    endSessions: (storageId) => door.endSessions(storageId),
    closeBranch: (storageId) => door.closeBranch(storageId),
    async onEnded(database, change) {
      await changed(database.projectId);
      await raiseBranchEvent({ ...foundation, projects }, database, change);
    },
  });
  const services = { ...foundation, databases, branches, engines, door, work, changed };
  const databaseService = new DatabaseService(services);
  const branchService = new BranchService(services);
  const snapshots = new SnapshotService(services, branchService);
  const descriptions = new Descriptions({ ...services, variables: parts.variables });
  const usage = new UsageSamples({
    kv,
    node: nodes.id,
    now,
    sizeOf: (database) => descriptions.sizeOf(database),
    connectionsOf: async ({ id }) =>
      (await branches.list(id)).reduce(
        (sum, { storage }) => storage === null ? sum : sum + door.sessionsOf(storage.id),
        0,
      ),
  });
  const routes = {
    ...services,
    projects,
    databaseService,
    branchService,
    snapshots,
    descriptions,
    usage,
  };
  let sampling: Rounds | undefined;
  const startedAt = now();

  /** Continues the work of a process that has exited. */
  const takeUp = async () => {
    for await (const database of databases.all()) {
      for (const { name, task } of await branches.list(database.id)) {
        if (task !== null) void work.run(database, name);
      }
    }
    await work.removeRemains();
  };
  const resume = async () => {
    nodes.onDeath(() => {
      void takeUp().catch((error) => onTrouble(`Cannot take over a node's databases: ${error}`));
    });
    if (await databases.isEmpty()) return;
    try {
      door.open();
    } catch (error) {
      onTrouble(error instanceof Error ? error.message : String(error));
    }
    await takeUp();
  };
  let resuming: Promise<void> = Promise.resolve();
  const deploymentDatabases = new DeploymentDatabases({
    ...services,
    snapshots: parts.variableService,
    databaseService,
    branchService,
    patientBranches: new BranchService(services, PREPARE_MS),
    directory,
    deployments,
  });
  const migrations = new DatabaseMigrations({ ...services, directory, deploymentDatabases });
  return {
    databases,
    deploymentDatabases,
    deployedDatabases: {
      prepare: (user) => deploymentDatabases.prepare(user),
      connections: (user) => deploymentDatabases.connections(user),
      beginMigration: (user) => migrations.beginMigration(user),
      endMigration: (user) => migrations.endMigration(user),
      schemaDifference: (user) => migrations.schemaDifference(user),
    },
    databaseFetchFor: (user) =>
      createDatabaseFetch({ databases: deploymentDatabases, door, onTrouble }, user),
    capability: {
      name: "databases",
      async deploymentStopped({ projectId }, lease) {
        for (const database of await databases.list(projectId)) {
          const ended = await endedPreviews(database, { branches, deployments });
          for (const branch of ended) await branchService.remove(database, branch, lease);
        }
      },
      bindRoutes(router) {
        bindDatabaseRoutes(router, routes);
        bindBranchRoutes(router, routes);
        bindQueryRoutes(router, { ...routes, directory, closing });
      },
      start() {
        resuming = resume().catch((error) => onTrouble(`Cannot resume databases: ${error}`));
        return Promise.resolve();
      },
      whenListening() {
        sampling = startRounds({
          firstMs: FIRST_SAMPLE_MS,
          everyMs: SAMPLE_MS,
          run: (signal) => usage.sampleAll(databases.all(), signal),
          onError: (error) => onTrouble(`Cannot sample databases: ${messageOf(error)}`),
        });
      },
      async storeChanged(keysOfOthers) {
        if (keysOfOthers.some(([family]) => FAMILIES.has(family!))) await changed();
      },
      rereadStore: () => changed(),
      cleanUp: (signal, lease) =>
        keepDatabases({ ...services, snapshots, directory, deployments, startedAt }, signal, lease),
      async removeProject(projectId) {
        for (const database of await databases.list(projectId)) {
          await databaseService.delete(database);
        }
      },
      async close() {
        await sampling?.close();
        await door.close();
        await resuming;
        await work.close();
        await engines.close();
      },
      projectUsage: (projectId) => databaseUsage({ databases, branches }, projectId),
      health: async () => ({ databases: await engineHealth.describe(door.clients?.port) }),
    },
  };
}
