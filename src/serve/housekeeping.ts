/**
 * Runs the sweep from time to time while the platform is up.
 *
 * @module
 */
import { BuildLogSweep } from "../platform/builds/logs/sweep_build_logs.ts";
import { closeIdleUploads } from "../platform/deployments/close_idle_uploads.ts";
import { isServed } from "../platform/deployments/deployment.ts";
import { sweep } from "../platform/deployments/sweep.ts";
import type { PlatformOptions } from "./options.ts";
import { DEFAULT_RETENTION } from "../platform/retention/plan_retention.ts";
import { retain } from "../platform/retention/retain.ts";
import type { Services } from "./services.ts";

const TIMES = { firstMs: 60_000, everyMs: 60 * 60 * 1000 };

/** Removes the files and pages of servers whose deployments have ended. */
async function sweepServers({ deployments, computeService }: Services): Promise<void> {
  const needed = new Set<string>();
  for await (const { id, status } of deployments.all()) {
    if (isServed(status) || status === "DEPLOYING") needed.add(id);
  }
  await computeService.sweep((id) => needed.has(id));
}

type Options = Pick<PlatformOptions, "log" | "retention" | "housekeeping">;

/** One round: old deployments, given up uploads, blobs and logs that no one needs, ended servers. */
async function keepHouse(
  services: Services,
  { log, retention = DEFAULT_RETENTION }: Options,
  { signal, buildLogSweep }: {
    readonly signal: AbortSignal;
    readonly buildLogSweep: BuildLogSweep;
  },
): Promise<void> {
  const now = services.now();
  const { removed, stopped } = await retain(services, retention, { now, signal });
  if (removed + stopped > 0) {
    const message = `Housekeeping: ${removed} old deployments removed, ` +
      `${stopped} previews of deleted branches stopped`;
    log({ level: "info", message });
  }
  const { abandoned, removedBlobs } = await sweep({
    ...services,
    otherBlobs: () => services.rules.blobs(),
    onDamaged: (deployment, cause) =>
      log({
        level: "error",
        message: `Can not read the content of deployment ${deployment.id}: ${cause}. ` +
          "No blob is removed until that is mended",
      }),
  }, now);
  if (abandoned + removedBlobs > 0) {
    const message =
      `Housekeeping: ${abandoned} unfinished deployments failed, ${removedBlobs} blobs removed`;
    log({ level: "info", message });
  }
  await sweepServers(services);
  const removedLogs = await buildLogSweep.run(signal);
  if (removedLogs > 0) {
    const message = `Housekeeping: ${removedLogs} build logs of removed deployments removed`;
    log({ level: "info", message });
  }
}

/** How often uploads are looked at, in milliseconds. */
const UPLOADS_EVERY_MS = 30_000;

/** Closes uploads that nobody feeds any more, until the returned function is called. */
export function watchUploads(services: Services, { log }: Options): () => Promise<void> {
  const startedAt = services.now();
  let round: Promise<void> | undefined;
  const run = async () => {
    const count = await closeIdleUploads(services, { now: services.now(), startedAt });
    if (count > 0) log({ level: "info", message: `Closed ${count} uploads that were cut off` });
  };
  const interval = setInterval(() => {
    round ??= run()
      .catch((error) => log({ level: "error", message: `Looking at uploads failed: ${error}` }))
      .finally(() => round = undefined);
  }, UPLOADS_EVERY_MS);
  return async () => {
    clearInterval(interval);
    await round;
  };
}

/** Starts the rounds; the returned function ends them and waits for one under way. */
export function startHousekeeping(services: Services, options: Options): () => Promise<void> {
  const { log, housekeeping: times = TIMES } = options;
  const closing = new AbortController();
  const { buildLogs, deployments } = services;
  const buildLogSweep = new BuildLogSweep({
    buildLogs,
    exists: async ({ deploymentId }) => await deployments.owner(deploymentId) !== undefined,
  });
  let round: Promise<void> | undefined;
  const run = () => {
    round ??= keepHouse(services, options, { signal: closing.signal, buildLogSweep })
      .catch((error) => log({ level: "error", message: `Housekeeping failed: ${error}` }))
      .finally(() => round = undefined);
  };
  let interval: ReturnType<typeof setInterval> | undefined;
  const first = setTimeout(() => {
    run();
    interval = setInterval(run, times.everyMs);
  }, times.firstMs);
  return async () => {
    clearTimeout(first);
    clearInterval(interval);
    closing.abort();
    await round;
  };
}
