/** @module The schema of `svc.rules.test.toml`: requests and their expected results. */
import * as z from "zod";
import { parseIp } from "../request/ip_address.ts";
import { requestHost } from "../request/facts.ts";
import { choice, integer, list, text, textMap } from "../schema_parts.ts";
import { DEVICES } from "../vocabulary.ts";

const name = text();
const texts = textMap();
const headers = z.record(
  z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, "Use a valid header name"),
  z.string("Use a string").regex(
    /^[\t\x20-\x7e\x80-\xff]*$/,
    "Use a header value without control characters",
  ),
  "Use a table of strings",
);
const names = list(name);

function isRequestUrl(url: string): boolean {
  const host = /^https?:\/\/([^\/?#]+)/i.exec(url)?.[1];
  return host === undefined ? url.startsWith("/") : requestHost(host) !== undefined;
}

/** The expectation of one row. Only the given fields are compared. */
const expectationSchema = z.strictObject({
  /** `pass` is a request that continues to the routes. */
  outcome: choice(["pass", "deny", "rate_limited", "redirect"]).optional(),
  status: integer(300, 599).optional(),
  location: name.optional(),
  /** The rule that responds or, if none does, the rule that rewrites the request. */
  rule: name.optional(),
  /** Path with query, or the URL of an external rewrite. */
  rewrite: name.optional(),
  /** How long the response is cached, in seconds, or `bypass`. */
  cache: z.union([z.literal("bypass"), z.int().positive()], 'Use a number of seconds or "bypass"')
    .optional(),
  /** The rule whose pipeline runs. */
  pipeline: name.optional(),
  /** Functions and handle of the pipeline, in the order in which they run. */
  steps: names.optional(),
  /** Headers added to the response. */
  headers: texts.optional(),
  /** Headers removed from the response. */
  removed_headers: names.optional(),
  /** Rules that take effect. */
  matched: names.optional(),
  /** Rules that do not take effect. */
  not_matched: names.optional(),
}, "Use a table");

const ruleTestSchema = z.strictObject({
  name,
  method: name.optional(),
  url: name.refine(isRequestUrl, 'Use a path that begins with "/", or an http(s) URL'),
  headers: headers.optional(),
  ip: name.refine((text) => parseIp(text) !== undefined, "Use an IP address").optional(),
  country: name.regex(/^[A-Za-z]{2}$/, "Use a country code of two letters").optional(),
  asn: integer(1, 4_294_967_295).optional(),
  device: choice(DEVICES).optional(),
  /** Normalized paths with a static file. */
  files: names.optional(),
  /** Rules whose rate limit is used up. */
  over_limit: names.optional(),
  expect: expectationSchema,
}, "Use a table");

/** The content of a rule test file. */
export const ruleTestFileSchema = z.strictObject({
  tests: list(ruleTestSchema).min(1, "Add at least one [[tests]] table"),
}, "Use a table");

/** A `[[tests]]` table in a rule test file. */
export type RuleTest = z.infer<typeof ruleTestSchema>;

/** The names of the fields, for suggestions. */
export const TEST_FIELDS: readonly string[] = Object.keys(ruleTestSchema.shape);
export const EXPECTATION_FIELDS: readonly string[] = Object.keys(expectationSchema.shape);
