/**
 * @module Release checks, as `svc.toml` and the manifest describe them: requests and commands that
 * must succeed at a deployment's own URL before production serves the deployment.
 */
import { HOP_BY_HOP } from "./hop_by_hop.ts";

/** Maximum number of requests and of commands per release. */
export const MAX_CHECK_REQUESTS = 50;
export const MAX_CHECK_COMMANDS = 10;
/** Maximum and default timeout for one attempt at a request, in milliseconds. */
export const MAX_CHECK_TIMEOUT_MS = 60_000;
export const CHECK_TIMEOUT_MS = 10_000;
/** Maximum and default number of retries of a failed request. */
export const MAX_CHECK_RETRIES = 5;
export const CHECK_RETRIES = 2;
/**
 * Time limits for all of a release's requests together, and for all of its commands together, in
 * milliseconds.
 */
export const CHECKS_MS = 5 * 60_000;
export const CHECK_COMMANDS_MS = 5 * 60_000;
/** Maximum number of header fields in a request or an expectation. */
export const MAX_CHECK_HEADERS = 20;
/** Maximum length of a name, URL, header value and expected text, in characters. */
export const MAX_CHECK_TEXT = 1024;

export const CHECK_HEADER_NAME = /^[\w!#$%&'*+.^`|~-]{1,128}$/;

/** Header fields that the connection or the platform itself sets. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  "content-length",
  "expect",
  "host",
  "via",
  "x-svc-bypass",
]);

/** Returns whether a check's request can set all of these header fields. */
export const canSetHeaders = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).every((name) => !OWN_HEADERS.has(name.toLowerCase()));

export const CHECK_HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** A path on the site, with an optional query. */
export const CHECK_URL = /^\/(?!\/)[\x21-\x22\x24-\x7e]*$/;
export const CHECK_METHOD = /^[A-Z]{1,16}$/;
/** Text without control characters, and without leading or trailing spaces. */
// deno-lint-ignore no-control-regex -- excludes control characters on purpose
export const CHECK_NAME = /^[^\s\x00-\x1f\x7f]([^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?$/;

/** A request, and the response to it that the check expects. */
export interface CheckRequest {
  readonly name: string;
  /** `GET` by default. */
  readonly method?: string | undefined;
  /** Path and query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly expect: {
    readonly status?: number | undefined;
    readonly location?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly removedHeaders?: readonly string[] | undefined;
    readonly body?: string | undefined;
  };
}

export interface ReleaseChecks {
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  readonly requests?: readonly CheckRequest[] | undefined;
  readonly commands?: readonly string[] | undefined;
}
