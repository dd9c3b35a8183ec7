/**
 * The shape of `svc.rules.test.toml`: a table of requests and what the rules are
 * expected to make of them.
 *
 * @module
 */
import { z } from "zod";
import { requestHost } from "../facts.ts";
import { parseIp } from "../ip_address.ts";
import { DEVICES } from "../vocabulary.ts";

const name = z.string({ error: "Use a text" }).min(1, { error: "Use a text that is not empty" });
const texts = z.record(name, z.string({ error: "Use a text" }), { error: "Use a table of texts" });
const headers = z.record(
  z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, { error: "Use a valid header name" }),
  z.string({ error: "Use a text" }).regex(/^[\t\x20-\x7e\x80-\xff]*$/, {
    error: "Use a header value without control characters",
  }),
  { error: "Use a table of texts" },
);
const names = z.array(name, { error: "Use a list of texts" });

function isRequestUrl(url: string): boolean {
  const host = /^https?:\/\/([^\/?#]+)/i.exec(url)?.[1];
  return host === undefined ? url.startsWith("/") : requestHost(host) !== undefined;
}

/** What one row expects; every field that is there is compared. */
export const expectationSchema = z.strictObject({
  /** `pass` is a request that goes on to the routes. */
  outcome: z.enum(["pass", "deny", "rate_limited", "redirect"], {
    error: "Use one of pass, deny, rate_limited, redirect",
  }).optional(),
  status: z.int({ error: "Use a status from 300 to 599" }).min(300, {
    error: "Use a status from 300 to 599",
  }).max(599, { error: "Use a status from 300 to 599" }).optional(),
  location: name.optional(),
  /** The rule that answers, or where none does, the one that rewrites. */
  rule: name.optional(),
  /** Path with query, or the URL of an external rewrite. */
  rewrite: name.optional(),
  /** Seconds that the answer is kept, or `bypass`. */
  cache: z.union([z.literal("bypass"), z.int().positive()], {
    error: 'Use a number of seconds or "bypass"',
  }).optional(),
  /** The rule whose pipeline runs. */
  pipeline: name.optional(),
  /** Functions and handle of the pipeline, in the order in which they run. */
  steps: names.optional(),
  /** Headers that the answer gets. */
  headers: texts.optional(),
  /** Headers that the answer loses. */
  removed_headers: names.optional(),
  /** Rules that take effect. */
  matched: names.optional(),
  /** Rules that do not take effect. */
  not_matched: names.optional(),
}, { error: "Use a table" });

export const ruleTestSchema = z.strictObject({
  name,
  method: name.optional(),
  url: name.refine(isRequestUrl, { error: 'Use a path that begins with "/", or an http(s) URL' }),
  headers: headers.optional(),
  ip: name.refine((text) => parseIp(text) !== undefined, { error: "Use an IP address" }).optional(),
  country: name.regex(/^[A-Za-z]{2}$/, { error: "Use a country code of two letters" }).optional(),
  asn: z.int({ error: "Use a whole number" }).min(1, { error: "Use 1 to 4294967295" })
    .max(4_294_967_295, { error: "Use 1 to 4294967295" }).optional(),
  device: z.enum(DEVICES, { error: `Use one of ${DEVICES.join(", ")}` }).optional(),
  /** Normalized paths that a static file answers. */
  files: names.optional(),
  /** Rules whose rate limit is used up. */
  over_limit: names.optional(),
  expect: expectationSchema,
}, { error: "Use a table" });

/** One row of the table. */
export type RuleTest = z.infer<typeof ruleTestSchema>;
export type RuleExpectation = z.infer<typeof expectationSchema>;

/** The names of the fields, for suggestions. */
export const TEST_FIELDS: readonly string[] = Object.keys(ruleTestSchema.shape);
export const EXPECTATION_FIELDS: readonly string[] = Object.keys(expectationSchema.shape);
