/**
 * Deploy hooks, and the builds that they start, put together.
 *
 * @module
 */
import { BuildQueue } from "../builds/build_queue.ts";
import { BuildStore } from "../builds/build_store.ts";
import { BuildWorker, type BuildWorkerServices } from "../builds/build_worker.ts";
import { HookService, type HookServices } from "./hook_service.ts";
import { HookStore } from "./hook_store.ts";
import { ReplayStore } from "./replays.ts";
import { TriggerService, type TriggerServices } from "./trigger_service.ts";

export type HookFoundation =
  & Omit<HookServices, "hooks">
  & Omit<BuildWorkerServices, "onTrouble">
  & Omit<TriggerServices, "hooks" | "replays" | "builds" | "buildQueue">
  & {
    readonly kv: Deno.Kv;
    /** Builds that run at the same time. */
    readonly buildConcurrency: number;
    /** Told what went wrong where that is the platform's own fault. */
    onTrouble(message: string): void;
  };

export function createHookServices(foundation: HookFoundation) {
  const { kv, now, onTrouble } = foundation;
  const hooks = new HookStore(kv);
  const builds = new BuildStore(kv);
  const buildQueue = new BuildQueue({
    builds,
    worker: new BuildWorker(foundation),
    concurrency: foundation.buildConcurrency,
    now,
    onTrouble,
  });
  const replays = new ReplayStore(kv, now);
  return {
    hooks,
    builds,
    buildQueue,
    hookService: new HookService({ ...foundation, hooks }),
    triggers: new TriggerService({ ...foundation, hooks, replays, builds, buildQueue }),
  };
}
