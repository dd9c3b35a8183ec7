/**
 * Access logs of all projects. A record immediately becomes a line in memory, and lines are written
 * in batches, so a request never waits for the disk. A crash loses at most the entries from the
 * last `FLUSH_INTERVAL_MS`.
 *
 * @module
 */
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type LogEntry, MAX_COUNTED } from "../../contract/logs.ts";
import type { AccessRecord } from "../../edge/mod.ts";
import { formatCount } from "../../lib/format.ts";
import { removeTree } from "../../lib/missing_files.ts";
import { LineBuffer } from "./line_buffer.ts";
import { LogFiles, type LogLine, type LogPlace, REPORTED_LATE_MS } from "./log_files.ts";
import { LogCounter, type LogCounts } from "./log_counts.ts";
import { type LogFilter, logMatcher, searchTest } from "./log_filter.ts";
import type { NodePage } from "./merge_pages.ts";
import { type LogObserver, observeRecord } from "./log_observer.ts";
import {
  formatLogLine,
  type FunctionRecord,
  parseLogLines,
  requestLine,
  type ServerRecord,
} from "./log_lines.ts";

/** How long an entry waits to be written, in milliseconds. */
const FLUSH_INTERVAL_MS = 200;
/** Maximum number of waiting characters. Further lines are counted and dropped. */
const MAX_WAITING = 32 * 1024 * 1024;
/** Maximum number of entries to pass to listeners at a time, so a reader can keep up. */
const ENTRIES_AT_ONCE = 200;
/** Maximum number of lines to search. */
const MAX_SEARCHED = 500_000;

/** Maximum time between the start of a slow request and its log line, in milliseconds. */
const LATE_MS = 60_000;

/**
 * Returns a function that tests whether everything before a line is older than the filter's range.
 */
function endOf({ since }: LogFilter): (entry: LogEntry) => boolean {
  if (since === undefined) return () => false;
  const before = (lateMs: number) => new Date(Date.parse(since) - lateMs).toISOString();
  const [own, reported] = [before(LATE_MS), before(REPORTED_LATE_MS)];
  return (entry) =>
    entry.time < (entry.type === "request" && entry.edge !== undefined ? reported : own);
}

const untilOf = ({ until }: LogFilter): number =>
  until === undefined ? Infinity : Date.parse(until);

type Listener = (entry: LogEntry) => void;

const formatEntries = (count: number): string =>
  formatCount(count, "access log entry", "access log entries");

/** Receives entries from every project. */
export type LogListener = (projectId: string, entry: LogEntry) => void;

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

interface AccessLogOptions {
  /** Called with each failure when it is logged. */
  readonly observer?: LogObserver | undefined;
  /** Called with a warning if entries could not be written or were dropped. */
  onTrouble(message: string): void;
}

export class AccessLogs {
  #waiting = new Map<string, LineBuffer>();
  #waitingLength = 0;
  #dropped = 0;
  #flushing: Promise<void> = Promise.resolve();
  readonly #files = new Map<string, LogFiles>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #ofAll = new Set<LogListener>();
  readonly #timer: ReturnType<typeof setInterval>;

  readonly #root: string;
  readonly #options: AccessLogOptions;

  constructor(root: string, options: AccessLogOptions) {
    this.#root = root;
    this.#options = options;
    this.#timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS);
  }

  readonly record = (record: AccessRecord): void => {
    const { observer } = this.#options;
    if (observer !== undefined && record.status >= 500) observeRecord(observer, record);
    this.#keep(record.projectId, requestLine(record));
  };

