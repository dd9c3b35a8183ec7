/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * The documentation as pages.
 *
 * @module
 */
import type { Child } from "hono/jsx";
import { raw } from "hono/html";
import { CONTENTS } from "../../documents/contents.ts";
import type { Document, Library } from "../../documents/library.ts";
import { pagePath } from "../../documents/places.ts";
import { Mark } from "../layout/pieces.tsx";
import { showPage } from "../layout/document.tsx";
import { renderMarkdown } from "./render_markdown.ts";

function Frame({ library, current, children }: {
  readonly library: Library;
  readonly current?: string;
  children?: Child;
}) {
  return (
    <>
      <header class="bar">
        <Mark />
        <div class="who">
          <a class="plain" href="/docs">All documents</a>
        </div>
      </header>
      <div class="shell">
        <nav class="rooms contents" aria-label="Documents">
          {CONTENTS.map(({ title, entries }) => (
            <div key={title}>
              <h2>{title}</h2>
              <ul>
                {entries.map(({ name }) => (
                  <li key={name}>
                    <a href={pagePath(name)} aria-current={name === current ? "page" : undefined}>
                      {library.documents.get(name)!.title}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        <main class="content" id="main">{children}</main>
      </div>
    </>
  );
}

/** Renders the list of all documents. */
export function docsOverview(library: Library): Response {
  return showPage(
    <Frame library={library}>
      <header>
        <h1>Documentation</h1>
        <p class="soft">
          Every endpoint is in the <a href="/docs/api">reference of the API</a>. Programs read{" "}
          <a href="/llms.txt">llms.txt</a>, and any page with <code>.md</code> as its ending.
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
    </Frame>,
    { title: "Documentation" },
  );
}

/** Renders a document. */
export function documentPage(library: Library, { name, title, text }: Document): Response {
  return showPage(
    <Frame library={library} current={name}>
      <article class="prose">{raw(renderMarkdown(text))}</article>
      <p class="small soft">
        <a href={`/docs/${name}.md`}>This page as Markdown</a>
      </p>
    </Frame>,
    { title },
  );
}
