/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import { showPage } from "./document.tsx";
import { EntryFrame } from "./frames.tsx";

/** Renders a page with status 404, the reason, and links to continue. */
export function deadLinkPage({ lead, path, word, title = "Link used" }: {
  readonly lead: string;
  /** Path of the page to which the button leads. */
  readonly path: string;
  readonly word: string;
  /** Title of the browser window. */
  readonly title?: string;
}): Response {
  return showPage(
    <EntryFrame title="This link no longer works" lead={lead}>
      <p>
        <a class="button quiet" href={path}>{word}</a>
      </p>
    </EntryFrame>,
    { title, status: 404 },
  );
}
