/**
 * `/workspaces/{slug}/search`.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { MAX_SEARCH_LENGTH } from "../../contract/search.ts";
import { readLibrary } from "../../documents/read_library.ts";
import { type BoardServices, openBoard } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { findDocuments } from "./find_documents.ts";
import { findPages } from "./known_pages.ts";
import { searchPage } from "./search_page.tsx";

export function bindSearch(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", "/workspaces/:slug/search", async (visit) => {
    const { context, api } = await openBoard(visit, visit.params.slug ?? "", services);
    const wanted = (visit.query.get("q") ?? "").slice(0, MAX_SEARCH_LENGTH).toWellFormed().trim();
    const { items } = wanted === ""
      ? { items: [] }
      : await api.call(endpoints.search, { query: { query: wanted } });
    return searchPage(context, {
      wanted,
      items,
      pages: findPages(context.workspace.slug, wanted),
      documents: wanted === "" ? [] : findDocuments(await readLibrary(), wanted),
    });
  });
}
