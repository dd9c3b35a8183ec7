/**
 * Composes the errors of sites: taken in as they are logged, added up, and shown.
 *
 * @module
 */
import { messageOf } from "../../lib/error_message.ts";
import { startRounds } from "../../lib/rounds.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import type { AccessLogs } from "../logs/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import { ErrorCollector } from "./error_collector.ts";
import { ErrorStore } from "./error_store.ts";
import type { ErrorTable } from "./error_table.ts";
import { bindErrorRoutes } from "./routes.ts";

/** How often errors are written, in milliseconds. */
const SAVE_MS = 60_000;

export interface ErrorParts {
  readonly table: ErrorTable;
  readonly projects: ProjectStore;
  readonly deployments: Pick<DeploymentStore, "find">;
  readonly logs: AccessLogs;
}

export function createErrors(
  { kv, now, edges, events, publicOrigin, onTrouble }: Pick<
    Foundation,
    "kv" | "now" | "edges" | "events" | "publicOrigin" | "onTrouble"
  >,
  { table, projects, deployments, logs }: ErrorParts,
): Capability {
  const onError = (error: unknown) => onTrouble(`Cannot keep errors of sites: ${messageOf(error)}`);
  const store = new ErrorStore(kv);
  const collector = new ErrorCollector({
    ...{ table, store, deployments, now, onTrouble },
    collect: () => edges.collectLines(),
    pageOf: ({ id }, error) => `${publicOrigin}/deployments/${id}/errors/${error}`,
    raiseEvent: events.raise,
  });
  let rounds: ReturnType<typeof startRounds> | undefined;
  return {
    name: "errors",
    bindRoutes: (router) => bindErrorRoutes(router, { projects, store, collector, logs }),
    whenListening() {
      rounds = startRounds({
        ...{ firstMs: SAVE_MS, everyMs: SAVE_MS, onError },
        run: () => collector.save(),
      });
    },
    async close() {
      await rounds?.close();
      await collector.save(-SAVE_MS).catch(onError);
    },
    forgetProject(projectId) {
      table.forget(projectId);
      collector.forget(projectId);
      return Promise.resolve();
    },
    projectKeys: (projectId) => store.keysOf(projectId),
  };
}
