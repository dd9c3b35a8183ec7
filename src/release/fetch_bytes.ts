/** @module Requests a release's files. */
import { readLimited } from "../lib/read_limited.ts";
import { readUntilAborted } from "../lib/read_until_aborted.ts";
import { ReleaseError } from "./release_error.ts";

/** Maximum time without receiving a byte, in milliseconds. */
const IDLE_MS = 60_000;

export interface Source {
  readonly fetch: typeof fetch;
  /** Aborted when the user stops the program. */
  readonly signal: AbortSignal;
}

const CHECK_NETWORK = "Check the network, HTTPS_PROXY and SVC_RELEASES_URL, and try again";

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/ \(os error \d+\)/g, "");

/**
 * Starts a timer. Its signal is aborted when `signal` is aborted, or when nothing arrives for a
 * minute.
 */
function startIdleTimer(signal: AbortSignal) {
  const idle = new AbortController();
  const expire = () =>
    idle.abort(new ReleaseError(`No data arrived for ${IDLE_MS / 1000} seconds`));
  let timer = setTimeout(expire, IDLE_MS);
  return {
    signal: AbortSignal.any([signal, idle.signal]),
    restart() {
      clearTimeout(timer);
      timer = setTimeout(expire, IDLE_MS);
    },
    stop: () => clearTimeout(timer),
  };
}

/**
 * Yields a file's bytes as they arrive.
 *
 * @throws {ReleaseError} if the server does not have the file, or the connection breaks.
 */
export async function* fetchChunks(url: string, source: Source): AsyncGenerator<Uint8Array> {
  const timer = startIdleTimer(source.signal);
  let received = 0;
  try {
    const response = await source.fetch(url, { signal: timer.signal });
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new ReleaseError(`Cannot get ${url}: the server responded with ${response.status}`, {
        hint: response.status === 404
          ? "Check the version and SVC_RELEASES_URL: there is no such release"
          : CHECK_NETWORK,
      });
    }
    for await (const chunk of readUntilAborted(response.body, timer.signal)) {
      timer.restart();
      received += chunk.byteLength;
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof ReleaseError || source.signal.aborted) throw cause;
    const when = received === 0 ? "" : ` after ${received} bytes`;
    throw new ReleaseError(`Cannot get ${url}: the connection failed${when}: ${reasonOf(cause)}`, {
      hint: CHECK_NETWORK,
      cause,
    });
  } finally {
    timer.stop();
  }
}

/** Fetches a small file completely. */
export async function fetchSmall(
  url: string,
  source: Source & { readonly maxBytes: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readLimited(fetchChunks(url, source), source.maxBytes);
  if (bytes !== undefined) return bytes;
  throw new ReleaseError(`Cannot use ${url}: it is larger than ${source.maxBytes} bytes`);
}
