/**
 * `/docs`, `/llms.txt` and `/llms-full.txt`: the documentation for people and for programs.
 *
 * @module
 */
import type { Library } from "../../documents/library.ts";
import { nameOfPage } from "../../documents/places.ts";
import { readLibrary } from "../../documents/read_library.ts";
import { entityTag, ifNoneMatchNames } from "../../lib/entity_tag.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { Failure, type Router } from "../../platform/core/http/mod.ts";

/** An answer that was made once, and is the same for everyone. */
interface Made {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function keep(answer: Response): Promise<Made> {
  const text = await answer.text();
  const etag = entityTag(sha256Hex(text));
  return {
    text,
    headers: { ...Object.fromEntries(answer.headers), etag, "cache-control": "no-cache" },
  };
}

function send(request: Request, { text, headers }: Made): Response {
  const known = request.headers.get("if-none-match");
  return known !== null && ifNoneMatchNames(known, headers.etag!)
    ? new Response(null, { status: 304, headers })
    : new Response(text, { headers });
}

const textOf = (text: string, type: string): Response =>
  new Response(text, { headers: { "content-type": type, "x-content-type-options": "nosniff" } });

const NOWHERE = "This page of the documentation does not exist. /docs lists all pages";

/** Makes the answer of a path below `/docs`. */
async function makePage(library: Library, page: string): Promise<Response> {
  const { docsOverview, documentPage } = await import("./docs_pages.tsx");
  if (page === "") return docsOverview(library);
  const file = /^([a-z-]+)\.md$/.exec(page)?.[1];
  if (file !== undefined) {
    const found = library.documents.get(file) ?? library.documents.get(nameOfPage(file) ?? "");
    if (found !== undefined) return textOf(found.text, "text/markdown; charset=utf-8");
  }
  const document = library.documents.get(nameOfPage(page) ?? "");
  if (document === undefined) throw new Failure("not_found", NOWHERE);
  return documentPage(library, document);
}

function makeSchema(library: Library, file: string): Response {
  const schema = library.schemas.get(file);
  if (schema === undefined) throw new Failure("not_found", NOWHERE);
  return textOf(schema, "application/schema+json; charset=utf-8");
}

/** Binds the documentation of a platform. It is read at the first visit, and made page by page. */
export function bindDocs(
  router: Router,
  { publicOrigin }: { readonly publicOrigin: string },
): void {
  const made = new Map<string, Made>();
  const bind = (
    path: string,
    make: (library: Library, part: string) => Response | Promise<Response>,
  ): void =>
    router.page("GET", path, async ({ request, params }) => {
      const part = params.part ?? "";
      const key = `${path} ${part}`;
      let answer = made.get(key);
      if (answer === undefined) {
        // Only what is there gets this far, so that the map has an end.
        answer = await keep(await make(await readLibrary(), part));
        made.set(key, answer);
      }
      return send(request, answer);
    });
  const plain = "text/plain; charset=utf-8";
  bind("/docs", makePage);
  bind("/docs/:part", makePage);
  bind("/docs/schema/:part", makeSchema);
  bind("/llms.txt", (library) => textOf(library.index(publicOrigin), plain));
  bind("/llms-full.txt", (library) => textOf(library.whole(), plain));
}
