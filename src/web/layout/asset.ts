/** @module Serves files that pages load. The files are compressed once and cached permanently. */
import { gzipSync } from "node:zlib";

/** Whether a client accepts gzip, according to its `accept-encoding` header. */
export const takesGzip = (accepted: string | null): boolean =>
  /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(accepted ?? "");

type Content = string | Uint8Array<ArrayBuffer>;

/**
 * Creates a handler for a file whose URL contains a hash of its content. The file is read when it
 * is first requested.
 */
export function makeAsset(
  type: string,
  read: () => Content | Promise<Content>,
): (visit: { readonly request: Request }) => Promise<Response> {
  let files: Promise<{ readonly plain: Content; readonly packed: Content }> | undefined;
  const load = async () => {
    const plain = await read();
    return { plain, packed: new Uint8Array(gzipSync(plain, { level: 9 })) };
  };
  return async ({ request }) => {
    const { plain, packed } = await (files ??= load());
    const isPacked = takesGzip(request.headers.get("accept-encoding"));
    return new Response(isPacked ? packed : plain, {
      headers: {
        "content-type": type,
        "cache-control": "public, max-age=31536000, immutable",
        "vary": "accept-encoding",
        "x-content-type-options": "nosniff",
        ...(isPacked ? { "content-encoding": "gzip" } : {}),
      },
    });
  };
}
