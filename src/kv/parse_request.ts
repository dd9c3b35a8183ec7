/** @module Parses requests to the HTTP API of a key-value store. */
import * as z from "zod";
import {
  DEFAULT_LIST_LIMIT,
  fitsKey,
  MAX_KEY_BYTES,
  MAX_LIST_LIMIT,
  MAX_TTL_SECONDS,
  MAX_TYPE_LENGTH,
} from "../lib/kv_limits.ts";
import type { KvCondition } from "./types.ts";

export type KvCall =
  | { readonly type: "get"; readonly key: string }
  | {
    readonly type: "set";
    readonly key: string;
    readonly contentType: string;
    readonly ttlSeconds?: number | undefined;
    readonly condition?: KvCondition | undefined;
  }
  | { readonly type: "remove"; readonly key: string; readonly condition?: KvCondition | undefined }
  | {
    readonly type: "list";
    readonly prefix: string;
    readonly limit: number;
    readonly after?: string | undefined;
  }
  | { readonly type: "clear"; readonly prefix: string };

/** Why a request is invalid: an HTTP status and a message. */
export class KvRequestError extends Error {
  override readonly name = "KvRequestError";
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

const KEY_RULE = `Add a key of 1 to ${MAX_KEY_BYTES} bytes to the query: ?key=<key>`;
const LIMIT_RULE = `Use a whole number from 1 to ${MAX_LIST_LIMIT}`;
const TTL_RULE = `Use a whole number of seconds from 1 to ${MAX_TTL_SECONDS}`;
const PREFIX_RULE = `Use a prefix of at most ${MAX_KEY_BYTES} bytes`;
const CURSOR_RULE = "Use the cursor from an earlier page";

const whole = (rule: string, maximum: number) =>
  z.string().regex(/^\d{1,9}$/, rule).transform(Number)
    .refine((value) => value >= 1 && value <= maximum, rule);

const key = z.string(KEY_RULE).min(1, KEY_RULE).refine(fitsKey, KEY_RULE);
const prefix = z.string().refine(fitsKey, PREFIX_RULE).default("");
const cursor = z.base64url(CURSOR_RULE).transform((text, context) => {
  try {
    const bytes = Uint8Array.from(
      atob(text.replaceAll("-", "+").replaceAll("_", "/")),
      (character) => character.charCodeAt(0),
    );
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    context.addIssue({ code: "custom", message: CURSOR_RULE });
    return z.NEVER;
  }
});

const one = z.strictObject({ key });
const write = z.strictObject({ key, ttl: whole(TTL_RULE, MAX_TTL_SECONDS).optional() });
const page = z.strictObject({
  prefix,
  limit: whole(LIMIT_RULE, MAX_LIST_LIMIT).default(DEFAULT_LIST_LIMIT),
  cursor: cursor.optional(),
});
const many = z.strictObject({ prefix });

/** Returns the cursor for the page after a key. */
export function cursorOf(after: string): string {
  const text = String.fromCharCode(...new TextEncoder().encode(after));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function query<T>(url: URL, schema: z.ZodType<T>): T {
  const given: Record<string, string> = {};
  for (const [name, value] of url.searchParams) {
    if (Object.hasOwn(given, name)) {
      throw new KvRequestError(400, "invalid_request", `Pass "${name}" only once`);
    }
    given[name] = value;
  }
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join(".") ?? "";
  throw new KvRequestError(
    400,
    "invalid_request",
    `${place === "" ? "" : `${place}: `}${issue?.message}`,
  );
}

const TAG = /^"([0-9a-f]{1,64})"$/;

function conditionOf(headers: Headers): KvCondition | undefined {
  const [match, none] = [headers.get("if-match"), headers.get("if-none-match")];
  if (match !== null && none !== null) {
    throw new KvRequestError(400, "invalid_request", "Send If-Match or If-None-Match, not both");
  }
  if (none !== null) {
    if (none.trim() === "*") return { type: "absent" };
    throw new KvRequestError(400, "invalid_request", "Use If-None-Match: * for a new key");
  }
  if (match === null) return undefined;
  const [, version] = TAG.exec(match.trim()) ?? [];
  if (version !== undefined) return { type: "version", version };
  throw new KvRequestError(
    400,
    "invalid_request",
    "Use the ETag from an earlier response in If-Match",
  );
}

function contentTypeOf(headers: Headers): string {
  const type = headers.get("content-type") ?? "application/octet-stream";
  if (type.length <= MAX_TYPE_LENGTH) return type;
  throw new KvRequestError(
    400,
    "invalid_request",
    `Use a Content-Type of at most ${MAX_TYPE_LENGTH} characters`,
  );
}

function parseValue(method: string, url: URL, headers: Headers): KvCall {
  switch (method) {
    case "GET":
    case "HEAD":
      return { type: "get", ...query(url, one) };
    case "PUT": {
      const { key, ttl } = query(url, write);
      return {
        type: "set",
        key,
        contentType: contentTypeOf(headers),
        ttlSeconds: ttl,
        condition: conditionOf(headers),
      };
    }
    case "DELETE":
      return { type: "remove", ...query(url, one), condition: conditionOf(headers) };
    default:
      throw new KvRequestError(405, "method_not_allowed", "Use GET, HEAD, PUT or DELETE");
  }
}

function parseValues(method: string, url: URL): KvCall {
  switch (method) {
    case "GET": {
      const { cursor: after, ...rest } = query(url, page);
      return { type: "list", ...rest, after };
    }
    case "DELETE":
      return { type: "clear", ...query(url, many) };
    default:
      throw new KvRequestError(405, "method_not_allowed", "Use GET or DELETE");
  }
}

/**
 * Parses a request.
 *
 * @throws {KvRequestError}
 */
export function parseKvRequest({ method, url: text, headers }: Request): KvCall {
  const url = new URL(text);
  if (url.pathname === "/v1/value") return parseValue(method, url, headers);
  if (url.pathname === "/v1/values") return parseValues(method, url);
  throw new KvRequestError(404, "not_found", "Use /v1/value or /v1/values");
}
