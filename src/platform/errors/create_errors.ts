/**
 * Composes the errors of sites: taken in as they are logged, added up, and shown.
 *
 * @module
 */
import { countBelow, keys } from "../core/store/mod.ts";
import * as z from "zod";
import { messageOf } from "../../lib/error_message.ts";
import { startRounds } from "../../lib/rounds.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { askAll } from "../core/peers/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import type { SharedLogs } from "../logs/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import { ErrorCollector } from "./error_collector.ts";
import { ErrorStore, MAX_GROUPS } from "./error_store.ts";
import type { ErrorTable } from "./error_table.ts";
import { bindErrorRoutes } from "./routes.ts";

/** How often errors are written, in milliseconds. */
const SAVE_MS = 60_000;

export interface ErrorParts {
  readonly table: ErrorTable;
  readonly projects: ProjectStore;
  readonly deployments: Pick<DeploymentStore, "find">;
  readonly sharedLogs: SharedLogs;
}

export function createErrors(
  { kv, now, events, peers, closing, publicOrigin, onTrouble }: Pick<
    Foundation,
    "kv" | "now" | "events" | "peers" | "closing" | "publicOrigin" | "onTrouble"
  >,
  { table, projects, deployments, sharedLogs }: ErrorParts,
): Capability {
  const onError = (error: unknown) =>
    onTrouble(`Cannot store errors of sites: ${messageOf(error)}`);
  const store = new ErrorStore(kv);
  const collector = new ErrorCollector({
    table,
    store,
    deployments,
    now,
    onTrouble,
    pageOf: ({ id }, error) => `${publicOrigin}/deployments/${id}/errors/${error}`,
    raiseEvent: events.raise,
  });
  peers.answer("errors.save", z.null(), async function* () {
    await collector.save();
    yield true;
  });
  /** Brings into the store what all nodes have; returns those that did not. */
  const saveAll = async () => {
    const asked = { name: "errors.save", data: () => null, schema: z.literal(true), closing };
    const [{ silent }] = await Promise.all([
      askAll(peers, { ...asked, withLost: false }),
      collector.save(),
    ]);
    return silent;
  };
  let rounds: ReturnType<typeof startRounds> | undefined;
  return {
    name: "errors",
    bindRoutes: (router) => bindErrorRoutes(router, { projects, store, saveAll, sharedLogs }),
    whenListening() {
      rounds = startRounds({
        firstMs: SAVE_MS,
        everyMs: SAVE_MS,
        onError,
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
    async projectUsage(projectId) {
      const used = await countBelow(kv, keys.errors(projectId), MAX_GROUPS);
      return [{ subject: "errors", of: null, used, limit: MAX_GROUPS }];
    },
  };
}
