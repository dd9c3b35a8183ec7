/**
 * Objects in requests and responses that all resources share: identifiers, pages, errors. @module
 */
import * as z from "zod";

export const uuid = z.uuid("Must be a UUID");

/** A point in time as ISO 8601 in UTC, with milliseconds. */
export const timestamp = z.iso.datetime();

/** A DNS label that leaves room for `-git-<branch>` in the 63 characters of a host label. */
export const PROJECT_NAME_MAX = 40;

export const slug = (maximum: number) =>
  z.string().max(maximum, `Must be at most ${maximum} characters`).regex(
    /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/,
    "Must be lowercase letters, digits and hyphens, with no hyphen at either end",
  ).refine((name) => !name.startsWith("xn--"), "Must not begin with xn--");

export const projectName = slug(PROJECT_NAME_MAX);

/** Declares a resource's ID or name. The name has a maximum length. */
export const idOrName = (maximum: number) =>
  z.union(
    [uuid, slug(maximum)],
    `Must be an ID, or a name of at most ${maximum} lowercase letters, digits and hyphens, with no hyphen at either end`,
  );

export const PAGE_LIMIT_DEFAULT = 20;
export const PAGE_LIMIT_MAX = 100;

/**
 * Declares a whole number. Only decimal digits are accepted, because `Number()` would also accept
 * `0x10`, `1e1` and blanks.
 */
export function wholeNumber({ min, max }: { readonly min: number; readonly max?: number }) {
  const range = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  return z.preprocess(
    (given) =>
      typeof given !== "string" ? given : /^\d{1,15}$/.test(given) ? Number(given) : undefined,
    z.int(`Must be a whole number ${range}, using only digits`).min(min)
      .max(max ?? Number.MAX_SAFE_INTEGER),
  );
}

export const pageLimit = (most: number, usual: number) =>
  wholeNumber({ min: 1, max: most }).default(usual);

/** Query parameters of every list. `cursor` is the `nextCursor` of the previous page. */
export const pageQuery = z.object({
  limit: pageLimit(PAGE_LIMIT_MAX, PAGE_LIMIT_DEFAULT).meta({
    description: "Maximum number of entries",
    example: 20,
  }),
  cursor: uuid.optional().describe("`nextCursor` of the previous page"),
});

/** Declares one page of a list. `nextCursor` is null on the last page. */
export const page = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item).describe("Entries on the page"),
    nextCursor: z.string().nullable().describe("`cursor` of the next page; null on the last page"),
  });

export const ERROR_CODES = [
  "invalid_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "method_not_allowed",
  "conflict",
  "precondition_failed",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limited",
  "manifest_invalid",
  "rules_invalid",
  "blob_mismatch",
  "blobs_missing",
  "base_unusable",
  "storage_full",
  "unavailable",
  "internal",
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** One problem in an invalid request: the field, and what is wrong with it. */
export const problem = z.object({
  path: z.string().meta({ description: "Path of the field", example: "body.name" }),
  message: z.string().meta({
    description: "What is wrong with the field",
    example: "Must not be empty",
  }),
}).meta({ id: "Problem" });
export type Problem = z.infer<typeof problem>;

/** Body of every failed request. */
export const apiError = z.object({
  error: z.string().meta({
    description: "What went wrong",
    example: "Request is not valid: body.name: Must not be empty",
  }),
  code: z.enum(ERROR_CODES).describe("Machine-readable code of the error"),
  requestId: z.string().meta({
    description: "ID of the request in the platform's log",
    example: "5f2c9a7b1e-4q",
  }),
  hint: z.string().optional().describe("How to fix it"),
  docs: z.string().optional().describe("Path of the error's documentation").meta({
    example: "/docs/errors#not_found",
  }),
  problems: z.array(problem).optional().describe("Every invalid field"),
}).meta({ id: "Error" });
export type ApiErrorBody = z.infer<typeof apiError>;

/** A node that is missing from a response. */
export const missingNode = z.object({
  node: z.string().describe("Name of the node").meta({ example: "a" }),
  reason: z.string().describe("Why the results are missing").meta({ example: "does not respond" }),
});
export type MissingNode = z.infer<typeof missingNode>;

/** Name of the event that reports a missing node in a stream. */
export const MISSING_NODE_EVENT = "missing-node";

export const missingNodes = z.array(missingNode).optional().describe(
  "Nodes whose results are missing. Omitted if there are none",
);
