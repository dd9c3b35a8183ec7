/**
 * `/v1/projects/{project}/errors`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import type { ErrorDetails, ErrorSummary } from "../../contract/errors.ts";
import type { LogEntry } from "../../contract/logs.ts";
import { missingNodes, type SilentNode } from "../core/peers/mod.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import type { SharedLogs } from "../logs/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import type { ErrorGroup } from "./error_group.ts";
import type { ErrorStore } from "./error_store.ts";

/** Lines of the log that are shown of a request. */
const LINES = 50;
/** Requests that began long ago are not searched for in the log, which may be large. */
const SEARCHED_MS = 24 * 60 * 60 * 1000;
/** How much earlier than its error a request may have begun, in milliseconds. */
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

export function bindErrorRoutes(
  router: Router,
  { projects, store, saveAll, sharedLogs }: {
    readonly projects: ProjectStore;
    readonly store: Pick<ErrorStore, "find" | "list">;
    /** Brings into the store what all nodes have; resolves with those that did not. */
    saveAll(): Promise<readonly SilentNode[]>;
    readonly sharedLogs: Pick<SharedLogs, "read">;
  },
): void {
  /** Reads the log lines of the latest request with an error. */
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
        `Cursor must come from nextCursor: "${cursor}" does not`,
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
