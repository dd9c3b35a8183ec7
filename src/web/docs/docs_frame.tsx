/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module The frame around a page of the documentation: search, sections, and table of contents.
 */
import type { Child } from "hono/jsx";
import { CONTENTS } from "../../documents/contents.ts";
import type { Library } from "../../documents/library.ts";
import { pagePath } from "../../documents/places.ts";
import { showPage } from "../layout/document.tsx";
import { PALETTE_PATH } from "../layout/palette_script.ts";
import { Mark } from "../layout/pieces.tsx";
import { DOCS_POLICY, DOCS_SCRIPT_PATH } from "./docs_script.ts";
import { MAX_DOCS_QUERY } from "./docs_limits.ts";
import type { Heading } from "./render_markdown.ts";

function DocsSearch({ query = "" }: { readonly query?: string }) {
  return (
    <form class="docs-search" action="/docs/search" role="search" data-search={PALETTE_PATH}>
      <label class="hush" for="q">Search the documentation</label>
      <input
        id="q"
        name="q"
        type="search"
        value={query}
        maxlength={MAX_DOCS_QUERY}
        placeholder="Search"
        title="Search (/ or Ctrl K)"
        autocomplete="off"
      />
      <button type="submit" class="quiet little">Search</button>
    </form>
  );
}

export function DocsBar({ query }: { readonly query?: string | undefined }) {
  return (
    <header class="bar">
      <Mark />
      <div class="who">
        <a class="plain there" href="/">Dashboard</a>
        <a class="plain" href="/docs">Documentation</a>
        <a class="plain" href="/docs/api">API</a>
        <DocsSearch query={query ?? ""} />
      </div>
    </header>
  );
}

function Sections({ library, current }: {
  readonly library: Library;
  readonly current: string | undefined;
}) {
  return (
    <nav class="rooms contents" aria-label="Documents">
      {CONTENTS.map(({ title, entries }) => (
        <details
          key={title}
          open={current === undefined || entries.some(({ name }) => name === current)}
        >
          <summary>{title}</summary>
          <ul>
            {entries.map(({ name }) => (
              <li key={name}>
                <a href={pagePath(name)} aria-current={name === current ? "page" : undefined}>
                  {library.documents.get(name)!.title}
                </a>
              </li>
            ))}
          </ul>
        </details>
      ))}
    </nav>
  );
}

function HeadingList({ headings }: { readonly headings: readonly Heading[] }) {
  return (
    <ul>
      {headings.map(({ level, id, text }) => (
        <li key={id} class={level === 3 ? "deeper" : undefined}>
          <a href={`#${id}`}>{text}</a>
        </li>
      ))}
    </ul>
  );
}

/**
 * Lists a page's headings: next to the text on wide screens, and collapsed above the text on narrow
 * ones.
 */
export function TableOfContents({ headings }: { readonly headings: readonly Heading[] }) {
  if (headings.length < 2) return null;
  return (
    <>
      <details class="toc-above">
        <summary>On this page</summary>
        <HeadingList headings={headings} />
      </details>
      <nav class="toc" aria-labelledby="toc-title">
        <h2 id="toc-title">On this page</h2>
        <HeadingList headings={headings} />
      </nav>
    </>
  );
}

/** Renders a page of the documentation. */
export function showDocsPage(
  { library, title, current, query, isWide = false, children }: {
    readonly library: Library;
    readonly title: string;
    /** The document's name. */
    readonly current?: string;
    readonly query?: string;
    /** Whether the page has a table of contents next to it. */
    readonly isWide?: boolean;
    readonly children: Child;
  },
): Response {
  return showPage(
    <>
      <DocsBar query={query} />
      <div class={isWide ? "shell docs with-toc" : "shell docs"}>
        <Sections library={library} current={current} />
        <main class="content" id="main">{children}</main>
      </div>
    </>,
    {
      title,
      scripts: [DOCS_SCRIPT_PATH],
      headers: { "content-security-policy": DOCS_POLICY },
    },
  );
}
