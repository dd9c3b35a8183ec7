/** @module The scheduled tasks of a project, as its deployment declares them. */
import * as z from "zod";
import type { ProjectConfig } from "../config/project_config.ts";
import { formatCount } from "../lib/format.ts";
import { type CronTask, cronTaskSchema, joinCronTasks, MAX_CRON_TASKS } from "../manifest/mod.ts";
import { BuildError } from "./build_error.ts";
import type { BuildHost } from "./types.ts";

const scheduled = z.looseObject({
  layers: z.array(z.looseObject({ target: z.string() })),
  cron: z.array(cronTaskSchema).optional(),
});

/**
 * Returns the manifest with the tasks from `svc.toml` added. An invalid manifest is returned
 * unchanged, because another check rejects it.
 *
 * @throws {BuildError} if there are too many.
 */
export function withCronTasks(
  host: BuildHost,
  manifest: unknown,
  config: ProjectConfig | undefined,
): unknown {
  const parsed = scheduled.safeParse(manifest).data;
  if (parsed === undefined) return manifest;
  const tasks: readonly CronTask[] = joinCronTasks(parsed.cron ?? [], config?.cron ?? []);
  if (tasks.length === 0) return manifest;
  if (tasks.length > MAX_CRON_TASKS) {
    throw new BuildError(
      "manifest_invalid",
      `Use at most ${MAX_CRON_TASKS} scheduled tasks: svc.toml and the manifest have ${tasks.length}`,
    );
  }
  const hasServer = parsed.layers.some(({ target }) => target === "COMPUTE");
  if (!hasServer) {
    host.say(
      "build",
      "warn",
      `${
        formatCount(tasks.length, "scheduled task")
      } in [[cron]] cannot run: this deployment has no server`,
    );
  } else {
    host.say("build", "info", `Scheduled ${formatCount(tasks.length, "task")} for production`);
  }
  return { ...parsed, cron: tasks };
}
