/** Wires up error tracking for sites: collects, counts and lists logged errors. @module */
import { countBelow, keys } from "../core/store/mod.ts";
import * as z from "zod";
import { messageOf } from "../../lib/error_message.ts";
import { startRounds } from "../../lib/rounds.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { askAll, missingNodes, type SilentNode } from "../core/peers/mod.ts";
import type { DeploymentStore } from "../deployments/mod.ts";
import type { SharedLogs } from "../logs/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import { ErrorCollector } from "./error_collector.ts";
import { ErrorStore, MAX_GROUPS } from "./error_store.ts";
import type { ErrorTable } from "./error_table.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { ErrorDetails, ErrorSummary } from "../../contract/errors.ts";
import type { LogEntry } from "../../contract/logs.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import type { ErrorGroup } from "./error_group.ts";

/** Maximum number of log lines to show for a request. */
const LINES = 50;
/** Maximum age of a request to search for, in milliseconds. The log may be large. */
const SEARCHED_MS = 24 * 60 * 60 * 1000;
/** Maximum time between the start of a request and its error, in milliseconds. */
const LONGEST_REQUEST_MS = 60_000;

const iso = (time: number): string => new Date(time).toISOString();

function summaryOf(group: ErrorGroup): ErrorSummary {
  const { id, kind, source, title, count, firstSeen, lastSeen, broughtBy } = group;
  return {
    id,
    kind,
    title,
    count,
    broughtBy,
    source: source === "" ? null : source,
    firstSeen: iso(firstSeen),
    lastSeen: iso(lastSeen),
  };
}

function detailsOf(group: ErrorGroup, lines: LogEntry[]): ErrorDetails {
  return {
    ...summaryOf(group),
    stack: group.stack,
    deployments: group.deployments.map((each) => ({
      ...each,
      firstSeen: iso(each.firstSeen),
      lastSeen: iso(each.lastSeen),
    })),
    occurrences: group.samples.map((sample) => ({ ...sample, time: iso(sample.time) })),
    lines,
  };
}

function bindErrorRoutes(
  router: Router,
  { projects, store, saveAll, sharedLogs }: {
    readonly projects: ProjectStore;
    readonly store: Pick<ErrorStore, "find" | "list">;
    /** Makes all nodes store their errors. Resolves with the nodes that failed to do so. */
    saveAll(): Promise<readonly SilentNode[]>;
    readonly sharedLogs: Pick<SharedLogs, "read">;
  },
): void {
  async function linesOf(projectId: string, { samples, lastSeen }: ErrorGroup) {
    const latest = samples.find(({ requestId }) => requestId !== null);
    if (latest === undefined || latest.time < lastSeen - SEARCHED_MS) {
      return { lines: [], silent: [] };
    }
    const since = iso(latest.time - LONGEST_REQUEST_MS);
    const search = latest.requestId!;
    const found = await sharedLogs.read(projectId, { search, since, limit: LINES });
    return { lines: found.items, silent: found.silent };
  }

  router.guarded(endpoints.listErrors, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    const silent = await saveAll();
    const { limit, cursor, deploymentId } = query;
    const all = (await store.list(project.id)).filter(({ broughtBy }) =>
      deploymentId === undefined || broughtBy === deploymentId
    );
    const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
    if (cursor !== undefined && start === 0) {
      throw new Failure(
        "invalid_request",
        `Unknown cursor "${cursor}": use the nextCursor of the previous page`,
      );
    }
    const items = all.slice(start, start + limit);
    const nextCursor = start + limit < all.length ? items.at(-1)!.id : null;
    return { items: items.map(summaryOf), nextCursor, ...missingNodes(silent) };
  });

  router.guarded(endpoints.getError, async (caller, { params }) => {
    const project = await findProject(projects, caller, params.project);
    const silent = await saveAll();
    const group = await store.find(project.id, params.error);
    if (group === undefined) {
      throw new Failure(
        "not_found",
        `Project "${project.name}" has no error "${params.error}". Errors are kept for 90 days`,
      );
    }
    const found = await linesOf(project.id, group);
    const byNode = new Map([...silent, ...found.silent].map((each) => [each.node, each]));
    return { ...detailsOf(group, found.lines), ...missingNodes([...byNode.values()]) };
  });
}

/** How often errors are written, in milliseconds. */
const SAVE_MS = 60_000;

interface ErrorParts {
  readonly table: ErrorTable;
  readonly projects: ProjectStore;
  readonly deployments: Pick<DeploymentStore, "find">;
  readonly sharedLogs: SharedLogs;
  /** Called with an error group's new counts since the last call. Never waits. */
  onCounted?(projectId: string, group: ErrorGroup): void;
}

export function createErrors(
  { kv, now, events, peers, closing, publicOrigin, onTrouble }: Pick<
    Foundation,
    "kv" | "now" | "events" | "peers" | "closing" | "publicOrigin" | "onTrouble"
  >,
  { table, projects, deployments, sharedLogs, onCounted }: ErrorParts,
): Capability {
  const onError = (error: unknown) => onTrouble(`Cannot store site errors: ${messageOf(error)}`);
  const store = new ErrorStore(kv);
  const collector = new ErrorCollector({
    table,
    store,
    deployments,
    onCounted,
    now,
    onTrouble,
    pageOf: ({ id }, error) => `${publicOrigin}/deployments/${id}/errors/${error}`,
    raiseEvent: events.raise,
  });
  peers.answer("errors.save", z.null(), async function* () {
    await collector.save();
    yield true;
  });
  /** Makes all nodes store their errors. Returns the nodes that failed to do so. */
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
