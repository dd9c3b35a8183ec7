/** Log lines, in stored and displayed form. Pure. @module */
import type { LogEntry } from "../../contract/logs.ts";
import type { AccessRecord } from "../../edge/mod.ts";
import type { ComputeLogEntry, FunctionLogEntry } from "../../runtime/mod.ts";

/** A line from a function's log, before it is written anywhere. */
export interface FunctionRecord extends FunctionLogEntry {
  readonly projectId: string;
  readonly deploymentId: string;
}

/** A line from a server's log, before it is written anywhere. */
export interface ServerRecord extends ComputeLogEntry {
  readonly projectId: string;
  readonly deploymentId: string;
  readonly layer: string;
}

type LogRecord = AccessRecord | FunctionRecord | ServerRecord;

/** Converts a record to the form that the log's readers see. */
export function toLogEntry(record: LogRecord): LogEntry {
  if ("function" in record) return toFunctionEntry(record);
  return "layer" in record ? toServerEntry(record) : toRequestEntry(record);
}

function toServerEntry(record: ServerRecord): LogEntry {
  return {
    type: "server",
    time: new Date(record.time).toISOString(),
    deploymentId: record.deploymentId,
    requestId: record.requestId ?? null,
    layer: record.layer,
    level: record.level,
    message: record.message,
  };
}

function toFunctionEntry(record: FunctionRecord): LogEntry {
  return {
    type: "function",
    time: new Date(record.time).toISOString(),
    deploymentId: record.deploymentId,
    requestId: record.requestId ?? null,
    function: record.function,
    level: record.level,
    message: record.message,
    stack: record.stack ?? null,
  };
}

function roundedDuration({ durationMs }: AccessRecord): number {
  return Math.round(durationMs * 100) / 100;
}

function toRequestEntry(record: AccessRecord): LogEntry {
  const { projectId: _, rules, error, edge, traceparent, ...entry } = record;
  return {
    type: "request",
    ...entry,
    time: new Date(record.time).toISOString(),
    durationMs: roundedDuration(record),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(error === undefined ? {} : { error }),
    ...(edge === undefined ? {} : { edge }),
    ...(rules === undefined || rules.length === 0 ? {} : { rules: [...rules] }),
  };
}

/**
 * The second that was formatted last. It is cached, because many requests share the same second.
 */
let second = { start: NaN, text: "" };

/**
 * Like `toISOString()`, but without the `Z`, and fast for times in the same second as the previous
 * one.
 */
function isoTime(time: number): string {
  const whole = Math.floor(time);
  const start = whole - (whole % 1000);
  if (start !== second.start) second = { start, text: new Date(start).toISOString().slice(0, 20) };
  return `${second.text}${String(whole - start).padStart(3, "0")}`;
}

/** The part of a line that most requests to a deployment share, by deployment ID. */
const shared = new Map<string, { readonly host: string; readonly text: string }>();
const MAX_SHARED = 1024;

function sharedPart({ deploymentId, host }: AccessRecord): string {
  const known = shared.get(deploymentId);
  if (known?.host === host) return known.text;
  const text = `Z","deploymentId":"${deploymentId}","host":"${host}","requestId":"`;
  if (shared.size >= MAX_SHARED) shared.clear();
  shared.set(deploymentId, { host, text });
  return text;
}

/**
 * Formats one line of JSON. Common lines are joined from only a few pieces, to relieve the garbage
 * collector.
 */
export function formatLogLine(record: LogRecord): string {
  const isPlain = "method" in record && record.error === undefined &&
    (record.rules === undefined || record.rules.length === 0);
  if (!isPlain) return JSON.stringify(toLogEntry(record));
  const { requestId, method, path, status, bytes, ip, userAgent, traceparent, edge } = record;
  const through = edge === undefined ? "" : `,"edge":"${edge}"`;
  const trace = traceparent === undefined ? "" : `,"traceparent":${JSON.stringify(traceparent)}`;
  return `{"type":"request","time":"${isoTime(record.time)}${sharedPart(record)}${requestId}",` +
    `"method":${JSON.stringify(method)},"path":${JSON.stringify(path)},"status":${status},` +
    `"bytes":${bytes},"durationMs":${roundedDuration(record)},"ip":"${ip}",` +
    `"userAgent":${userAgent === null ? "null" : JSON.stringify(userAgent)}${trace}${through}}`;
}

const HOOKS = "/v1/hooks/";

/**
 * Formats a request. Removes a deploy hook's token, which may be sent to a deployment's host by
 * mistake.
 */
export function requestLine(record: AccessRecord): string {
  const start = record.path.indexOf(HOOKS);
  return start === -1
    ? formatLogLine(record)
    : formatLogLine({ ...record, path: `${record.path.slice(0, start + HOOKS.length)}…` });
}

/** Parses lines from `formatLogLine()`, each followed by a line feed. */
export function parseLogLines(lines: string): LogEntry[] {
  return lines.split("\n").slice(0, -1).map((line): LogEntry => JSON.parse(line));
}
