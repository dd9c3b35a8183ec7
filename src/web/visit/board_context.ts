/** @module Opens a dashboard page's workspace, and collects the content of the page's frame. */
import type { Clock } from "../../lib/clock.ts";
import type { Authenticator } from "../../platform/accounts/mod.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import type { WorkspaceService } from "../../platform/workspaces/mod.ts";
import type { BoardContext } from "../layout/page_context.ts";
import type { PageApi } from "./page_api.ts";
import type { PersonVisit } from "./page_binder.tsx";
import { pageContextOf } from "./page_context.ts";

export interface BoardServices {
  readonly workspaces: WorkspaceService;
  readonly authenticator: Pick<Authenticator, "memory">;
  readonly now: Clock;
}

/** The inputs for a dashboard page. */
export interface BoardVisit {
  readonly visit: PersonVisit;
  readonly context: BoardContext;
  /** The public API in the page's workspace. */
  readonly api: PageApi;
}

/**
 * Opens a page of the workspace `slug`.
 *
 * @throws {Failure} `not_found` if the person is not a member.
 */
export async function openBoard(
  visit: PersonVisit,
  slug: string,
  { workspaces, authenticator, now }: BoardServices,
): Promise<BoardVisit> {
  const [workspace, context] = await Promise.all([
    authenticator.memory.workspaceBySlug(visit.person.user.id, slug),
    pageContextOf(visit, workspaces),
  ]);
  if (workspace === undefined) {
    throw new Failure("not_found", `Workspace "${slug}" does not exist`);
  }
  return { visit, api: visit.api(slug), context: { ...context, workspace, now: now() } };
}

/** Returns the resource's name from an action's form. */
export const namedIn = ({ visit }: Pick<BoardVisit, "visit">): string =>
  (visit.fields.what ?? "").slice(0, 200);
