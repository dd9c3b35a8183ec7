/** @module Sends pages to a browser, compressed if the browser accepts it. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { takesGzip } from "../layout/asset.ts";

const pack = promisify(gzip);

/** Shorter pages are not compressed because they fit into one packet. */
const MIN_CHARACTERS = 1200;

/**
 * Compresses a page. The compressed length can reveal secrets (BREACH), so secrets in the page must
 * change each time, as form tokens do, or be shown only once.
 */
export async function packedPage(request: Request, page: Response): Promise<Response> {
  const { status, headers } = page;
  const isPage = headers.get("content-type")?.startsWith("text/html") === true;
  if (!isPage || page.body === null || headers.has("content-encoding")) return page;
  headers.append("vary", "accept-encoding");
  if (!takesGzip(request.headers.get("accept-encoding"))) return page;
  const text = await page.text();
  if (text.length < MIN_CHARACTERS) return new Response(text, { status, headers });
  headers.set("content-encoding", "gzip");
  return new Response(new Uint8Array(await pack(text)), { status, headers });
}
