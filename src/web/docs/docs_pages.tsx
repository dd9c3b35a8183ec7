/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The documentation pages. */
import { raw } from "hono/html";
import { CONTENTS } from "../../documents/contents.ts";
import type { Document, Library } from "../../documents/library.ts";
import { pagePath } from "../../documents/places.ts";
import { Found } from "../layout/found.tsx";
import { showDocsPage, TableOfContents } from "./docs_frame.tsx";
import { renderMarkdown } from "./render_markdown.ts";
import type { FoundSection } from "./search_documents.ts";

/** Renders the list of all documents. */
export function docsOverview(library: Library): Response {
  return showDocsPage({
    library,
    title: "Documentation",
    children: (
      <>
        <header>
          <h1>Documentation</h1>
          <p class="soft">
            New to svc? Start with the{" "}
            <a href={pagePath("quick-start")}>quick start</a>. For agents:{" "}
            <a href="/llms.txt">llms.txt</a>, or add <code>.md</code> to the URL of a page.
          </p>
        </header>
        {CONTENTS.map(({ title, entries }) => (
          <section class="card" key={title}>
            <header>
              <h2>{title}</h2>
            </header>
            <ul class="items">
              {entries.map(({ name, about }) => (
                <li key={name}>
                  <a class="what" href={pagePath(name)}>
                    <span>{library.documents.get(name)!.title}</span>
                    <span>{about}</span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </>
    ),
  });
}

/** Returns the section of the overview that lists the document. */
function Section({ name }: { readonly name: string }) {
  const section = CONTENTS.find(({ entries }) => entries.some((entry) => entry.name === name))!;
  return (
    <p class="small soft">
      <a href="/docs">Documentation</a> / {section.title}
    </p>
  );
}

const ORDER: readonly string[] = CONTENTS.flatMap(({ entries }) => entries.map(({ name }) => name));

/** Links to the previous and next document, in the order of the contents. */
function Neighbors({ library, name }: { readonly library: Library; readonly name: string }) {
  const at = ORDER.indexOf(name);
  const [previous, next] = [ORDER[at - 1], ORDER[at + 1]];
  const titleOf = (other: string) => library.documents.get(other)!.title;
  return (
    <nav class="neighbors" aria-label="Previous and next page">
      {previous === undefined ? null : (
        <a rel="prev" href={pagePath(previous)}>
          <span>Previous</span>
          {titleOf(previous)}
        </a>
      )}
      {next === undefined ? null : (
        <a rel="next" href={pagePath(next)}>
          <span>Next</span>
          {titleOf(next)}
        </a>
      )}
    </nav>
  );
}

export function documentPage(library: Library, { name, title, text }: Document): Response {
  const { html, headings } = renderMarkdown(text);
  return showDocsPage({
    library,
    title,
    current: name,
    isWide: true,
    children: (
      <>
        <Section name={name} />
        <TableOfContents headings={headings} />
        <article class="prose">{raw(html)}</article>
        <Neighbors library={library} name={name} />
        <p class="small soft">
          <a href={`/docs/${name}.md`}>View as Markdown</a>
        </p>
      </>
    ),
  });
}

/** Renders search results. */
export function docsSearchPage(
  library: Library,
  query: string,
  found: readonly FoundSection[],
): Response {
  return showDocsPage({
    library,
    title: query === "" ? "Search" : `${query}: search`,
    query,
    children: (
      <>
        <header>
          <h1>Search the documentation</h1>
          <p class="soft">
            {query === ""
              ? "Enter a command, a setting, an error code or any other word."
              : found.length === 0
              ? `No results for “${query}”. Try fewer or different words.`
              : `Results for “${query}”`}
          </p>
        </header>
        <div id="found" class="stack">
          {[...Map.groupBy(found, ({ title }) => title)].map(([title, sections], index) => (
            <Found
              key={title}
              title={title}
              id={`found-${index}`}
              rows={sections.map(({ href, heading, excerpt, words }) => ({
                href,
                title: heading,
                detail: excerpt,
                words,
              }))}
            />
          ))}
        </div>
      </>
    ),
  });
}
