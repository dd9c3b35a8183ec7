/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows the results of a search in a workspace. */
import { endpoints } from "../../contract/endpoints.ts";
import { MAX_SEARCH_LENGTH, type SearchResult } from "../../contract/search.ts";
import { type BoardServices, openBoard } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { findPages, type KnownPage } from "./known_pages.ts";
import type { BoardContext } from "../layout/page_context.ts";
import type { FoundSection } from "../docs/search_documents.ts";
import { Empty } from "../layout/board_pieces.tsx";
import { Found, shorten } from "../layout/found.tsx";
import { projectPath, searchPath } from "../layout/bar.tsx";
import { showBoard } from "../layout/show_board.ts";
import { WorkspaceFrame } from "../layout/board_frame.tsx";

/** Maximum number of document sections in search results. */
const MOST_SECTIONS = 8;

const KINDS = [
  ["project", "Projects"],
  ["deployment", "Deployments"],
  ["domain", "Domains"],
  ["database", "Databases"],
  ["member", "Members"],
] as const;

function hrefOf({ kind, id, project, title }: SearchResult, slug: string): string {
  if (kind === "deployment") return `/deployments/${id}`;
  if (project === null) return `/workspaces/${slug}#members`;
  const pages = { project: "", domain: "domains", database: `databases/${title}`, member: "" };
  return projectPath(slug, project, pages[kind]);
}

function SearchForm({ path, wanted }: { readonly path: string; readonly wanted: string }) {
  return (
    <form
      method="get"
      action={path}
      class="line-form"
      role="search"
      hx-get={path}
      hx-target="#found"
      hx-select="#found"
      hx-swap="outerHTML"
      hx-trigger="input changed delay:250ms from:#q, submit"
      hx-push-url="true"
    >
      <div class="field">
        <label for="q">Search by name, message, commit, hostname or person</label>
        <input
          id="q"
          name="q"
          type="search"
          maxlength={MAX_SEARCH_LENGTH}
          value={wanted}
          autocomplete="off"
          spellcheck={false}
          autofocus
        />
      </div>
      <button type="submit">Search</button>
    </form>
  );
}

function searchPage(context: BoardContext, shown: {
  readonly wanted: string;
  readonly items: readonly SearchResult[];
  readonly pages: readonly KnownPage[];
  readonly documents: readonly FoundSection[];
}): Response {
  const { slug } = context.workspace;
  const { wanted, items, pages, documents } = shown;
  return showBoard(
    <WorkspaceFrame context={context} here="search" title="Search">
      <section class="card" aria-label="Search">
        <div class="body">
          <SearchForm path={searchPath(slug)} wanted={wanted} />
          <p class="soft small keys">
            <kbd>/</kbd> or <kbd>Ctrl</kbd> <kbd>K</kbd> opens the search from anywhere.{" "}
            <kbd>↓</kbd> and <kbd>↑</kbd> move through the results, <kbd>Enter</kbd> opens one.
          </p>
        </div>
      </section>
      <div id="found" class="stack" aria-live="polite">
        {KINDS.map(([kind, title]) => {
          const found = items.filter((item) => item.kind === kind);
          const rows = found.map((item) => ({ ...item, href: hrefOf(item, slug) }));
          return rows.length === 0
            ? null
            : <Found key={kind} title={title} id={`${kind}s`} rows={rows} />;
        })}
        {pages.length === 0 ? null : (
          <Found
            title="Pages"
            id="pages"
            rows={pages.map(({ name, path }) => ({ href: path, title: name }))}
          />
        )}
        {documents.length === 0 ? null : (
          <Found
            title="Documentation"
            id="documentation"
            rows={documents.map(({ href, title, heading, excerpt, words }) => ({
              href,
              title: heading === title ? title : `${title}: ${heading}`,
              detail: excerpt,
              words,
            }))}
          />
        )}
        {items.length + pages.length + documents.length > 0
          ? null
          : (
            <section class="card" aria-label="Results">
              <Empty title="No results" command="svc projects list">
                Only recent deployments are searched. List all projects:
              </Empty>
            </section>
          )}
      </div>
    </WorkspaceFrame>,
    { title: wanted === "" ? "Search" : `Search: ${shorten(wanted)}` },
  );
}

/** Searches the documentation. The index is loaded on the first search. */
async function findDocuments(wanted: string): Promise<FoundSection[]> {
  const { searchDocuments } = await import("../docs/search_documents.ts");
  return (await searchDocuments(wanted)).slice(0, MOST_SECTIONS);
}

export function bindSearch(bind: PageBinder, services: BoardServices): void {
  bind.personal("GET", "/workspaces/:slug/search", async (visit) => {
    const { context, api } = await openBoard(visit, visit.params.slug ?? "", services);
    const wanted = (visit.query.get("q") ?? "").slice(0, MAX_SEARCH_LENGTH).toWellFormed().trim();
    const project = /^[a-z0-9-]{1,63}$/.exec(visit.query.get("project") ?? "")?.[0];
    const { items } = wanted === ""
      ? { items: [] }
      : await api.call(endpoints.search, { query: { query: wanted } });
    return searchPage(context, {
      wanted,
      items,
      pages: findPages(context.workspace.slug, wanted, project),
      documents: wanted === "" ? [] : await findDocuments(wanted),
    });
  });
}
