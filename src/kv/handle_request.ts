/** @module The HTTP API of a key-value store (docs/kv.md). */
import { readLimited } from "../lib/read_limited.ts";
import type { KvStore } from "./kv_store.ts";
import { MAX_VALUE_BYTES } from "../lib/kv_limits.ts";
import { cursorOf, type KvCall, KvRequestError, parseKvRequest } from "./parse_request.ts";
import type { Namespace, SetResult } from "./types.ts";

/** When a value expires, in milliseconds since the epoch. */
const EXPIRES_HEADER = "svc-kv-expires-at";

export interface NamespaceHandlerOptions {
  readonly store: Pick<KvStore, "get" | "set" | "remove" | "list" | "clear">;
  /** Called with internal errors, whose details are not sent to the caller. */
  readonly onTrouble: (message: string) => void;
}

interface KvHandlerOptions<Owner> extends NamespaceHandlerOptions {
  /** Returns the owner of the token, or `undefined` if the token is unknown. */
  readonly ownerOf: (token: string) => Owner | undefined;
  readonly namespaceOf: (owner: Owner) => Namespace;
  /** Serves requests to other services, such as queues. */
  readonly answerOther?: (owner: Owner, request: Request) => Promise<Response> | undefined;
}

const failure = (status: number, code: string, error: string): Response =>
  Response.json({ error, code }, { status });

const CONFLICT = "The key has changed: read it and try again";

/**
 * Returns whether the client states the length of the body. If so, the server reads no more bytes
 * than stated.
 */
const isMeasured = (length: string | null): boolean => length !== null && /^\d+$/.test(length);

async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const tooLarge = () =>
    new KvRequestError(413, "payload_too_large", `Use a value of at most ${MAX_VALUE_BYTES} bytes`);
  const length = request.headers.get("content-length");
  if (Number(length ?? 0) > MAX_VALUE_BYTES) throw tooLarge();
  if (isMeasured(length)) return await request.bytes();
  const bytes = await readLimited(request.body, MAX_VALUE_BYTES);
  if (bytes === undefined) throw tooLarge();
  return bytes;
}

function answerSet(result: SetResult): Response {
  switch (result.type) {
    case "set":
      return new Response(null, { status: 204, headers: { etag: `"${result.version}"` } });
    case "conflict":
      return failure(412, "conflict", CONFLICT);
    case "full":
      return failure(507, "store_full", result.message);
  }
}

class KvHandler {
  readonly #options: NamespaceHandlerOptions;

  constructor(options: NamespaceHandlerOptions) {
    this.#options = options;
  }

  async handle(namespace: Namespace, request: Request): Promise<Response> {
    try {
      return await this.#call(namespace, parseKvRequest(request), request);
    } catch (error) {
      if (error instanceof KvRequestError) return failure(error.status, error.code, error.message);
      this.#options.onTrouble(`A request to the key-value store failed: ${error}`);
      return failure(500, "internal_error", "The key-value store failed; try again");
    }
  }

  async #call(namespace: Namespace, call: KvCall, request: Request): Promise<Response> {
    const { store } = this.#options;
    switch (call.type) {
      case "get":
        return await this.#get(namespace, call.key);
      case "set":
        return answerSet(
          await store.set(namespace, call.key, { ...call, bytes: await readBody(request) }),
        );
      case "remove": {
        const removed = await store.remove(namespace, call.key, call.condition);
        return removed ? new Response(null, { status: 204 }) : failure(412, "conflict", CONFLICT);
      }
      case "list": {
        const { items, cursor } = await store.list(namespace, call);
        return Response.json({ items, cursor: cursor === null ? null : cursorOf(cursor) });
      }
      case "clear":
        return Response.json({ removed: await store.clear(namespace, call.prefix) });
    }
  }

  async #get(namespace: Namespace, key: string): Promise<Response> {
    const value = await this.#options.store.get(namespace, key);
    if (value === undefined) return failure(404, "not_found", "Key not found");
    const { bytes, contentType, version, expiresAt } = value;
    return new Response(bytes, {
      headers: {
        "content-type": contentType,
        etag: `"${version}"`,
        "cache-control": "no-store",
        ...(expiresAt === undefined ? {} : { [EXPIRES_HEADER]: String(expiresAt) }),
      },
    });
  }
}

/** Creates the request handler for a caller with a known namespace. The handler never rejects. */
export function createNamespaceHandler(
  options: NamespaceHandlerOptions,
): (namespace: Namespace, request: Request) => Promise<Response> {
  const handler = new KvHandler(options);
  return (namespace, request) => handler.handle(namespace, request);
}

const BEARER = /^Bearer ([\x21-\x7e]{1,200})$/;

/**
 * Creates the handler of the HTTP API, where a token determines the namespace. The handler never
 * rejects.
 */
export function createKvHandler<Owner>(
  options: KvHandlerOptions<Owner>,
): (request: Request) => Promise<Response> {
  const handle = createNamespaceHandler(options);
  return (request) => {
    const [, token] = BEARER.exec(request.headers.get("authorization") ?? "") ?? [];
    const owner = token === undefined ? undefined : options.ownerOf(token);
    if (owner !== undefined) {
      return options.answerOther?.(owner, request) ?? handle(options.namespaceOf(owner), request);
    }
    const wanted = "Send the token from SVC_KV_TOKEN: Authorization: Bearer";
    return Promise.resolve(failure(401, "unauthorized", wanted));
  };
}
