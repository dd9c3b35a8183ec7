/** Reads an issuer's JSON document, through the guard for outbound requests. @module */
import { createPause } from "../../../lib/next_turn.ts";
import { JsonError, parseJson } from "../../../lib/parse_json.ts";
import { readLimited } from "../../../lib/read_limited.ts";
import { OutboundError, type OutboundFetch } from "../../../runtime/mod.ts";

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 16;
/** Timeout for the whole exchange, in milliseconds. */
const FETCH_MS = 10_000;

export class DocumentError extends Error {
  override readonly name = "DocumentError";
}

async function load(outbound: OutboundFetch, url: string, signal: AbortSignal): Promise<unknown> {
  const answer = await outbound({
    method: "GET",
    url,
    body: null,
    redirect: "manual",
    signal,
    headers: [["accept", "application/json"], ["user-agent", "svc"]],
  });
  if (answer.status !== 200) {
    answer.body?.cancel().catch(() => {});
    const redirects = answer.status >= 300 && answer.status < 400;
    throw new DocumentError(
      `it responded with status ${answer.status}${
        redirects ? ", and redirects are not followed" : ""
      }`,
    );
  }
  const body = answer.bytes === undefined ? answer.body : [answer.bytes];
  const bytes = await readLimited(body, MAX_BYTES);
  if (bytes === undefined) throw new DocumentError(`it is larger than ${MAX_BYTES} bytes`);
  return (await parseJson(bytes, { maxDepth: MAX_DEPTH, pause: createPause() })).value;
}

/** Does not follow redirects. @throws {DocumentError} with the URL */
export async function fetchDocument(outbound: OutboundFetch, url: string): Promise<unknown> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), FETCH_MS);
  try {
    return await load(outbound, url, timeout.signal);
  } catch (cause) {
    const isKnown = cause instanceof DocumentError || cause instanceof OutboundError ||
      cause instanceof JsonError;
    if (!isKnown) throw cause;
    const why = timeout.signal.aborted
      ? `it did not respond within ${FETCH_MS / 1000} seconds`
      : cause.message;
    throw new DocumentError(`Cannot read ${url}: ${why}`, { cause });
  } finally {
    clearTimeout(timer);
  }
}
