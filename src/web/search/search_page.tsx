/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * Shows the results of a search in a workspace.
 *
 * @module
 */
import { endpoints } from "../../contract/endpoints.ts";
import { MAX_SEARCH_LENGTH, type SearchResult } from "../../contract/search.ts";
import { readLibrary } from "../../documents/read_library.ts";
import { type BoardServices, openBoard } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { findPages, type KnownPage } from "./known_pages.ts";
import type { BoardContext } from "../layout/page_context.ts";
import { Card } from "../layout/pieces.tsx";
import { Empty, Name } from "../layout/board_pieces.tsx";
import { projectPath, searchPath } from "../layout/bar.tsx";
import { showBoard } from "../layout/show_board.ts";
import { WorkspaceFrame } from "../layout/board_frame.tsx";
import type { Library } from "../../documents/library.ts";
import { pagePath } from "../../documents/places.ts";

/** A document, or a part of one, as a search shows it. */
interface FoundDocument {
  readonly href: string;
  readonly title: string;
  readonly detail: string;
}

/** Maximum number of documents that a search finds. */
const MOST = 10;

/** The documents whose title, description or headings contain a text, the titles first. */
function findDocuments({ documents }: Pick<Library, "documents">, wanted: string) {
  const sought = wanted.toLowerCase();
  const contains = (text: string) => text.toLowerCase().includes(sought);
  const byTitle: FoundDocument[] = [];
  const byHeading: FoundDocument[] = [];
  for (const { name, title, about, text } of documents.values()) {
    const href = pagePath(name);
    if (contains(title) || contains(about)) {
      byTitle.push({ href, title, detail: about });
      continue;
    }
    const heading = [...text.matchAll(/^##+ (.+)$/gm)].find(([, heading]) => contains(heading!));
    if (heading !== undefined) byHeading.push({ href, title, detail: heading[1]! });
  }
  return [...byTitle, ...byHeading].slice(0, MOST);
}

/** Maximum length of a title or a detail, in characters. */
const MAX_TEXT = 160;

const shorten = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;

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

function Results({ title, id, rows }: {
  readonly title: string;
  readonly id: string;
  readonly rows: readonly { readonly href: string; readonly title: string; detail?: string }[];
}) {
  return (
    <Card title={title} id={id}>
      <ol class="rows plain">
        {rows.map(({ href, title, detail }) => (
          <li key={href + title}>
            <div class="main">
              <a class="whole" href={href}>{shorten(title)}</a>
              {detail === undefined || detail === title ? null : (
                <span class="soft mono">
                  <Name text={shorten(detail)} />
                </span>
              )}
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
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
  readonly documents: readonly FoundDocument[];
}): Response {
  const { slug } = context.workspace;
  const { wanted, items, pages, documents } = shown;
  return showBoard(
    <WorkspaceFrame context={context} here="search" title="Search">
      <section class="card" aria-label="Search">
        <div class="body">
          <SearchForm path={searchPath(slug)} wanted={wanted} />
          <p class="soft small keys">
            <kbd>/</kbd> or <kbd>Ctrl</kbd> <kbd>K</kbd> opens search from anywhere. <kbd>↓</kbd>
            {" "}
            and <kbd>↑</kbd> move through the results, <kbd>Enter</kbd> opens it.
          </p>
        </div>
      </section>
      <div id="found" class="stack" aria-live="polite">
        {KINDS.map(([kind, title]) => {
          const found = items.filter((item) => item.kind === kind);
          const rows = found.map((item) => ({ ...item, href: hrefOf(item, slug) }));
          return rows.length === 0
            ? null
            : <Results key={kind} title={title} id={`${kind}s`} rows={rows} />;
        })}
        {pages.length === 0 ? null : (
          <Results
            title="Pages"
            id="pages"
            rows={pages.map(({ name, path }) => ({ href: path, title: name }))}
          />
        )}
        {documents.length === 0
          ? null
          : <Results title="Documents" id="documents" rows={documents} />}
        {items.length + pages.length + documents.length > 0
          ? null
          : (
            <section class="card" aria-label="Results">
              <Empty title="No results" command="svc projects list">
                Only recent deployments are searched. List all:
              </Empty>
            </section>
          )}
      </div>
    </WorkspaceFrame>,
    { title: wanted === "" ? "Search" : `Search: ${shorten(wanted)}` },
  );
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
      documents: wanted === "" ? [] : findDocuments(await readLibrary(), wanted),
    });
  });
}
