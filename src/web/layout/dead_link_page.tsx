/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * What somebody sees whose link leads nowhere any more.
 *
 * @module
 */
import { showPage } from "./document.tsx";
import { EntryFrame } from "./frames.tsx";

/** A page with status 404 that says why, and offers one way on. */
export function deadLinkPage({ lead, path, word, title = "Link used" }: {
  readonly lead: string;
  /** Path of the page to go on to. */
  readonly path: string;
  readonly word: string;
  /** Of the window. */
  readonly title?: string;
}): Response {
  return showPage(
    <EntryFrame title="This link can not be used" lead={lead}>
      <p>
        <a class="button quiet" href={path}>{word}</a>
      </p>
    </EntryFrame>,
    { title, status: 404 },
  );
}