  #keep(projectId: string, line: string): void {
    if (this.#waitingLength >= MAX_WAITING) {
      this.#dropped++;
      return;
    }
    let buffer = this.#waiting.get(projectId);
    if (buffer === undefined) this.#waiting.set(projectId, buffer = new LineBuffer());
    buffer.add(line);
    this.#waitingLength += line.length;
  }

  readonly recordFunction = (record: FunctionRecord): void => this.#add(record);

  readonly recordServer = (record: ServerRecord): void => this.#add(record);

  /** Writes waiting entries and passes them to listeners. */
  flush(): Promise<void> {
    return this.#flushing = this.#flushing.then(() => this.#writeWaiting()).catch((error) =>
      this.#options.onTrouble(`Cannot write access log entries: ${error}`)
    );
  }

  /** Reads the latest entries that pass a filter, at most `limit`. */
  async read(
    projectId: string,
    filter: LogFilter & { readonly limit: number; readonly before?: LogPlace | undefined },
  ): Promise<NodePage> {
    await this.flush();
    const matches = logMatcher(filter);
    const isBefore = endOf(filter);
    const lines: LogLine[] = [];
    const files = this.#filesOf(projectId);
    const top = filter.before ?? await files.end();
    let searched = 0;
    const range = { until: untilOf(filter), mayMatch: searchTest(filter.search) };
    for await (const part of files.backwards(top, range)) {
      for (const line of part.lines) {
        if (isBefore(line.entry)) return { lines: lines.reverse(), next: null, top };
        if (matches(line.entry)) lines.push(line);
        if (lines.length === filter.limit) return { lines: lines.reverse(), next: line.place, top };
      }
      if (part.oldest === undefined) continue;
      if (isBefore(part.oldest.entry)) break;
      searched += part.count;
      if (searched >= MAX_SEARCHED) {
        return { lines: lines.reverse(), next: part.oldest.place, top };
      }
      await setImmediate();
    }
    return { lines: lines.reverse(), next: null, top };
  }

  /** Counts the latest entries that pass a filter, and stops after {@link MAX_COUNTED} entries. */
  async count(projectId: string, filter: LogFilter): Promise<LogCounts> {
    await this.flush();
    const matches = logMatcher(filter);
    const isBefore = endOf(filter);
    const counter = new LogCounter();
    const files = this.#filesOf(projectId);
    let looked = 0;
    const range = { until: untilOf(filter), mayMatch: searchTest(filter.search) };
    for await (const part of files.backwards(await files.end(), range)) {
      for (const { entry } of part.lines) {
        if (isBefore(entry)) return counter.counts(true);
        if (matches(entry)) counter.add(entry);
      }
      looked += part.count;
      if (looked >= MAX_COUNTED) return counter.counts(false);
      if (part.oldest !== undefined && isBefore(part.oldest.entry)) break;
      await setImmediate();
    }
    return counter.counts(true);
  }

  /** Calls `listener` with each new entry until the returned function is called. */
  follow(projectId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(projectId) ?? new Set();
    this.#listeners.set(projectId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(projectId);
    };
  }

  /** Like {@link follow}, but for the entries of all projects. */
  followAll(listener: LogListener): () => void {
    this.#ofAll.add(listener);
    return () => this.#ofAll.delete(listener);
  }

  /** Removes a project's entries once current writes have finished. */
  async remove(projectId: string): Promise<void> {
    this.#waiting.delete(projectId);
    const removed = this.#flushing.then(() => this.#removeFiles(projectId));
    this.#flushing = removed.catch(() => {});
    await removed;
  }

  async #removeFiles(projectId: string): Promise<void> {
    this.#files.delete(projectId);
    await removeTree(join(this.#root, projectId));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  #add(record: FunctionRecord | ServerRecord): void {
    const { observer } = this.#options;
    if (observer !== undefined) observeRecord(observer, record);
    this.#keep(record.projectId, formatLogLine(record));
  }

  #filesOf(projectId: string): LogFiles {
    let files = this.#files.get(projectId);
    if (files === undefined) {
      files = new LogFiles(join(this.#root, projectId));
      this.#files.set(projectId, files);
    }
    return files;
  }

  async #writeWaiting(): Promise<void> {
    if (this.#dropped > 0) {
      this.#options.onTrouble(
        `Dropped ${formatEntries(this.#dropped)}: more arrived than could be written`,
      );
      this.#dropped = 0;
    }
    const waiting = this.#waiting;
    this.#waiting = new Map();
    this.#waitingLength = 0;
    for (const [projectId, buffer] of waiting) {
      await this.#write(projectId, buffer);
      await this.#notifyListeners(projectId, buffer);
    }
  }

  /**
   * Passes entries, including late ones, to listeners in parts, so there is time for requests in
   * between.
   */
  async #notifyListeners(projectId: string, buffer: LineBuffer): Promise<void> {
    if (!this.#listeners.has(projectId) && this.#ofAll.size === 0) return;
    for (const chunk of buffer.chunks()) {
      const entries = parseLogLines(new TextDecoder().decode(chunk));
      for (let start = 0; start < entries.length; start += ENTRIES_AT_ONCE) {
        for (const entry of entries.slice(start, start + ENTRIES_AT_ONCE)) {
          for (const listener of this.#listeners.get(projectId) ?? []) listener(entry);
          for (const listener of this.#ofAll) listener(projectId, entry);
        }
        await nextTurn();
      }
    }
  }

  async #write(projectId: string, buffer: LineBuffer): Promise<void> {
    const files = this.#filesOf(projectId);
    try {
      for (const chunk of buffer.chunks()) await files.append(chunk);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#options.onTrouble(`Cannot write ${formatEntries(buffer.lines)}: ${reason}`);
    }
  }
}
