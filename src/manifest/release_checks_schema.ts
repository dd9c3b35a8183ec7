import * as z from "zod";
import {
  canSetHeaders,
  CHECK_HEADER_NAME,
  CHECK_HEADER_VALUE,
  CHECK_METHOD,
  CHECK_NAME,
  CHECK_URL,
  MAX_CHECK_COMMANDS,
  MAX_CHECK_HEADERS,
  MAX_CHECK_REQUESTS,
  MAX_CHECK_RETRIES,
  MAX_CHECK_TEXT,
  MAX_CHECK_TIMEOUT_MS,
} from "../lib/release_checks.ts";

const TEXT_RULE = `Use text of 1 to ${MAX_CHECK_TEXT} characters`;
const HEADERS_RULE = `Use an object of at most ${MAX_CHECK_HEADERS} header names and values`;
const STATUS_RULE = "Use a status from 200 to 599";
const TIMEOUT_RULE = `Use a whole number from 1000 to ${MAX_CHECK_TIMEOUT_MS}`;
const RETRIES_RULE = `Use a whole number from 0 to ${MAX_CHECK_RETRIES}`;
const REQUESTS_RULE = `Use a list of at most ${MAX_CHECK_REQUESTS} requests`;
const COMMANDS_RULE = `Use a list of at most ${MAX_CHECK_COMMANDS} commands`;

const text = z.string(TEXT_RULE).min(1, TEXT_RULE).max(MAX_CHECK_TEXT, TEXT_RULE);
const headerName = z.string("Use a header name").regex(CHECK_HEADER_NAME, "Use a header name");
const headers = z.record(
  headerName,
  z.string("Use a string").max(MAX_CHECK_TEXT, TEXT_RULE).regex(
    CHECK_HEADER_VALUE,
    "Use a header value with only ASCII characters",
  ),
  HEADERS_RULE,
).refine((fields) => Object.keys(fields).length <= MAX_CHECK_HEADERS, HEADERS_RULE);

const expectationSchema = z.strictObject({
  status: z.int(STATUS_RULE).min(200, STATUS_RULE).max(599, STATUS_RULE).optional(),
  location: text.optional(),
  headers: headers.optional(),
  removedHeaders: z.array(headerName, HEADERS_RULE).max(MAX_CHECK_HEADERS, HEADERS_RULE).optional(),
  body: text.optional(),
}, "Use an object");

const requestSchema = z.strictObject({
  name: text.regex(CHECK_NAME, "Use a name without leading or trailing spaces"),
  method: z.string("Use a string").regex(CHECK_METHOD, "Use a method in upper case").optional(),
  url: text.regex(CHECK_URL, 'Use a path that begins with "/" and has no # or spaces'),
  headers: headers.refine(
    canSetHeaders,
    "Leave out header fields that the platform sets, such as host",
  ).optional(),
  expect: expectationSchema,
}, "Use an object");

export const releaseChecksSchema = z.strictObject({
  timeoutMs: z.int(TIMEOUT_RULE).min(1000, TIMEOUT_RULE).max(MAX_CHECK_TIMEOUT_MS, TIMEOUT_RULE)
    .optional(),
  retries: z.int(RETRIES_RULE).min(0, RETRIES_RULE).max(MAX_CHECK_RETRIES, RETRIES_RULE).optional(),
  requests: z.array(requestSchema, REQUESTS_RULE).max(MAX_CHECK_REQUESTS, REQUESTS_RULE).optional(),
  commands: z.array(text, COMMANDS_RULE).max(MAX_CHECK_COMMANDS, COMMANDS_RULE).optional(),
}, "Use an object");

/** The allowed fields of each part. */
export const CHECK_FIELDS = {
  checks: Object.keys(releaseChecksSchema.shape),
  request: Object.keys(requestSchema.shape),
  expectation: Object.keys(expectationSchema.shape),
};
