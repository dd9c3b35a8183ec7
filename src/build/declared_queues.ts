/** @module The queues of a project, as its deployment declares them. */
import * as z from "zod";
import type { ProjectConfig } from "../config/project_config.ts";
import { formatCount } from "../lib/format.ts";
import { MAX_QUEUES } from "../lib/queue_limits.ts";
import { joinQueues, queueSchema } from "../manifest/mod.ts";
import { BuildError } from "./build_error.ts";
import type { BuildHost } from "./types.ts";

const declaring = z.looseObject({
  layers: z.array(z.looseObject({ target: z.string() })),
  queues: z.array(queueSchema).optional(),
});

/**
 * Returns the manifest with the queues from `svc.toml` added. An invalid manifest is returned
 * unchanged, because another check rejects it.
 *
 * @throws {BuildError} if there are too many.
 */
export function withQueues(
  host: BuildHost,
  manifest: unknown,
  config: ProjectConfig | undefined,
): unknown {
  const parsed = declaring.safeParse(manifest).data;
  if (parsed === undefined) return manifest;
  const queues = joinQueues(parsed.queues ?? [], config?.queues ?? []);
  if (queues.length === 0) return manifest;
  if (queues.length > MAX_QUEUES) {
    throw new BuildError(
      "manifest_invalid",
      `Use at most ${MAX_QUEUES} queues: svc.toml and the manifest have ${queues.length}`,
    );
  }
  const count = formatCount(queues.length, "queue");
  if (parsed.layers.some(({ target }) => target === "COMPUTE")) {
    host.say("build", "info", `Declared ${count}`);
  } else {
    host.say(
      "build",
      "warn",
      `${count} in [[queues]] cannot deliver messages: this deployment has no server`,
    );
  }
  return { ...parsed, queues };
}
