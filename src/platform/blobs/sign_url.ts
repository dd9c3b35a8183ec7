/**
 * Signs URLs that download or upload one object. Pure, except for the clock.
 *
 * @module
 */
import { encodeUri, parseTarget, signatureOf, signingKey } from "./s3/signature.ts";

/** Any region works, because there is only one. */
export const REGION = "auto";

interface UrlOptions {
  /** URL of the endpoint, such as `https://svc.example/s3`. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly key: string;
  readonly method: string;
  /** Lifetime in seconds. */
  readonly expiresIn: number;
  readonly maxBytes?: number | undefined;
  readonly contentType?: string | undefined;
}

export function signUrl(
  options: UrlOptions,
  { id, secret }: { readonly id: string; readonly secret: string },
  now: number,
): string {
  const { endpoint, bucket, key, method, expiresIn, maxBytes, contentType } = options;
  const date = new Date(now).toISOString().replace(/[:-]|\.\d{3}/g, "");
  const scope = `${date.slice(0, 8)}/${REGION}/s3/aws4_request`;
  const query = [
    ["X-Amz-Algorithm", "AWS4-HMAC-SHA256"],
    ["X-Amz-Credential", `${id}/${scope}`],
    ["X-Amz-Date", date],
    ["X-Amz-Expires", String(expiresIn)],
    ["X-Amz-SignedHeaders", "host"],
    ...(maxBytes === undefined ? [] : [["x-svc-max-bytes", String(maxBytes)]]),
    ...(contentType === undefined ? [] : [["x-svc-content-type", contentType]]),
  ].map((pair) => pair.map(encodeUri).join("=")).join("&");
  const url = `${endpoint}/${[bucket, ...key.split("/")].map(encodeUri).join("/")}?${query}`;
  const claim = { scope, date, signedHeaders: ["host"], payload: "UNSIGNED-PAYLOAD" };
  const request = {
    method,
    target: parseTarget(url),
    headers: new Headers({ host: new URL(url).host }),
  };
  return `${url}&X-Amz-Signature=${signatureOf(claim, request, signingKey(secret, scope))}`;
}
