/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { LogEntry } from "../../contract/logs.ts";

export function levelOf(entry: LogEntry): string {
  if (entry.type !== "request") return entry.level;
  return entry.status >= 500 ? "error" : entry.status >= 400 ? "warn" : "info";
}

function textOf(entry: LogEntry): string {
  if (entry.type === "request") {
    const { method, host, path, durationMs, error } = entry;
    return `${method} ${host}${path}  ${Math.round(durationMs)} ms${error ? `  ${error}` : ""}`;
  }
  const from = entry.type === "function" ? entry.function : entry.layer;
  const stack = entry.type === "function" && entry.stack !== null ? `\n${entry.stack}` : "";
  return `${from}  ${entry.message}${stack}`;
}

/** Returns the path of the page that shows an entry and everything that is related to it. */
const entryPath = (path: string, { time, requestId }: LogEntry): string =>
  `${path}?${new URLSearchParams({
    at: time,
    ...(requestId === null ? {} : { request: requestId }),
  })}`;

/**
 * Shows a log line. `path` is the path of the page that shows a single entry. Characters between
 * the parts of the line keep the parts separate in copied text.
 */
export function LogLine({ entry, path }: { readonly entry: LogEntry; readonly path: string }) {
  const level = levelOf(entry);
  return (
    <li>
      <time datetime={entry.time}>{entry.time.slice(11, 19)}</time>{" "}
      <span class={`badge ${level}`}>{entry.type === "request" ? entry.status : level}</span>{" "}
      <a href={entryPath(path, entry)}>{textOf(entry)}</a>
      {"\n"}
    </li>
  );
}
