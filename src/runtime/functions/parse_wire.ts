/** @module Validates data from a function, which is untrusted code. */
import * as z from "zod";
import { MAX_LOG_CHARACTERS } from "../process/frames/log_lines.ts";
import { parsePayload } from "../process/parse_payload.ts";
import {
  type FetchHead,
  type LogHead,
  MAX_HEAD_CHARACTERS,
  MAX_STACK_CHARACTERS,
  type ResultHead,
  type WireError,
} from "./wire.ts";

const MAX_HEADERS = 500;

/** RFC 9110, 5.1: field names are tokens. */
const fieldName = z.string().regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/).max(256);

/** RFC 9110, 5.5: field values have no line breaks and no NUL. Each character is one byte. */
const fieldValue = z.string().regex(/^[^\0\r\n\u0100-\uffff]*$/);

const headers = z.array(z.tuple([fieldName, fieldValue])).max(MAX_HEADERS);
const method = z.string().regex(/^[A-Za-z]{1,32}$/);
const url = z.string().max(16_384);
const body = z.enum(["none", "stream", "kept"]);
const status = z.int().min(200).max(599);
// deno-lint-ignore no-control-regex -- a reason phrase has no control characters
const statusText = z.string().max(256).regex(/^[^\0-\x08\x0a-\x1f\x7f\u0100-\uffff]*$/).optional();

const error = z.object({
  message: z.string().max(MAX_LOG_CHARACTERS),
  stack: z.string().max(MAX_STACK_CHARACTERS).optional(),
});

const result = z.discriminatedUnion("type", [
  z.object({ type: z.literal("next") }),
  z.object({ type: z.literal("response"), body, status, statusText, headers }),
  z.object({ type: z.literal("request"), body, method, url, headers }),
  z.object({
    type: z.literal("failed"),
    reason: z.enum(["threw", "invalid_result"]),
    error,
  }),
]);

/** The payload for the result of most request steps, which change nothing. */
const NEXT = new TextEncoder().encode('{"type":"next"}');
const NOTHING_CHANGED: ResultHead = { type: "next" };

const fetchHead = z.object({
  to: z.enum(["kv", "database"]).optional(),
  call: z.int(),
  method,
  url,
  headers,
  redirect: z.enum(["follow", "manual", "error"]),
  body: z.boolean(),
});

const logHead = z.object({
  level: z.enum(["debug", "info", "warn", "error"]),
  message: z.string().max(MAX_LOG_CHARACTERS),
  stack: z.string().max(MAX_STACK_CHARACTERS).optional(),
  call: z.int().optional(),
});

const MAX_BYTES = 2 * MAX_HEAD_CHARACTERS;

function read<T>(schema: z.ZodType<T>, payload: Uint8Array): T | undefined {
  return parsePayload(schema, payload, MAX_BYTES);
}

/** Returns a call's result, or `undefined` if the payload is invalid. */
export function parseResult(payload: Uint8Array): ResultHead | undefined {
  const isNext = payload.byteLength === NEXT.byteLength &&
    NEXT.every((byte, index) => payload[index] === byte);
  return isNext ? NOTHING_CHANGED : read(result as z.ZodType<ResultHead>, payload);
}

export function parseFetch(payload: Uint8Array): FetchHead | undefined {
  return read(fetchHead, payload);
}

export function parseLog(payload: Uint8Array): LogHead | undefined {
  return read(logHead as z.ZodType<LogHead>, payload);
}

export function parseError(payload: Uint8Array): WireError | undefined {
  return read(error as z.ZodType<WireError>, payload);
}
