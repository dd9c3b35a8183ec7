/**
 * Log entries as OpenTelemetry log records, according to its semantic conventions. Pure.
 *
 * @module
 */
import type { ProtobufLogsSerializer } from "@opentelemetry/otlp-transformer";
import type { BuildLogLine } from "../../contract/build_logs.ts";
import type { LogEntry } from "../../contract/logs.ts";
import type { PlatformLog } from "../core/log.ts";
import type { ErrorGroup } from "../errors/error_group.ts";

export type OtlpRecord = Parameters<typeof ProtobufLogsSerializer.serializeRequest>[0][number];
export type OtlpResource = OtlpRecord["resource"];

type Attributes = OtlpRecord["attributes"];

/** A record and its size in memory. */
export interface SizedRecord {
  readonly record: OtlpRecord;
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The record's approximate size, in bytes. */
  readonly size: number;
}

/** The owner of a record, and how to mask its text. */
export interface RecordOwner {
  readonly resource: OtlpResource;
  mask(text: string): string;
}

/** Maximum length of a string in a record, in UTF-16 code units. */
export const MAX_TEXT = 32 * 1024;
/** Size of a record without its strings, in bytes. */
const RECORD_BYTES = 300;

const LEVELS = {
  debug: [5, "DEBUG"],
  output: [9, "INFO"],
  info: [9, "INFO"],
  warn: [13, "WARN"],
  error: [17, "ERROR"],
} as const;
type Level = keyof typeof LEVELS;

/**
 * The scope of all records. They share one object, because the serializer distinguishes scopes by
 * identity.
 */
export const SCOPE = { name: "svc" } as const;

export function createResource(attributes: Attributes): OtlpResource {
  const resource: OtlpResource = { attributes, getRawAttributes: () => [], merge: () => resource };
  return resource;
}

/** Converts milliseconds to the serializer's format: seconds and nanoseconds. */
export const hrTime = (time: number): [number, number] => [
  Math.floor(time / 1000),
  Math.round((time % 1000) * 1e6),
];

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Returns the trace in a `traceparent` (W3C Trace Context); `undefined` if it is not valid. */
export function readTrace(traceparent: string | undefined): OtlpRecord["spanContext"] {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId!)) return undefined;
  return { traceId, spanId: spanId!, traceFlags: Number.parseInt(flags!, 16) };
}

