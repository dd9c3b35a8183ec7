/**
 * Request signatures (AWS Signature Version 4), in a header or in the query. Pure.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { MAX_SIGNED_SECONDS } from "../../../contract/blob_store.ts";
import { equalInConstantTime, hmacSha256 } from "../../../lib/hash.ts";
import { BlobStoreError } from "../store_error.ts";

const ALGORITHM = "AWS4-HMAC-SHA256";
/** Maximum difference from a client's clock, in milliseconds. */
const MAX_SKEW_MS = 15 * 60_000;

export const UNSIGNED = "UNSIGNED-PAYLOAD";

export const hashHex = (data: string | Uint8Array): string =>
  createHash("sha256").update(data).digest("hex");

/** Percent-encodes everything except unreserved characters (RFC 3986). */
export const encodeUri = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** Path and query of a request, decoded from what was sent. */
export interface Target {
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** @throws {BlobStoreError} for an invalid escape. */
export function parseTarget(url: string): Target {
  const begin = url.indexOf("/", url.indexOf("://") + 3);
  const rest = begin === -1 ? "/" : url.slice(begin);
  const [path = "/", query = ""] = split(rest, "?");
  try {
    return {
      path: decodeURIComponent(path),
      query: query.split("&").filter((pair) => pair !== "").map((pair) => {
        const [name = "", value = ""] = split(pair, "=");
        return [decodeURIComponent(name), decodeURIComponent(value)] as const;
      }),
    };
  } catch {
    throw new BlobStoreError("InvalidRequest", "The URL has an invalid escape");
  }
}

function split(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Parts of a client's signature. */
export interface Claim {
  readonly keyId: string;
  /** Such as `20261127/auto/s3/aws4_request`. */
  readonly scope: string;
  /** Such as `20261127T100000Z`. */
  readonly date: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** `x-amz-content-sha256`: the hash of the body, or its transfer encoding. */
  readonly payload: string;
  /** Lifetime in seconds; missing if the signature is in a header. */
  readonly expires?: number;
}

const malformed = (message: string) => new BlobStoreError("AuthorizationHeaderMalformed", message);

/** Reads a request's signature. Returns `undefined` if there is none. */
export function readClaim(headers: Headers, { query }: Target): Claim | undefined {
  const authorization = headers.get("authorization");
  if (authorization?.startsWith(`${ALGORITHM} `)) return headerClaim(authorization, headers);
  const given = new Map(query);
  if (authorization?.startsWith("AWS ") || given.has("AWSAccessKeyId")) {
    throw new BlobStoreError(
      "InvalidRequest",
      `Sign with ${ALGORITHM}: in boto3, set Config(signature_version="s3v4")`,
    );
  }
  return given.get("X-Amz-Algorithm") === ALGORITHM ? queryClaim(given, headers) : undefined;
}

function headerClaim(authorization: string, headers: Headers): Claim {
  const parts = new Map(
    authorization.slice(ALGORITHM.length).split(",").map((part) =>
      split(part.trim(), "=") as [string, string]
    ),
  );
  const date = headers.get("x-amz-date");
  if (date === null) throw malformed("The header x-amz-date is missing");
  return {
    ...credential(parts.get("Credential") ?? ""),
    date,
    signedHeaders: (parts.get("SignedHeaders") ?? "").split(";"),
    signature: parts.get("Signature") ?? "",
    payload: headers.get("x-amz-content-sha256") ?? UNSIGNED,
  };
}

function queryClaim(given: ReadonlyMap<string, string>, headers: Headers): Claim {
  const expires = Number(given.get("X-Amz-Expires"));
  if (!Number.isInteger(expires) || expires < 1 || expires > MAX_SIGNED_SECONDS) {
    throw malformed(`X-Amz-Expires must be from 1 to ${MAX_SIGNED_SECONDS}`);
  }
  return {
    ...credential(given.get("X-Amz-Credential") ?? ""),
    date: given.get("X-Amz-Date") ?? "",
    signedHeaders: (given.get("X-Amz-SignedHeaders") ?? "").split(";"),
    signature: given.get("X-Amz-Signature") ?? "",
    payload: given.get("X-Amz-Content-Sha256") ?? headers.get("x-amz-content-sha256") ?? UNSIGNED,
    expires,
  };
}

function credential(text: string): Pick<Claim, "keyId" | "scope"> {
  const [keyId = "", ...scope] = text.split("/");
  if (scope.length !== 4 || scope[2] !== "s3" || scope[3] !== "aws4_request") {
    throw malformed("The credential must be <key>/<date>/<region>/s3/aws4_request");
  }
  return { keyId, scope: scope.join("/") };
}

/** Converts `20261127T100000Z` to milliseconds since 1970. */
function timeOf(date: string): number {
  const time = Date.parse(
    date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"),
  );
  if (Number.isNaN(time)) throw malformed("The date must be written as 20261127T100000Z");
  return time;
}

/** @throws {BlobStoreError} if the signature is too old, or its date is in the future. */
export function requireTimely({ date, scope, expires }: Claim, now: number): void {
  const time = timeOf(date);
  if (!scope.startsWith(`${date.slice(0, 8)}/`)) {
    throw malformed("The credential's date differs from the request's date");
  }
  if (expires === undefined ? Math.abs(now - time) > MAX_SKEW_MS : time - now > MAX_SKEW_MS) {
    throw new BlobStoreError(
      "RequestTimeTooSkewed",
      "The client's clock is wrong by more than 15 minutes",
    );
  }
  if (expires !== undefined && now > time + expires * 1000) {
    throw new BlobStoreError("AccessDenied", "Request has expired");
  }
}

/** Returns the signing key for a scope. */
export function signingKey(secret: string, scope: string): Uint8Array<ArrayBuffer> {
  return scope.split("/").reduce<Uint8Array<ArrayBuffer>>(
    (key, part) => hmacSha256(key, part),
    new TextEncoder().encode(`AWS4${secret}`),
  );
}

const inOrder = (one: string, other: string): number => one < other ? -1 : one > other ? 1 : 0;

/** @throws {BlobStoreError} if a field that affects the result is not signed. */
export function requireSignedFields({ signedHeaders }: Claim, headers: Headers): void {
  const isFree = (name: string) =>
    name !== "host" && (!name.startsWith("x-amz-") || name === "x-amz-content-sha256");
  const unsigned = ["host", ...headers.keys()]
    .find((name) => !isFree(name) && !signedHeaders.includes(name));
  if (unsigned === undefined) return;
  throw new BlobStoreError("AccessDenied", `The request header ${unsigned} is not signed`);
}

/** Signs a request with a key. */
export function signatureOf(
  claim: Pick<Claim, "scope" | "date" | "signedHeaders" | "payload">,
  { method, target, headers }: {
    readonly method: string;
    readonly target: Target;
    readonly headers: { get(name: string): string | null };
  },
  key: Uint8Array,
): string {
  const { scope, date, signedHeaders, payload } = claim;
  const query = target.query.filter(([name]) => name !== "X-Amz-Signature")
    .map((pair) => pair.map(encodeUri) as [string, string])
    .sort(([name, value], [other, less]) => inOrder(name, other) || inOrder(value, less))
    .map((pair) => pair.join("=")).join("&");
  const fields = signedHeaders.map((name) =>
    `${name}:${(headers.get(name) ?? "").trim().replace(/ +/g, " ")}\n`
  );
  const path = target.path.split("/").map(encodeUri).join("/");
  const canonical = [method, path, query, fields.join(""), signedHeaders.join(";"), payload]
    .join("\n");
  return hmacSha256(key, [ALGORITHM, date, scope, hashHex(canonical)].join("\n")).toHex();
}

/** Checks the signature of each chunk in a body, one after another. */
export class ChunkSigner {
  #previous: string;
  readonly #key: Uint8Array;
  readonly #claim: Claim;

  constructor(claim: Claim, key: Uint8Array) {
    this.#previous = claim.signature;
    this.#key = key;
    this.#claim = claim;
  }

  /** @throws {BlobStoreError} if the signature of the next chunk or trailer is wrong. */
  require(kind: "PAYLOAD" | "TRAILER", hash: string, signature: string | undefined): void {
    const { date, scope } = this.#claim;
    const hashes = kind === "PAYLOAD" ? [hashHex(""), hash] : [hash];
    const text = [`${ALGORITHM}-${kind}`, date, scope, this.#previous, ...hashes].join("\n");
    const expected = hmacSha256(this.#key, text).toHex();
    if (!equalInConstantTime(signature ?? "", expected)) throw wrongSignature();
    this.#previous = expected;
  }
}

export const wrongSignature = () =>
  new BlobStoreError(
    "SignatureDoesNotMatch",
    "The signature does not match this request and key. Check the secret and the endpoint",
  );
