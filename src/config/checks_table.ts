/** @module The `[checks]` table of `svc.toml`: conditions for changing production. */
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
  type ReleaseChecks,
} from "../lib/release_checks.ts";
import { COMMAND, parseTime } from "./field_rules.ts";
import { table } from "./table.ts";

const TIMEOUT_RULE = 'Use a time from 1 to 60 seconds, such as "10s"';
const RETRIES_RULE = `Use a whole number from 0 to ${MAX_CHECK_RETRIES}`;
const NAME_RULE = "Use a name of at most 1024 characters without leading or trailing spaces";
const METHOD_RULE = 'Use a method in upper case, such as "POST"';
const URL_RULE = 'Use a path that begins with "/", at most 1024 characters, without # and spaces';
const HEADERS_RULE = `Use a table of at most ${MAX_CHECK_HEADERS} header names and values`;
const HEADER_NAME_RULE = "Use a header name";
const OWN_HEADERS_RULE = "Leave out header fields that the platform sets, such as host";
const HEADER_VALUE_RULE = "Use a header value of at most 1024 ASCII characters";
const STATUS_RULE = "Use a status from 200 to 599";
const TEXT_RULE = "Use a string of 1 to 1024 characters";
const REMOVED_RULE = `Use a list of at most ${MAX_CHECK_HEADERS} header names`;
const REQUESTS_RULE =
  `Use [[checks.requests]] tables with name, url and expect, at most ${MAX_CHECK_REQUESTS}`;
const COMMANDS_RULE = `Use a list of at most ${MAX_CHECK_COMMANDS} commands`;

const isTimeout = (value: number | string): boolean => {
  const time = parseTime(value);
  return time !== undefined && time >= 1000 && time <= MAX_CHECK_TIMEOUT_MS;
};

const text = z.string(TEXT_RULE).min(1, TEXT_RULE).max(MAX_CHECK_TEXT, TEXT_RULE);
const headerName = z.string(HEADER_NAME_RULE).regex(CHECK_HEADER_NAME, HEADER_NAME_RULE);

const headers = z.record(
  headerName,
  z.string(HEADER_VALUE_RULE).max(MAX_CHECK_TEXT, HEADER_VALUE_RULE)
    .regex(CHECK_HEADER_VALUE, HEADER_VALUE_RULE),
  HEADERS_RULE,
).refine((fields) => Object.keys(fields).length <= MAX_CHECK_HEADERS, HEADERS_RULE);

const expectation = table({
  status: z.int(STATUS_RULE).min(200, STATUS_RULE).max(599, STATUS_RULE).optional().meta({
    description: "Status of the response; 200 to 399 when omitted.",
    examples: [200],
  }),
  location: text.optional().meta({ description: "`Location` of the response." }),
  headers: headers.optional().meta({
    description: "Header fields that the response must have, with their values.",
    examples: [{ "cache-control": "no-store" }],
  }),
  removed_headers: z.array(headerName, REMOVED_RULE).max(MAX_CHECK_HEADERS, REMOVED_RULE)
    .optional().meta({
      description: "Header fields that the response must not have.",
      examples: [["x-powered-by"]],
    }),
  body: text.optional().meta({
    description: "Text that the first MiB of the body must contain.",
    examples: ["Welcome"],
  }),
});

const request = table({
  name: z.string(NAME_RULE).max(MAX_CHECK_TEXT, NAME_RULE).regex(CHECK_NAME, NAME_RULE).meta({
    description: "Name in reports.",
    examples: ["Start page"],
  }),
  method: z.string(METHOD_RULE).regex(CHECK_METHOD, METHOD_RULE).optional().meta({
    description: "Method; GET when omitted.",
  }),
  url: z.string(URL_RULE).max(MAX_CHECK_TEXT, URL_RULE).regex(CHECK_URL, URL_RULE).meta({
    description: "Path and query.",
    examples: ["/"],
  }),
  headers: headers.refine(canSetHeaders, OWN_HEADERS_RULE).optional().meta({
    description: "Header fields of the request.",
  }),
  expect: expectation.meta({ description: "Expected response." }),
});

export const checks = table({
  timeout: z.union([z.string(), z.int()], TIMEOUT_RULE).refine(isTimeout, TIMEOUT_RULE)
    .optional().meta({
      description: "Time limit of one attempt; 10 seconds when omitted.",
      examples: ["10s", 10],
    }),
  retries: z.int(RETRIES_RULE).min(0, RETRIES_RULE).max(MAX_CHECK_RETRIES, RETRIES_RULE)
    .optional().meta({
      description: "How many times to retry a failed request; 2 when omitted.",
      examples: [2],
    }),
  commands: z.array(
    z.string(COMMANDS_RULE).max(MAX_CHECK_TEXT, COMMANDS_RULE).regex(COMMAND, COMMANDS_RULE),
    COMMANDS_RULE,
  ).max(MAX_CHECK_COMMANDS, COMMANDS_RULE).optional().meta({
    description:
      "Commands that must exit with code 0; SVC_CHECK_URL contains the deployment's URL.",
    examples: [["npm run smoke"]],
  }),
  requests: z.array(request, REQUESTS_RULE).max(MAX_CHECK_REQUESTS, REQUESTS_RULE).optional()
    .meta({ description: "Requests with their expected responses." }),
});

/** The keys of `[checks]` and of the tables inside it, by the last part of each table's name. */
export const CHECK_KEYS: Readonly<Record<string, readonly string[]>> = {
  checks: Object.keys(checks.shape),
  requests: Object.keys(request.shape),
  expect: Object.keys(expectation.shape),
};

/** Converts the checks to the form that the manifest uses. */
export function toReleaseChecks(raw: z.output<typeof checks>): ReleaseChecks {
  const { timeout, requests, ...rest } = raw;
  return {
    ...rest,
    ...(timeout === undefined ? {} : { timeoutMs: parseTime(timeout)! }),
    ...(requests === undefined ? {} : {
      requests: requests.map((
        { expect: { removed_headers: removedHeaders, ...expect }, ...row },
      ) => ({
        ...row,
        expect: { ...expect, ...(removedHeaders === undefined ? {} : { removedHeaders }) },
      })),
    }),
  };
}
