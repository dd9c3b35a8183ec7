/** @module Opens a page about keys, which only owners can see. */
import type { ApiKey } from "../../contract/api_keys.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { type BoardServices, type BoardVisit, openBoard } from "../visit/board_context.ts";
import type { PersonVisit } from "../visit/page_binder.tsx";
import { Failure } from "../../platform/core/http/mod.ts";
import type { GrantChoices } from "./grant_fields.tsx";

/** Maximum number of pages that are searched for a key. */
const MAX_PAGES = 10;

/**
 * Opens a page of the workspace in the path. @throws {Failure} `forbidden` for people who are not
 * owners
 */
export async function openKeys(
  visit: PersonVisit,
  services: BoardServices,
): Promise<BoardVisit & { readonly choices: GrantChoices }> {
  const slug = visit.params.slug ?? "";
  const board = await openBoard(visit, slug, services);
  if (board.context.workspace.role !== "owner") {
    throw new Failure("forbidden", `Only owners of "${slug}" can do this`);
  }
  const { items, nextCursor } = await board.api.call(endpoints.listProjects, {
    query: { limit: PAGE_LIMIT_MAX },
  });
  const projects = items.map(({ id, name }) => ({ id, name }));
  return { ...board, choices: { projects, hasMore: nextCursor !== null } };
}

/** Finds a key by its ID. @throws {Failure} `not_found` */
export async function findKey({ api }: BoardVisit, id: string): Promise<ApiKey> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, nextCursor } = await api.call(endpoints.listApiKeys, {
      query: { limit: PAGE_LIMIT_MAX, cursor },
    });
    const found = items.find((each) => each.id === id);
    if (found !== undefined) return found;
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  throw new Failure("not_found", "This API key does not exist or was revoked");
}
