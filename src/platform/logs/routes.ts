/**
 * `/v1/projects/{project}/logs`.
 *
 * @module
 */
import { endpoints } from "../../contract/mod.ts";
import { eventStream, Failure, type Router } from "../core/http/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import type { AccessLogs } from "./access_logs.ts";
import type { LogPlace } from "./log_files.ts";
import { logMatcher } from "./log_filter.ts";

const CURSOR = /^(\d{1,8})\.(\d{1,12})$/;

function parseCursor(cursor: string | undefined): LogPlace | undefined {
  if (cursor === undefined) return undefined;
  const match = CURSOR.exec(cursor);
  if (match === null) {
    throw new Failure("invalid_request", `Cursor must come from nextCursor: "${cursor}" does not`);
  }
  return { file: Number(match[1]), offset: Number(match[2]) };
}

export function bindLogRoutes(
  router: Router,
  services: {
    readonly projects: ProjectStore;
    readonly logs: AccessLogs;
    /** Aborted when the platform stops. */
    readonly closing: AbortSignal;
  },
): void {
  const { projects, logs, closing } = services;

  router.guarded(endpoints.listLogs, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    const { cursor, ...filter } = query;
    const page = await logs.read(project.id, { ...filter, before: parseCursor(cursor) });
    return {
      items: page.items,
      nextCursor: page.next === null ? null : `${page.next.file}.${page.next.offset}`,
    };
  });

  router.guarded(endpoints.followLogs, async (caller, { params, query }) => {
    const project = await findProject(projects, caller, params.project);
    const matches = logMatcher(query);
    return eventStream(
      (send) =>
        logs.follow(project.id, (entry) => {
          if (matches(entry)) {
            send({ event: "log", id: entry.requestId ?? entry.time, data: entry });
          }
        }),
      closing,
    );
  });
}
