/**
 * Runs the sweep from time to time while the platform is up.
 *
 * @module
 */
import { isServed } from "./deployments/deployment.ts";
import { sweep } from "./deployments/sweep.ts";
import type { PlatformLog } from "./options.ts";
import type { Services } from "./services.ts";

const FIRST_AFTER_MS = 60_000;
const INTERVAL_MS = 60 * 60 * 1000;

/** Removes the files and pages of servers whose deployments have ended. */
async function sweepServers({ deployments, computeService }: Services): Promise<void> {
  const needed = new Set<string>();
  for await (const { id, status } of deployments.all()) {
    if (isServed(status) || status === "DEPLOYING") needed.add(id);
  }
  await computeService.sweep((id) => needed.has(id));
}

/** Starts the rounds; the returned function ends them and waits for one under way. */
export function startHousekeeping(
  services: Services,
  log: (line: PlatformLog) => void,
): () => Promise<void> {
  let round = Promise.resolve();
  const run = () => {
    round = sweep({
      ...services,
      otherBlobs: () => services.rules.blobs(),
      onDamaged: (deployment, cause) =>
        log({
          level: "error",
          message: `Can not read the content of deployment ${deployment.id}: ${cause}. ` +
            "No blob is removed until that is mended",
        }),
    }, services.now()).then(({ abandoned, removedBlobs }) => {
      if (abandoned + removedBlobs === 0) return;
      const message =
        `Housekeeping: ${abandoned} unfinished uploads failed, ${removedBlobs} blobs removed`;
      log({ level: "info", message });
    }).then(() => sweepServers(services)).catch((error) =>
      log({ level: "error", message: `Housekeeping failed: ${error}` })
    );
  };
  let interval: ReturnType<typeof setInterval> | undefined;
  const first = setTimeout(() => {
    run();
    interval = setInterval(run, INTERVAL_MS);
  }, FIRST_AFTER_MS);
  return async () => {
    clearTimeout(first);
    clearInterval(interval);
    await round;
  };
}
