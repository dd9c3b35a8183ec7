/** @module `/docs`, `/llms.txt` and `/llms-full.txt`. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Library } from "../../documents/library.ts";
import { nameOfPage } from "../../documents/places.ts";
import { readLibrary } from "../../documents/read_library.ts";
import { entityTag, ifNoneMatchNames } from "../../lib/entity_tag.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { Failure, type Router } from "../../platform/core/http/mod.ts";
import { takesGzip } from "../layout/asset.ts";
import { DOCS_SCRIPT_PATH, showDocsScript } from "./docs_script.ts";
import { MAX_DOCS_QUERY } from "./docs_limits.ts";

/** A response that is rendered once and then sent to everyone. */
interface StoredPage {
  readonly plain: string;
  readonly packed: Uint8Array<ArrayBuffer>;
  /**
   * Separate entity tags for the plain and the compressed form, because a strong tag guarantees
   * identical bytes.
   */
  readonly tags: { readonly plain: string; readonly packed: string };
  readonly headers: Readonly<Record<string, string>>;
}

const pack = promisify(gzip);

async function store(response: Response): Promise<StoredPage> {
  const plain = await response.text();
  const hash = sha256Hex(plain);
  return {
    plain,
    packed: new Uint8Array(await pack(plain)),
    tags: { plain: entityTag(hash), packed: entityTag(sha256Hex(`${hash} gzip`)) },
    headers: {
      ...Object.fromEntries(response.headers),
      "cache-control": "no-cache",
      vary: "accept-encoding",
    },
  };
}

function send(request: Request, { plain, packed, tags, ...page }: StoredPage): Response {
  const isPacked = takesGzip(request.headers.get("accept-encoding"));
  const headers = { ...page.headers, etag: isPacked ? tags.packed : tags.plain };
  const known = request.headers.get("if-none-match");
  if (known !== null && ifNoneMatchNames(known, headers.etag)) {
    return new Response(null, { status: 304, headers });
  }
  return isPacked
    ? new Response(packed, { headers: { ...headers, "content-encoding": "gzip" } })
    : new Response(plain, { headers });
}

const textOf = (text: string, type: string): Response =>
  new Response(text, { headers: { "content-type": type, "x-content-type-options": "nosniff" } });

const NOWHERE = "This documentation page does not exist. All pages are listed at /docs";

/** Renders a path under `/docs`. */
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

async function showSearch({ request }: { readonly request: Request }): Promise<Response> {
  const [{ docsSearchPage }, { searchDocuments }] = await Promise.all([
    import("./docs_pages.tsx"),
    import("./search_documents.ts"),
  ]);
  const given = new URL(request.url).searchParams.get("q") ?? "";
  const query = given.slice(0, MAX_DOCS_QUERY).toWellFormed().trim();
  return docsSearchPage(await readLibrary(), query, await searchDocuments(query));
}

/**
 * Binds the routes of a platform's documentation. The documents are read on the first visit, and
 * each page is rendered when it is first requested.
 */
export function bindDocs(
  router: Router,
  { publicOrigin }: { readonly publicOrigin: string },
): void {
  const pages = new Map<string, StoredPage>();
  const bind = (
    path: string,
    make: (library: Library, part: string) => Response | Promise<Response>,
  ): void =>
    router.page("GET", path, async ({ request, params }) => {
      const part = params.part ?? "";
      const key = `${path} ${part}`;
      let page = pages.get(key);
      if (page === undefined) {
        // `make` throws for pages that do not exist, so this map cannot grow without limit.
        page = await store(await make(await readLibrary(), part));
        pages.set(key, page);
      }
      return send(request, page);
    });
  const plain = "text/plain; charset=utf-8";
  bind("/docs", makePage);
  router.page("GET", "/docs/search", showSearch);
  router.page("GET", DOCS_SCRIPT_PATH, showDocsScript);
  bind("/docs/:part", makePage);
  bind("/docs/schema/:part", makeSchema);
  bind("/llms.txt", (library) => textOf(library.index(publicOrigin), plain));
  bind("/llms-full.txt", (library) => textOf(library.whole(), plain));
}
