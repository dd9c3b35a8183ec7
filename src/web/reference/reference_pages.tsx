/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows the OpenAPI document as pages, one for each part of the API. */
import type { Child } from "hono/jsx";
import { DocsBar, TableOfContents } from "../docs/docs_frame.tsx";
import { DOCS_POLICY, DOCS_SCRIPT_PATH } from "../docs/docs_script.ts";
import type { Heading } from "../docs/render_markdown.ts";
import { showPage } from "../layout/document.tsx";
import { Operation, Verb } from "./operation.tsx";
import type { Reference, ReferencePart } from "./read_reference.ts";

const WITH_SCRIPT = {
  scripts: [DOCS_SCRIPT_PATH],
  headers: { "content-security-policy": DOCS_POLICY },
} as const;

function Frame({ reference, current, title, lead, headings = [], children }: {
  readonly reference: Reference;
  readonly current?: string;
  readonly title: string;
  readonly lead: Child;
  /** The page's headings, for the table of contents. */
  readonly headings?: readonly Heading[];
  children?: Child;
}) {
  return (
    <>
      <DocsBar />
      <div class={headings.length < 2 ? "shell docs" : "shell docs with-toc"}>
        <nav class="rooms contents" aria-label="API sections">
          <div>
            <h2>API</h2>
            <ul>
              <li>
                <a href={reference.root} aria-current={current === undefined ? "page" : undefined}>
                  Overview of version {reference.version}
                </a>
              </li>
              {reference.parts.map(({ name, slug }) => (
                <li key={slug}>
                  <a
                    href={`${reference.root}/${slug}`}
                    aria-current={slug === current ? "page" : undefined}
                  >
                    {name}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        </nav>
        <main class="content" id="main">
          <header>
            <h1>{title}</h1>
            <p class="soft">{lead}</p>
          </header>
          <TableOfContents headings={headings} />
          <div class="stack">{children}</div>
        </main>
      </div>
    </>
  );
}

/** Renders the overview: all operations, grouped by part. */
export function referenceOverview(reference: Reference): Response {
  return showPage(
    <Frame
      reference={reference}
      title="API reference"
      lead={
        <>
          Send <code>Authorization: Bearer</code> with an API key. For agents:{" "}
          <a href="/v1/openapi.json">OpenAPI document</a>.
        </>
      }
    >
      {reference.parts.map(({ name, slug, description, operations }) => (
        <section class="card" key={slug}>
          <header>
            <h2>{name}</h2>
            <p>{description}</p>
          </header>
          <ul class="items">
            {operations.map(({ method, path, operation }) => (
              <li key={operation.operationId}>
                <a class="what" href={`${reference.root}/${slug}#${operation.operationId}`}>
                  <span class="call">
                    <Verb method={method} path={path} />
                  </span>
                  <span>{operation.summary}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Frame>,
    { title: "API reference", ...WITH_SCRIPT },
  );
}

/** Renders one part of the API, with the inputs and responses of all its operations. */
export function referencePart(reference: Reference, part: ReferencePart): Response {
  return showPage(
    <Frame
      reference={reference}
      current={part.slug}
      title={part.name}
      lead={part.description}
      headings={part.operations.map(({ operation: { operationId: id, summary: text } }) => ({
        level: 2,
        id,
        text,
      }))}
    >
      {part.operations.map((each) => (
        <Operation key={each.operation.operationId} {...each} reference={reference} />
      ))}
    </Frame>,
    { title: `${part.name}: API reference`, ...WITH_SCRIPT },
  );
}
