/** @module Reads and validates forms. */
import type * as z from "zod";
import type { Problem } from "../../contract/common.ts";
import { Failure, readBytes, toFailure } from "../../platform/core/http/mod.ts";

/** Maximum size of a form, in bytes. */
const MAX_FORM_BYTES = 64 * 1024;

export type Fields = Readonly<Record<string, string>>;

/** The state of a form: the values as they were entered, and the problems with them. */
export interface FormState {
  readonly values: Fields;
  /** Problems with individual fields. */
  readonly problems: Fields;
  /** A problem with the whole form. */
  readonly failure?: string;
}

/** How to show a form again after it has been rejected. */
export interface FormPage {
  readonly state?: FormState;
  /** HTTP status of the page; 200 by default. */
  readonly status?: number;
  readonly headers?: Fields;
}

/** The state of an empty form. */
export const EMPTY: FormState = { values: {}, problems: {} };

export interface SentForm {
  /** The values by field name. For a repeated field, only the last value. */
  readonly fields: Fields;
  /** Returns all values of a field, for example of all checked checkboxes. */
  values(name: string): readonly string[];
  /** Returns the files in a field. */
  files(name: string): readonly File[];
}

/** An empty form, for a request without a form. */
export const NO_FORM: SentForm = { fields: {}, values: () => [], files: () => [] };

/** Reads a form with files (RFC 7578). */
async function readMultipart(request: Request, maxBytes: number): Promise<SentForm> {
  const bytes = await readBytes(request, maxBytes);
  const headers = { "content-type": request.headers.get("content-type") ?? "" };
  const sent = await new Response(bytes, { headers }).formData().catch((cause) => {
    throw new Failure("invalid_request", "Cannot read the form", { cause });
  });
  const texts = [...sent].filter((pair): pair is [string, string] => typeof pair[1] === "string");
  return {
    fields: Object.fromEntries(texts),
    values: (name) => texts.filter(([each]) => each === name).map(([, value]) => value),
    files: (name) => sent.getAll(name).filter((value) => typeof value !== "string"),
  };
}

/**
 * Reads a form. A form can contain files only if `maxUpload`, the maximum size of the form in
 * bytes, is set.
 */
export async function readForm(request: Request, maxUpload?: number): Promise<SentForm> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (maxUpload !== undefined && type === "multipart/form-data") {
    return await readMultipart(request, maxUpload);
  }
  if (type !== "application/x-www-form-urlencoded") {
    throw new Failure(
      "unsupported_media_type",
      "Submit the form from one of the platform's own pages",
    );
  }
  const text = new TextDecoder().decode(await readBytes(request, MAX_FORM_BYTES));
  const sent = new URLSearchParams(text);
  return { fields: Object.fromEntries(sent), values: (name) => sent.getAll(name), files: () => [] };
}

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly state: FormState };

/** Validates fields against a schema and reports all problems together. */
export function checkFields<T>(schema: z.ZodObject & z.ZodType<T>, values: Fields): Checked<T> {
  const known = Object.keys(schema.shape);
  const given = Object.fromEntries(known.map((name) => [name, values[name] ?? ""]));
  const result = schema.safeParse(given);
  if (result.success) return { ok: true, value: result.data };
  const problems: Record<string, string> = {};
  for (const { path, message } of result.error.issues) {
    problems[String(path[0] ?? "")] ??= message;
  }
  return { ok: false, state: { values, problems } };
}

/**
 * Returns the problems with an API request, by form field; `undefined` if a problem does not belong
 * to any field.
 */
function fieldProblems(problems: readonly Problem[], values: Fields): Fields | undefined {
  const found: Record<string, string> = {};
  for (const { path, message } of problems) {
    const [, name = ""] = /^(?:path|query|body)\.(\w+)$/.exec(path) ?? [];
    if (!Object.hasOwn(values, name)) return undefined;
    found[name] ??= message;
  }
  return problems.length === 0 ? undefined : found;
}

/**
 * Returns the state of a rejected form, and the status of its page. Rethrows a failure of the
 * platform itself.
 */
export function refused(
  error: unknown,
  values: Fields,
): { readonly state: FormState; readonly status: number; readonly headers: Fields } {
  const failure = toFailure(error);
  if (failure.status >= 500) throw error;
  const problems = fieldProblems(failure.problems ?? [], values);
  return {
    state: problems === undefined
      ? { values, problems: {}, failure: failure.message }
      : { values, problems },
    // The status must not be 401, because such a response must contain a challenge (RFC 9110,
    // 15.5.2).
    status: failure.status === 401 ? 403 : failure.status,
    headers: failure.retryAfter === undefined ? {} : { "retry-after": `${failure.retryAfter}` },
  };
}
