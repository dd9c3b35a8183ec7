/**
 * Wires up scheduled tasks: requests that are sent to production's live server at set times.
 *
 * @module
 */
import type { SiteDirectory } from "../../edge/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { Claims } from "../core/nodes/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import type { AccessLogs } from "../logs/mod.ts";
import { findProject, type ProjectRecord, type ProjectStore } from "../projects/mod.ts";
import type { DeploymentDatabases } from "../databases/mod.ts";
import { CronRunner } from "./cron_runner.ts";
import { CronScheduler, type LiveTasks } from "./cron_scheduler.ts";
import { CronStore } from "./cron_store.ts";
import { type Minutes, minutesOf } from "./minutes.ts";
import type { CronRun } from "../../contract/cron.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { nextRun } from "../../lib/cron_schedule.ts";
import type { Clock } from "../../lib/clock.ts";
import { Failure, type Router } from "../core/http/mod.ts";

/** Maximum wait for a run to finish, in milliseconds. Proxies give up after a minute. */
const WAIT_MS = 50_000;

interface CronRouteServices {
  readonly projects: ProjectStore;
  readonly scheduler: CronScheduler;
  readonly store: CronStore;
  readonly now: Clock;
}

async function findTasks(
  { scheduler }: CronRouteServices,
  project: ProjectRecord,
): Promise<LiveTasks> {
  const found = await scheduler.tasksOf(project.id);
  if (found !== undefined) return found;
  throw new Failure("conflict", `Project "${project.name}" has no production deployment`);
}

/** Creates the record of a run that has not finished. */
function running(
  task: { readonly path: string; readonly deploymentId: string },
  facts: Pick<CronRun, "trigger"> & { readonly since: number },
): CronRun {
  return {
    path: task.path,
    deploymentId: task.deploymentId,
    trigger: facts.trigger,
    outcome: "running",
    status: null,
    error: null,
    durationMs: null,
    requestId: "",
    startedAt: new Date(facts.since).toISOString(),
  };
}

async function listTasks(services: CronRouteServices, project: ProjectRecord) {
  const { scheduler, store, now } = services;
  const found = await scheduler.tasksOf(project.id);
  if (found === undefined) return { items: [] };
  const { tasks, deploymentId } = found;
  const runs = await store.runsOf(project.id);
  return {
    items: tasks.map((task) => {
      const { path, schedule, timezone = "UTC", retries = 0 } = task;
      const since = scheduler.runningSince({ projectId: project.id, path });
      const next = nextRun(task, now());
      return {
        path,
        schedule,
        timezone,
        retries,
        deploymentId,
        nextRunAt: next === undefined ? null : new Date(next).toISOString(),
        lastRun: since === undefined
          ? runs.get(path) ?? null
          : running({ path, deploymentId }, { trigger: "schedule", since }),
      };
    }),
  };
}

async function runTask(
  services: CronRouteServices,
  project: ProjectRecord,
  path: string,
): Promise<CronRun> {
  const { scheduler, now } = services;
  const { tasks, hostname, deploymentId } = await findTasks(services, project);
  if (!tasks.some((task) => task.path === path)) {
    const known = tasks.map((task) => task.path).join(", ");
    throw new Failure(
      "not_found",
      `Project "${project.name}" has no task for ${path}: ` +
        (known === "" ? "it has none" : `its tasks are ${known}`),
    );
  }
  const startedAt = now();
  const wanted = { projectId: project.id, hostname, path, trigger: "request" } as const;
  const begun = await scheduler.begin(wanted);
  if (begun === undefined) throw new Failure("conflict", `Task ${path} is already running`);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<CronRun>((resolve) => {
    const run = running({ path, deploymentId }, { trigger: "request", since: startedAt });
    timer = setTimeout(() => resolve(run), WAIT_MS);
  });
  const ended = await Promise.race([begun.ended, late]).finally(() => clearTimeout(timer));
  if (ended !== undefined) return ended;
  throw new Failure(
    "unavailable",
    "The task did not run, because production changed or the platform is stopping",
  );
}

function bindCronRoutes(router: Router, services: CronRouteServices): void {
  const { projects } = services;
  router.guarded(
    endpoints.listCronTasks,
    async (caller, { params }) =>
      await listTasks(services, await findProject(projects, caller, params.project)),
  );
  router.guarded(
    endpoints.runCronTask,
    async (caller, { params, body }) =>
      await runTask(services, await findProject(projects, caller, params.project), body.path),
  );
}

interface CronParts {
  readonly projects: ProjectStore;
  readonly deployments: DeploymentStore;
  readonly sites: SiteDirectory;
  readonly variables: Pick<DeploymentDatabases, "ownVariables">;
  readonly logs: AccessLogs;
  /** Calls back at the start of each minute; by default, according to the foundation's clock. */
  readonly minutes?: Minutes | undefined;
}

export function createCron(foundation: Foundation, parts: CronParts): Capability {
  const { kv, nodes, now, onTrouble } = foundation;
  const { projects, deployments, sites, variables, logs, minutes = minutesOf(now) } = parts;
  const store = new CronStore(kv, nodes.isShared ? new Claims(nodes) : undefined);
  const closing = new AbortController();
  const runner = new CronRunner({
    ...foundation,
    sites,
    variables,
    record: logs.record,
    closing: AbortSignal.any([foundation.closing, closing.signal]),
  });
  const scheduler = new CronScheduler({
    store,
    sites,
    deployments,
    minutes,
    onTrouble,
    run: (wanted) => runner.run(wanted),
    onSkipped: ({ projectId, path }, deploymentId) =>
      logs.recordServer({
        projectId,
        deploymentId,
        layer: "cron",
        level: "warn",
        time: now(),
        message: `Skipped the scheduled task ${path}: its previous run has not ended`,
      }),
  });
  return {
    name: "cron",
    bindRoutes: (router) => bindCronRoutes(router, { projects, scheduler, store, now }),
    whenListening: () => scheduler.start(),
    async close() {
      closing.abort(new DOMException("The platform is stopping", "AbortError"));
      await scheduler.close();
    },
    projectKeys: (projectId) => store.keysOf(projectId),
  };
}
