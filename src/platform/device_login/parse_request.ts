/**
 * Bodies of the OAuth endpoints: a form, as RFC 6749 and 8628 have it, or
 * JSON. A parameter that is given twice, or empty, is treated as RFC 6749
 * (3.2) says.
 *
 * @module
 */
import type { z } from "zod";
import type { OAuthErrorCode } from "../../contract/mod.ts";
import { Failure } from "../http/failure.ts";
import { readBytes } from "../http/read_body.ts";

const MAX_BYTES = 16 * 1024;

/** An error as OAuth clients expect it (RFC 6749, 5.2). */
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
      throw new OAuthError("invalid_request", `Parameter ${name} is given more than once`);
    }
    if (value !== "") fields[name] = value;
  }
  return fields;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new OAuthError("invalid_request", "Can not read the body as JSON");
  }
}

async function readText(request: Request): Promise<string> {
  try {
    return new TextDecoder().decode(await readBytes(request, MAX_BYTES));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new OAuthError("invalid_request", error.message);
  }
}

/** @throws {OAuthError} `invalid_request` with every problem of the body. */
export async function parseOAuthBody<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  const text = await readText(request);
  const isJson = type === "application/json";
  if (text !== "" && !isJson && type !== "application/x-www-form-urlencoded") {
    throw new OAuthError("invalid_request", "Send a form, or JSON with its Content-Type");
  }
  const fields = text === "" ? {} : isJson ? readJson(text) : readForm(text);
  const result = schema.safeParse(fields);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
  throw new OAuthError("invalid_request", `Request is not valid: ${problems.join("; ")}`);
}
