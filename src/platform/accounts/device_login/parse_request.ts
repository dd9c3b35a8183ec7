/**
 * Request bodies for the OAuth endpoints: a form, as RFC 6749 and RFC 8628 specify, or JSON.
 * Duplicate and empty parameters are treated as RFC 6749 (3.2) requires.
 *
 * @module
 */
import * as z from "zod";
import type { OAuthErrorCode } from "../../../contract/device.ts";
import { formatCount } from "../../../lib/format.ts";
import type { RateWindow } from "../../core/access/mod.ts";
import { addressGroup, type Client, Failure, readBytes, readJson } from "../../core/http/mod.ts";

export class OAuthError extends Error {
  override readonly name = "OAuthError";
  constructor(readonly code: OAuthErrorCode, message: string, options: {
    readonly retryAfter?: number;
  } = {}) {
    super(message);
    this.retryAfter = options.retryAfter;
  }
  /** Seconds, for `Retry-After`. */
  readonly retryAfter: number | undefined;
}

function readForm(text: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(fields, name)) {
      throw new OAuthError("invalid_request", `Parameter ${name} appears more than once`);
    }
    if (value !== "") fields[name] = value;
  }
  return fields;
}

async function readFields(request: Request, maxBytes: number): Promise<unknown> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/json") {
    const { value } = await readJson(request, maxBytes);
    return value === undefined ? {} : value;
  }
  const bytes = await readBytes(request, maxBytes);
  if (bytes.byteLength === 0) return {};
  if (type !== "application/x-www-form-urlencoded") {
    throw new OAuthError(
      "invalid_request",
      "Send a form, or JSON with Content-Type: application/json",
    );
  }
  return readForm(new TextDecoder().decode(bytes));
}

/** Returns `{}` if the body is empty. @throws {OAuthError} `invalid_request`. */
export async function readOAuthFields(request: Request, maxBytes: number): Promise<unknown> {
  try {
    return await readFields(request, maxBytes);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new OAuthError("invalid_request", error.message);
  }
}

/** @throws {OAuthError} `invalid_request` with every problem in the parameters. */
export function parseOAuthFields<T>(
  fields: unknown,
  schema: z.ZodType<T>,
  code: OAuthErrorCode = "invalid_request",
): T {
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join(".")}: ${message}`
  );
  throw new OAuthError(code, `Request is not valid: ${problems.join("; ")}`);
}

/** The field that contains the grant type, which is read before all other fields. */
const anyGrant = z.object({
  grant_type: z.string("Required").min(1, "Required").max(200),
});

export function readGrantType(fields: unknown): string {
  return parseOAuthFields(fields, anyGrant).grant_type;
}

/** @throws {OAuthError} `rate_limited` for too many requests from one network. */
export function requireOAuthRate(window: RateWindow, client: Client): void {
  const wait = window.take(addressGroup(client.address));
  if (wait === 0) return;
  throw new OAuthError(
    "rate_limited",
    `Too many requests. Try again in ${formatCount(wait, "second")}`,
    { retryAfter: wait },
  );
}

/** Header fields of every response with a token. */
const NEVER_CACHED = { "cache-control": "no-store", pragma: "no-cache" };

/** Responds as RFC 6749 (5.1 and 5.2) requires: never cached, with errors in OAuth's format. */
export async function oauthAnswer(
  request: Request,
  work: () => Promise<unknown>,
  status = 200,
): Promise<Response> {
  const headers = NEVER_CACHED;
  try {
    if (request.headers.has("idempotency-key")) {
      throw new OAuthError(
        "invalid_request",
        "Idempotency-Key is not supported here: leave it out",
      );
    }
    return Response.json(await work(), { headers, status });
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { code, message, retryAfter } = error;
    return Response.json({ error: code, error_description: message }, {
      status: code === "rate_limited" ? 429 : 400,
      headers: retryAfter === undefined ? headers : { ...headers, "retry-after": `${retryAfter}` },
    });
  }
}

/** Returns a platform failure in OAuth's format. */
export function oauthFailure({ status, message }: Failure): Response {
  const error = status >= 500 ? "temporarily_unavailable" : "invalid_request";
  return Response.json({ error, error_description: message }, { status, headers: NEVER_CACHED });
}
