/**
 * A request with a valid signature, together with its store and content.
 *
 * @module
 */
import type { Clock } from "../../../lib/clock.ts";
import { equalInConstantTime, isSha256 } from "../../../lib/hash.ts";
import { readLimited } from "../../../lib/read_limited.ts";
import type { AccessKeyRecord, OpenKey } from "../access_keys.ts";
import { type Algorithm, ALGORITHMS, Checksums } from "../checksums.ts";
import { type Content, refuseOther } from "../object_store.ts";
import { BlobStoreError } from "../store_error.ts";
import { readChunks } from "./chunked_body.ts";
import {
  ChunkSigner,
  type Claim,
  hashHex,
  parseTarget,
  readClaim,
  requireSignedFields,
  requireTimely,
  signatureOf,
  signingKey,
  UNSIGNED,
  wrongSignature,
} from "./signature.ts";

/**
 * Maximum size of an XML body, in bytes. This is enough for an upload's 10,000 parts with their
 * checksums.
 */
const MAX_XML_BYTES = 4 * 1024 * 1024;

export interface SignedCall {
  readonly key: AccessKeyRecord;
  readonly method: string;
  readonly headers: Headers;
  readonly query: ReadonlyMap<string, string>;
  /** The decoded path below the endpoint: bucket and object key. */
  readonly bucket: string;
  readonly objectKey: string;
  content(): Content;
  /** Reads an XML body. */
  text(): Promise<string>;
}

export interface SignerOptions {
  /** Path of the endpoint, such as `/s3`. */
  readonly root: string;
  openKey(id: string): Promise<OpenKey | undefined>;
  readonly now: Clock;
}

/** @throws {BlobStoreError} if the signature is invalid. */
export async function verifyCall(request: Request, options: SignerOptions): Promise<SignedCall> {
  const { method, headers } = request;
  const target = parseTarget(request.url);
  const claim = readClaim(headers, target);
  if (claim === undefined) {
    throw new BlobStoreError("AccessDenied", "Sign the request with an access key of the store");
  }
  requireTimely(claim, options.now());
  requireSignedFields(claim, headers);
  const opened = await options.openKey(claim.keyId);
  if (opened === undefined) {
    throw new BlobStoreError("InvalidAccessKeyId", "The access key does not exist");
  }
  const key = signingKey(opened.secret, claim.scope);
  const host = headers.get("host") ?? new URL(request.url).host;
  const seen = { get: (name: string) => name === "host" ? host : headers.get(name) };
  const expected = signatureOf(claim, { method, target, headers: seen }, key);
  if (!equalInConstantTime(claim.signature, expected)) throw wrongSignature();
  const query = new Map(target.query);
  const [bucket = "", ...rest] = target.path.slice(options.root.length + 1).split("/");
  return {
    key: opened.record,
    method,
    headers,
    query,
    bucket,
    objectKey: rest.join("/"),
    content: () => contentOf(request, claim, key),
    // In a request that completes an upload, the checksums are for the object, not for the XML.
    text: () => readXml(contentOf(request, claim, key), claim, query.has("uploadId")),
  };
}

/** Reads a body that must match the client's hash. */
async function readXml(
  content: Content,
  { payload }: Claim,
  onlyMd5: boolean,
): Promise<string> {
  const bytes = await readLimited(content.stream, MAX_XML_BYTES);
  if (bytes === undefined) throw new BlobStoreError("EntityTooLarge", "The XML is too large");
  if (isSha256(payload) && payload !== hashHex(bytes)) {
    throw new BlobStoreError("XAmzContentSHA256Mismatch", "The body differs from the signed body");
  }
  const sums = new Checksums(content.algorithms);
  sums.update(bytes);
  const named = [...content.expected()].filter(([name]) => name === "md5" || !onlyMd5);
  refuseOther({ expected: () => new Map(named) }, {
    size: bytes.byteLength,
    announced: content.size,
    digests: sums.digests(),
  });
  return new TextDecoder().decode(bytes);
}

const toBase64 = (hex: string): string =>
  btoa(hex.replace(/../g, (byte) => String.fromCharCode(parseInt(byte, 16))));

/** Returns the algorithm in a field name such as `x-amz-checksum-crc32`. */
function algorithmOf(field: string): Algorithm | undefined {
  const name = field.trim().toLowerCase().replace(/^x-amz-checksum-/, "");
  return ALGORITHMS.find((each) => each === name);
}

/** Returns the digests in the request's headers. */
function announced(headers: Headers, payload: string): Map<Algorithm, string> {
  const digests = new Map<Algorithm, string>();
  const md5 = headers.get("content-md5");
  if (md5 !== null) {
    if (!/^[A-Za-z0-9+/]{22}==$/.test(md5)) {
      throw new BlobStoreError("InvalidDigest", "Content-MD5 must be an MD5 in base64");
    }
    digests.set("md5", md5);
  }
  for (const algorithm of ALGORITHMS) {
    const digest = headers.get(`x-amz-checksum-${algorithm}`);
    if (digest !== null) digests.set(algorithm, digest);
  }
  if (isSha256(payload)) digests.set("sha256", toBase64(payload));
  return digests;
}

function contentOf(
  { headers, body }: Request,
  claim: Claim,
  key: Uint8Array,
): Content {
  const { payload } = claim;
  const digests = announced(headers, payload);
  const trailer = (headers.get("x-amz-trailer") ?? "").split(",").map(algorithmOf);
  const named = algorithmOf(headers.get("x-amz-sdk-checksum-algorithm") ?? "");
  const algorithms = [...digests.keys(), ...trailer, named]
    .filter((each) => each !== undefined);
  const stream = body ?? new Blob([]).stream();
  const length = (name: string) => {
    const text = headers.get(name);
    return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  };
  const common = { algorithms: [...new Set(algorithms)], expected: () => digests };
  if (!payload.startsWith("STREAMING-")) {
    if (payload !== UNSIGNED && !isSha256(payload)) {
      throw new BlobStoreError("InvalidArgument", "x-amz-content-sha256 has an unknown value");
    }
    return { ...common, stream, size: length("content-length") };
  }
  const isSigned = payload.startsWith("STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
  if (!isSigned && payload !== "STREAMING-UNSIGNED-PAYLOAD-TRAILER") {
    throw new BlobStoreError("NotImplemented", `${payload} is not supported`);
  }
  const chunks = readChunks(stream, {
    signer: isSigned ? new ChunkSigner(claim, key) : undefined,
    onField(name, value) {
      const algorithm = algorithmOf(name);
      if (algorithm !== undefined) digests.set(algorithm, value);
    },
  });
  return { ...common, stream: chunks, size: length("x-amz-decoded-content-length") };
}
