/**
 * `Idempotency-Key`: a repeated request gets the first response again, and nothing is created
 * twice. This applies to all endpoints that the contract marks. Responses are stored for a day, by
 * credential and path.
 *
 * Before a request is carried out, a marker is stored. A crash during the request therefore leaves
 * a marker without a response, and a repeated request is rejected because the first one may have
 * taken effect. Nodes share the markers, so if a request reaches two nodes, only one of them
 * carries it out.
 *
 * @module
 */
import * as z from "zod";
import { IDEMPOTENCY_HOURS } from "../../../contract/endpoint.ts";
import type { Clock } from "../../../lib/clock.ts";
import { sha256Hex } from "../../../lib/hash.ts";
import { KeyedLock } from "../../../lib/keyed_lock.ts";
import type { SecretBox } from "../secrets/mod.ts";
import { Failure } from "./failure.ts";
import { IdempotencyStore } from "./idempotency_store.ts";
import { readBytes } from "./read_body.ts";
import type { RecordStore } from "../../../store/mod.ts";

const KEPT_MS = IDEMPOTENCY_HOURS * 60 * 60 * 1000;
const MAX_KEY = 255;

const KEPT_FIELDS = ["content-type", "cache-control", "etag", "location"];

const keptAnswer = z.object({
  status: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
});

/** @throws {Failure} `invalid_request` for an invalid key. */
export function readIdempotencyKey(request: Request): string | undefined {
  const key = request.headers.get("idempotency-key");
  if (key === null) return undefined;
  if (/^[\x21-\x7e]+$/.test(key) && key.length <= MAX_KEY) return key;
  throw new Failure(
    "invalid_request",
    `Idempotency-Key must be 1 to ${MAX_KEY} visible ASCII characters`,
  );
}

interface RepeatableRequest {
  readonly key: string;
  /** ID of the credential with which the request was sent. */
  readonly credentialId: string;
  readonly maxBodyBytes: number;
  /** The body is read from a copy, so the handler can still read it. */
  readonly request: Request;
}

interface IdempotencyParts {
  readonly kv: RecordStore;
  /** Seals responses, because some contain a secret that is shown only once. */
  readonly box: SecretBox;
  readonly now: Clock;
}

export class Idempotency {
  readonly #store: IdempotencyStore;
  readonly #lock = new KeyedLock();

  readonly #parts: IdempotencyParts;

  constructor(parts: IdempotencyParts) {
    this.#parts = parts;
    this.#store = new IdempotencyStore(parts.kv, KEPT_MS);
  }

  /**
   * Handles a request once. A repeated request gets the same response, with `Idempotency-Replayed`.
   * Rejections and failures are not stored.
   *
   * @throws {Failure} `conflict` if the key was used for another request, if the first request was
   * interrupted, or if another node is still handling it.
   */
  async run(asked: RepeatableRequest, answer: () => Promise<Response>): Promise<Response> {
    const { request, credentialId, key } = asked;
    const { pathname } = new URL(request.url);
    const id = sha256Hex([credentialId, request.method, pathname, key].join("\n"));
    const fingerprint = await fingerprintOf(asked);
    return await this.#lock.run(id, async () => {
      for (;;) {
        const known = await this.#store.find(id);
        const startedAt = this.#parts.now();
        if (known !== undefined && startedAt - known.value.startedAt < KEPT_MS) {
          if (known.value.fingerprint !== fingerprint) throw usedOtherwise();
          return await this.#replay(id, known.value.startedAt);
        }
        const isBegun = await this.#store.begin(id, { fingerprint, startedAt }, known);
        if (isBegun) return await this.#carryOut(id, answer);
      }
    });
  }

  async #carryOut(id: string, answer: () => Promise<Response>): Promise<Response> {
    let response: Response;
    try {
      response = await answer();
    } catch (error) {
      await this.#store.remove(id);
      throw error;
    }
    if (!response.ok) {
      await this.#store.remove(id);
      return response;
    }
    const body = response.body === null ? null : await response.text();
    const headers = Object.fromEntries(
      KEPT_FIELDS.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value]];
      }),
    );
    const text = JSON.stringify({ status: response.status, headers, body });
    await this.#store.keep(id, await this.#parts.box.seal(text, placeOf(id)));
    return new Response(body, response);
  }

  async #replay(id: string, startedAt: number): Promise<Response> {
    const sealed = await this.#store.answer(id);
    if (sealed === undefined) {
      const when = new Date(startedAt).toISOString();
      throw new Failure(
        "conflict",
        `A request with this Idempotency-Key started at ${when} and has no response yet. It was interrupted, or another node is still handling it. Check whether it took effect, then use a new key`,
      );
    }
    const text = await this.#parts.box.open(sealed, placeOf(id));
    const { status, headers, body } = keptAnswer.parse(JSON.parse(text));
    return new Response(body, { status, headers: { ...headers, "idempotency-replayed": "true" } });
  }
}

const placeOf = (id: string): string => `idempotency/${id}`;

/** Computes a value that identifies a request by its query, workspace and body. */
async function fingerprintOf({ request, maxBodyBytes }: RepeatableRequest): Promise<string> {
  const body = await readBytes(request.clone(), maxBodyBytes);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", body)).toHex();
  const { search } = new URL(request.url);
  return sha256Hex([search, request.headers.get("x-workspace") ?? "", digest].join("\n"));
}

const usedOtherwise = () =>
  new Failure(
    "conflict",
    "Idempotency-Key was already used for a different request. Use a new key",
  );
