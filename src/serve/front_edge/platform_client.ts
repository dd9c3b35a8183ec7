/** Sends a front edge's own requests to the platform, with its key. @module */
import type * as z from "zod";
import { readUntilAborted } from "../../lib/read_until_aborted.ts";
import { UnavailableError } from "../../lib/unavailable_error.ts";
import { EDGE_PATHS } from "../../platform/edges/mod.ts";

/** Maximum time until the response headers arrive, in milliseconds. */
const HEAD_MS = 10_000;

/** Maximum time for a whole response, in milliseconds. */
const READ_MS = 30_000;

/**
 * An error if the platform does not accept the key, because the key was revoked or never existed.
 */
export class EdgeKeyError extends Error {
  override readonly name = "EdgeKeyError";
}

/** Seconds after which visitors should retry. */
const RETRY_AFTER_SECONDS = 1;

const unavailable = (message: string, cause?: unknown): UnavailableError =>
  new UnavailableError(message, { cause, retryAfter: RETRY_AFTER_SECONDS });

export class PlatformClient {
  readonly #base: URL;
  readonly #key: string;

  constructor({ join, key }: { readonly join: URL; readonly key: string }) {
    this.#base = new URL(EDGE_PATHS, join);
    this.#key = key;
  }

  /** Sends a request. Returns `undefined` if the platform does not have what was requested. */
  async send(
    path: string,
    { body, signal }: { readonly body?: unknown; readonly signal?: AbortSignal } = {},
  ): Promise<Response | undefined> {
    const head = new AbortController();
    const timer = setTimeout(() => head.abort(), HEAD_MS);
    try {
      const response = await fetch(new URL(path, this.#base), {
        method: body === undefined ? "GET" : "POST",
        redirect: "manual",
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        signal: signal === undefined ? head.signal : AbortSignal.any([signal, head.signal]),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (response.ok) return response;
      await response.body?.cancel();
      if (response.status === 404) return undefined;
      if (response.status === 401) throw new EdgeKeyError("The platform does not accept the key");
      throw unavailable(`The platform responded with status ${response.status}`);
    } catch (cause) {
      if (cause instanceof EdgeKeyError || cause instanceof UnavailableError) throw cause;
      throw unavailable("The platform is not responding", cause);
    } finally {
      clearTimeout(timer);
    }
  }

  async read<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    const late = AbortSignal.timeout(READ_MS);
    const response = await this.send(path, { signal: late });
    if (response === undefined) return undefined;
    const chunks = response.body === null ? [] : readUntilAborted(response.body, late);
    return schema.parse(await new Response(ReadableStream.from(chunks)).json());
  }
}
