/**
 * The signature of a front edge on a relayed request. The signature covers the client's address,
 * the connection's scheme, the request's method, host, path and query, a time, and a nonce.
 *
 * @module
 */
import { equalInConstantTime, hmacSha256 } from "../../lib/hash.ts";

/** Header that names the edge, its session, and the client. */
export const FACTS_HEADER = "x-svc-edge-relay";
export const SIGNATURE_HEADER = "x-svc-edge-signature";

/** A front edge's session. Its secret signs the requests that the edge relays. */
export interface EdgeSession {
  readonly edge: string;
  readonly id: string;
}

/** The facts about a client that a front edge sends with a request. */
export interface RelayFacts extends EdgeSession {
  /** The request's number, which counts the session's requests. */
  readonly number: number;
  /** When the request was signed, in milliseconds since the Unix epoch. */
  readonly time: number;
  readonly scheme: "http" | "https";
  /** The client's address. */
  readonly ip: string;
}

/** The part of a request that is signed along with the facts. */
export interface RelayedTarget {
  readonly method: string;
  /** The host, path and query, exactly as in the request. */
  readonly target: string;
}

export function formatFacts(facts: RelayFacts): string {
  const { edge, id, number, time, scheme, ip } = facts;
  return [edge, id, number, time, scheme, ip].join(" ");
}

const FACTS =
  /^([a-z0-9-]{1,40}) ([0-9a-f]{32}) (\d{1,15}) (\d{1,15}) (https?) ([0-9A-Fa-f:.]{2,45})$/;

export function parseFacts(text: string): RelayFacts | undefined {
  const found = FACTS.exec(text);
  if (found === null) return undefined;
  const [, edge, id, number, time, scheme, ip] = found;
  return {
    edge: edge!,
    id: id!,
    number: Number(number),
    time: Number(time),
    scheme: scheme as RelayFacts["scheme"],
    ip: ip!,
  };
}

export function signRelay(
  secret: Uint8Array,
  facts: string,
  { method, target }: RelayedTarget,
): string {
  return hmacSha256(secret, `${facts}\n${method} ${target}`).toHex();
}

export function isSignedBy(
  secret: Uint8Array,
  facts: string,
  { signature, ...of }: RelayedTarget & { readonly signature: string },
): boolean {
  return equalInConstantTime(signRelay(secret, facts, of), signature);
}

/** How far a request's number may be below the highest number so far. */
const WINDOW = 16_384;

/** A session's used numbers. A number that is too old counts as used. */
export class UsedNumbers {
  readonly #used = new Uint8Array(WINDOW);
  #highest = 0;

  /** Records a number as used. Returns `false` if it was used before. */
  take(number: number): boolean {
    if (number <= this.#highest - WINDOW) return false;
    if (number > this.#highest) {
      const from = Math.max(this.#highest + 1, number - WINDOW + 1);
      for (let passed = from; passed <= number; passed++) this.#used[passed % WINDOW] = 0;
      this.#highest = number;
    }
    if (this.#used[number % WINDOW] === 1) return false;
    this.#used[number % WINDOW] = 1;
    return true;
  }
}