/** Shortens a string to the maximum length, and appends the number of omitted characters. */
function shortened(text: string): string {
  return text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT).toWellFormed()}… (${text.length - MAX_TEXT} characters left out)`;
}

interface LogRecordFields {
  readonly time: number;
  readonly level: Level;
  readonly eventName: string;
  readonly body: string;
  readonly attributes: Readonly<
    Record<string, string | number | readonly string[] | null | undefined>
  >;
  readonly traceparent?: string | undefined;
}

/** Builds a record. Text is masked and shortened, and attributes without a value are omitted. */
function build(owner: RecordOwner, parts: LogRecordFields): SizedRecord {
  const { time, level, eventName, traceparent } = parts;
  const [severityNumber, severityText] = LEVELS[level];
  const attributes: Record<string, string | number | string[]> = {};
  const clean = (text: string) => shortened(owner.mask(text));
  const body = clean(parts.body);
  let size = RECORD_BYTES + body.length;
  for (const [name, value] of Object.entries(parts.attributes)) {
    if (value === null || value === undefined) continue;
    const own = typeof value === "string"
      ? clean(value)
      : typeof value === "number"
      ? value
      : value.map(clean);
    attributes[name] = own;
    size += name.length + String(own).length;
  }
  const spanContext = readTrace(traceparent);
  const record: OtlpRecord = {
    hrTime: hrTime(time),
    hrTimeObserved: hrTime(time),
    severityNumber,
    severityText,
    eventName,
    body,
    attributes,
    droppedAttributesCount: 0,
    resource: owner.resource,
    instrumentationScope: SCOPE,
    ...(spanContext === undefined ? {} : { spanContext }),
  };
  return { record, time, size };
}

function requestParts(
  entry: Extract<LogEntry, { type: "request" }>,
): Omit<LogRecordFields, "time"> {
  const { method, path, host, status, bytes, durationMs, ip, userAgent, error, rules } = entry;
  const [route, query] = path.split(/\?(.*)/s, 2) as [string, string?];
  return {
    level: status >= 500 ? "error" : status >= 400 ? "warn" : "info",
    eventName: "svc.request",
    body: `${method} ${path} ${status}`,
    traceparent: entry.traceparent,
    attributes: {
      "http.request.method": method,
      "url.path": route,
      "url.query": query,
      "server.address": host,
      "http.response.status_code": status,
      "http.response.body.size": bytes,
      "client.address": ip,
      "user_agent.original": userAgent,
      "error.message": error,
      "svc.duration_ms": durationMs,
      "svc.request_id": entry.requestId,
      "svc.rules": rules?.map(({ ruleId, outcome }) => `${ruleId} ${outcome}`),
    },
  };
}

export function entryRecord(owner: RecordOwner, entry: LogEntry): SizedRecord {
  const time = Date.parse(entry.time);
  if (entry.type === "request") return build(owner, { time, ...requestParts(entry) });
  const { level, message, requestId } = entry;
  const isFunction = entry.type === "function";
  const hasFailed = isFunction && entry.stack !== null;
  return build(owner, {
    time,
    level,
    eventName: `svc.${entry.type}`,
    body: message,
    attributes: {
      "svc.request_id": requestId,
      ...(isFunction ? { "faas.name": entry.function } : { "svc.layer": entry.layer }),
      ...(hasFailed ? { "exception.message": message, "exception.stacktrace": entry.stack } : {}),
    },
  });
}

export function buildLineRecord(owner: RecordOwner, line: BuildLogLine): SizedRecord {
  return build(owner, {
    time: Date.parse(line.time),
    level: line.level,
    eventName: "svc.build",
    body: line.text,
    attributes: { "svc.build.line": line.number },
  });
}

/** Occurrences of one error that were counted together. */
export function errorRecord(owner: RecordOwner, group: ErrorGroup): SizedRecord {
  const { id, kind, source, title, stack, count, lastSeen, samples } = group;
  return build(owner, {
    time: lastSeen,
    level: "error",
    eventName: "svc.error",
    body: title,
    attributes: {
      "exception.message": title,
      "exception.stacktrace": stack,
      "svc.error.id": id,
      "svc.error.kind": kind,
      "svc.error.source": source === "" ? null : source,
      "svc.error.count": count,
      "svc.request_id": samples[0]?.requestId,
    },
  });
}

export function platformRecord(
  resource: OtlpResource,
  { level, message }: PlatformLog,
  time: number,
): SizedRecord {
  const attributes = {};
  const owner = { resource, mask: (text: string) => text };
  return build(owner, { time, level, eventName: "svc.platform", body: message, attributes });
}

/** Creates a record that notifies the receiver of records that it will not receive. */
export function droppedRecord(resource: OtlpResource, count: number, time: number): SizedRecord {
  const records = count === 1 ? "1 record" : `${count} records`;
  return build({ resource, mask: (text) => text }, {
    time,
    level: "warn",
    eventName: "svc.drain.dropped",
    body: `${records} dropped: the endpoint was unreachable, too slow, or rejected them`,
    attributes: { "svc.drain.dropped": count },
  });
}

/** Creates a sample record for testing a drain. */
export function sampleRecord(resource: OtlpResource, time: number): SizedRecord {
  return build({ resource, mask: (text) => text }, {
    time,
    level: "info",
    eventName: "svc.drain.test",
    body: "Sample log record from svc",
    attributes: {},
  });
}
