/**
 * Composes the logs of requests, functions and servers.
 *
 * @module
 */
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import { AccessLogs } from "./access_logs.ts";
import type { LogObserver } from "./log_observer.ts";
import { SharedLogs } from "./shared_logs.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { MISSING_NODE_EVENT } from "../../contract/common.ts";
import { eventStream, Failure, type Router } from "../core/http/mod.ts";
import type { Nodes } from "../core/nodes/mod.ts";
import { missingNodes } from "../core/peers/mod.ts";
import { formatLogCursor, type LogCursor, parseLogCursor } from "./log_cursor.ts";

function bindLogRoutes(
  router: Router,
  services: {
    readonly projects: ProjectStore;
    readonly sharedLogs: SharedLogs;
    readonly nodes: Pick<Nodes, "id" | "isShared">;
    /** Aborted when the platform stops. */
    readonly closing: AbortSignal;
  },
): void {
  const { projects, sharedLogs, nodes, closing } = services;

  function readCursor(text: string | undefined): LogCursor | undefined {
    if (text === undefined) return undefined;
    const cursor = parseLogCursor(text, nodes.id);
    if (cursor !== undefined) return cursor;
    throw new Failure("invalid_request", `Cursor must come from nextCursor: "${text}" does not`);
  }

  router.guarded(endpoints.listLogs, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    const { cursor, ...filter } = query;
    const page = await sharedLogs.read(project.id, { ...filter, cursor: readCursor(cursor) });
    return {
      items: page.items,
      nextCursor: formatLogCursor(page.cursor, { self: nodes.id, isShared: nodes.isShared }),
      ...missingNodes(page.silent),
    };
  });

  router.guarded(endpoints.followLogs, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    return eventStream(
      (send) =>
        sharedLogs.follow(project.id, query, {
          onEntry: (data) => send({ event: "log", id: data.requestId ?? data.time, data }),
          onSilent: (data) => send({ event: MISSING_NODE_EVENT, id: data.node, data }),
        }),
      closing,
    );
  });
}

export interface Logs {
  readonly logs: AccessLogs;
  /** Those of all nodes. */
  readonly sharedLogs: SharedLogs;
  readonly capability: Capability;
}

export function createLogs(
  { dataDir, nodes, peers, closing, onTrouble }: Pick<
    Foundation,
    "dataDir" | "nodes" | "peers" | "closing" | "onTrouble"
  >,
  { projects, observer }: { readonly projects: ProjectStore; readonly observer?: LogObserver },
): Logs {
  const logs = new AccessLogs(dataDir.logs, { onTrouble, observer });
  const sharedLogs = new SharedLogs({ local: logs, peers, node: nodes.id, closing, onTrouble });
  return {
    logs,
    sharedLogs,
    capability: {
      name: "logs",
      bindRoutes: (router) => bindLogRoutes(router, { projects, sharedLogs, nodes, closing }),
      removeProject: (projectId) => logs.remove(projectId),
      close: () => logs.close(),
    },
  };
}
