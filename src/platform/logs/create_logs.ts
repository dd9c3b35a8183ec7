/** Wires up the logs of requests, functions and servers. @module */
import type { Clock } from "../../lib/clock.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import { type EnvironmentStore, findEnvironmentName } from "../environments/mod.ts";
import { findProject, type ProjectRecord, type ProjectStore } from "../projects/mod.ts";
import { AccessLogs } from "./access_logs.ts";
import type { LogObserver } from "./log_observer.ts";
import { summarize } from "./log_counts.ts";
import { SharedLogs } from "./shared_logs.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { MISSING_NODE_EVENT } from "../../contract/common.ts";
import type { LogEntry } from "../../contract/logs.ts";
import { eventStream, Failure, type Router } from "../core/http/mod.ts";
import type { Nodes } from "../core/nodes/mod.ts";
import { missingNodes } from "../core/peers/mod.ts";
import { formatLogCursor, type LogCursor, parseLogCursor } from "./log_cursor.ts";

/** Finds the deployments whose entries an environment includes. */
type DeploymentsOf = (
  projectId: string,
  environment: string,
) => Promise<readonly string[]>;

/** Finds the environment of a deployment. */
type EnvironmentOf = (projectId: string, deploymentId: string) => Promise<string | undefined>;

function bindLogRoutes(
  router: Router,
  services: {
    readonly projects: ProjectStore;
    readonly environments: EnvironmentStore;
    readonly deploymentsOf: DeploymentsOf;
    readonly environmentOf: EnvironmentOf;
    readonly sharedLogs: SharedLogs;
    readonly now: Clock;
    readonly nodes: Pick<Nodes, "id" | "isShared">;
    /** Aborted when the platform stops. */
    readonly closing: AbortSignal;
    onTrouble(message: string): void;
  },
): void {
  const { projects, environments, deploymentsOf, sharedLogs, nodes, closing, now } = services;

  /** Returns the filter, restricted to the deployments of its environment. */
  async function withDeployments<Filter extends { readonly environment?: string | undefined }>(
    project: ProjectRecord,
    { environment, ...filter }: Filter,
  ) {
    if (environment === undefined) return filter;
    const name = await findEnvironmentName(environments, project, environment);
    return { ...filter, deployments: [...await deploymentsOf(project.id, name)] };
  }

  function readCursor(text: string | undefined): LogCursor | undefined {
    if (text === undefined) return undefined;
    const cursor = parseLogCursor(text, nodes.id);
    if (cursor !== undefined) return cursor;
    throw new Failure("invalid_request", `Cursor must come from nextCursor: "${text}" does not`);
  }

  router.guarded(endpoints.listLogs, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    const { cursor, ...rest } = query;
    const filter = await withDeployments(project, rest);
    const page = await sharedLogs.read(project.id, { ...filter, cursor: readCursor(cursor) });
    return {
      items: page.items,
      nextCursor: formatLogCursor(page.cursor, { self: nodes.id, isShared: nodes.isShared }),
      ...missingNodes(page.silent),
    };
  });

  router.guarded(endpoints.getLogSummary, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    const filter = await withDeployments(project, query);
    const { counts, silent } = await sharedLogs.count(project.id, filter);
    const time = (text: string | undefined) => text === undefined ? undefined : Date.parse(text);
    return {
      ...summarize(counts, { since: time(query.since), until: time(query.until), now: now() }),
      ...missingNodes(silent),
    };
  });

  /**
   * Returns a function that passes on the entries from an environment, in order. Deployments that
   * are created later count too.
   */
  function inEnvironment(
    project: ProjectRecord,
    environment: string,
    pass: (entry: LogEntry) => void,
  ): (entry: LogEntry) => void {
    const known = new Map<string, boolean>();
    const isIn = async (id: string): Promise<boolean> => {
      const found = known.get(id) ??
        await services.environmentOf(project.id, id) === environment;
      known.set(id, found);
      return found;
    };
    let last = Promise.resolve();
    return (entry) => {
      last = last.then(async () => {
        if (await isIn(entry.deploymentId)) pass(entry);
      }).catch((error) => services.onTrouble(`Cannot find an entry's environment: ${error}`));
    };
  }

  router.guarded(endpoints.followLogs, async (caller, { params, query, recheck }) => {
    const project = await findProject(projects, caller, params.project);
    const { environment, ...filter } = query;
    const name = environment && await findEnvironmentName(environments, project, environment);
    return eventStream(
      (send) => {
        const pass = (data: LogEntry) =>
          send({ event: "log", id: data.requestId ?? data.time, data });
        return sharedLogs.follow(project.id, filter, {
          onEntry: name === undefined ? pass : inEnvironment(project, name, pass),
          onSilent: (data) => send({ event: MISSING_NODE_EVENT, id: data.node, data }),
        });
      },
      {
        closing,
        recheck: async () => await findProject(projects, await recheck(), project.id),
      },
    );
  });
}

export interface Logs {
  readonly logs: AccessLogs;
  /** The combined logs of all nodes. */
  readonly sharedLogs: SharedLogs;
  readonly capability: Capability;
}

export function createLogs(
  { dataDir, nodes, peers, closing, now, onTrouble }: Pick<
    Foundation,
    "dataDir" | "nodes" | "peers" | "closing" | "now" | "onTrouble"
  >,
  { projects, environments, deploymentsOf, environmentOf, observer }: {
    readonly projects: ProjectStore;
    readonly environments: EnvironmentStore;
    readonly deploymentsOf: DeploymentsOf;
    readonly environmentOf: EnvironmentOf;
    readonly observer?: LogObserver;
  },
): Logs {
  const logs = new AccessLogs(dataDir.logs, { onTrouble, observer });
  const sharedLogs = new SharedLogs({ local: logs, peers, node: nodes.id, closing, onTrouble });
  return {
    logs,
    sharedLogs,
    capability: {
      name: "logs",
      bindRoutes: (router) =>
        bindLogRoutes(router, {
          projects,
          environments,
          deploymentsOf,
          environmentOf,
          sharedLogs,
          nodes,
          closing,
          onTrouble,
          now,
        }),
      removeProject: (projectId) => logs.remove(projectId),
      close: () => logs.close(),
    },
  };
}
