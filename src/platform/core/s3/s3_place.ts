/** Parses `--blobs`: `s3://bucket/prefix?endpoint=https://…&region=…`. @module */
import { nearest } from "../../../lib/suggest.ts";

export interface S3Place {
  readonly bucket: string;
  /** The prefix of every key: empty, or ending with a slash. */
  readonly prefix: string;
  /** The storage's URL, without a trailing slash. */
  readonly endpoint: string;
  readonly region: string;
  /** Whether the bucket is in the path rather than in the hostname. */
  readonly pathStyle: boolean;
}

/** Thrown if an object storage URL cannot be used. */
export class S3PlaceError extends TypeError {
  override readonly name = "S3PlaceError";
}

/** Bucket names (Amazon S3, "General purpose bucket naming rules"). */
const BUCKET = /^[a-z0-9](?:[a-z0-9.-]{1,61})[a-z0-9]$/;

/** A prefix whose parts do not need escaping and cannot refer to a parent folder. */
const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}\/){0,8}$/;

const REGION = /^[a-z0-9-]{1,64}$/;
const DEFAULT_REGION = "us-east-1";
const SETTINGS = ["endpoint", "region", "style"] as const;

function refuse(reason: string, advice: string): never {
  throw new S3PlaceError(`Cannot use the object storage URL: ${reason}. ${advice}`);
}

function parseEndpoint(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return refuse("its endpoint is not a URL", "Write endpoint=https://host");
  }
  if (url.username !== "" || url.password !== "") refuseCredentials();
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    return refuse("its endpoint has a path", "Write endpoint=https://host, without a path");
  }
  return url.origin;
}

function refuseCredentials(): never {
  return refuse(
    "it contains credentials, which others on this machine could read on the command line",
    "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE",
  );
}

/**
 * Rejects credentials, and unknown or repeated settings. Errors never quote values, which may be
 * secret.
 */
function checkSettings(settings: URLSearchParams): void {
  const given = new Set<string>();
  for (const name of settings.keys()) {
    if (/key|secret|token|credential|password/i.test(name)) refuseCredentials();
    if (!SETTINGS.some((known) => known === name)) {
      const meant = nearest(name, SETTINGS);
      refuse(
        `"${name}" is not a setting`,
        meant === undefined ? `Settings are ${SETTINGS.join(", ")}` : `Did you mean "${meant}"?`,
      );
    }
    if (given.has(name)) refuse(`it has "${name}" twice`, `Use "${name}" once`);
    given.add(name);
  }
}

/** @throws {S3PlaceError} describing the problem. */
export function parseS3Place(text: string): S3Place {
  const url = URL.parse(text);
  if (url === null || url.protocol !== "s3:") {
    return refuse("it is not an s3:// URL", "Write s3://bucket/prefix?endpoint=https://host");
  }
  if (url.username !== "" || url.password !== "") refuseCredentials();
  const settings = url.searchParams;
  checkSettings(settings);
  const bucket = url.host;
  if (!BUCKET.test(bucket)) {
    return refuse(
      `"${bucket}" is not a bucket name`,
      "A name has 3 to 63 lowercase letters, digits, dots and hyphens",
    );
  }
  const path = url.pathname.replace(/^\//, "");
  const prefix = path === "" || path.endsWith("/") ? path : `${path}/`;
  if (!PREFIX.test(prefix)) {
    return refuse(
      `its prefix "${prefix}" cannot be used`,
      "Use up to 8 names of letters, digits, dots, hyphens and underscores, between slashes",
    );
  }
  const region = settings.get("region") ?? DEFAULT_REGION;
  if (!REGION.test(region)) {
    refuse(`"${region}" is not a region`, "Write a name such as eu-central-1");
  }
  const style = settings.get("style") ?? (settings.has("endpoint") ? "path" : "host");
  if (style !== "path" && style !== "host") {
    return refuse(`"${style}" is not a style`, 'Use "path" or "host"');
  }
  const endpoint = parseEndpoint(settings.get("endpoint") ?? `https://s3.${region}.amazonaws.com`);
  return { bucket, prefix, endpoint, region, pathStyle: style === "path" };
}

/** Describes the bucket and prefix in readable form, without anything that could be a secret. */
export function describeS3Place({ endpoint, bucket, prefix }: S3Place): string {
  return `bucket "${bucket}${prefix === "" ? "" : `/${prefix.slice(0, -1)}`}" of ${endpoint}`;
}

export function s3Url(
  { endpoint, bucket, prefix, pathStyle }: S3Place,
  key: string | undefined,
): URL {
  const url = new URL(endpoint);
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  const object = key === undefined ? "" : `${prefix}${key}`;
  const path = pathStyle ? `${bucket}${object === "" ? "" : "/"}${object}` : object;
  url.pathname = `/${path}`;
  return url;
}
