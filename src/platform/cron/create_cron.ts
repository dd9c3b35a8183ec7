/**
 * Composes scheduled tasks: requests that the platform sends to the server of what is live in
 * production, at the times that the deployment declares.
 *
 * @module
 */
import type { SiteDirectory } from "../../edge/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import type { AccessLogs } from "../logs/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import type { VariableService } from "../variables/mod.ts";
import { CronRunner } from "./cron_runner.ts";
import { CronScheduler } from "./cron_scheduler.ts";
import { CronStore } from "./cron_store.ts";
import { type Minutes, minutesOf } from "./minutes.ts";
import { bindCronRoutes } from "./routes.ts";

export interface CronParts {
  readonly projects: ProjectStore;
  readonly deployments: DeploymentStore;
  readonly sites: SiteDirectory;
  readonly variables: VariableService;
  readonly logs: AccessLogs;
  /** The minutes of the foundation's clock where missing. */
  readonly minutes?: Minutes | undefined;
}

export function createCron(foundation: Foundation, parts: CronParts): Capability {
  const { kv, now, onTrouble } = foundation;
  const { projects, deployments, sites, variables, logs, minutes = minutesOf(now) } = parts;
  const store = new CronStore(kv);
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
        message: `Skipped the scheduled task ${path}: its last run is still running`,
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
