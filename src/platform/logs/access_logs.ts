/**
 * Access logs of all projects. Recording is a push to an array; lines are
 * written in batches, so that a request never waits for the disk. What is not
 * written yet, at most `FLUSH_INTERVAL_MS` of entries, is lost by a crash.
 *
 * @module
 */
import { join } from "node:path";
import type { LogEntry } from "../../contract/mod.ts";
import type { AccessRecord } from "../../edge/mod.ts";
import { hideTokens } from "./hide_tokens.ts";
import { LogFiles, type LogPlace } from "./log_files.ts";
import { type LogFilter, logMatcher } from "./log_filter.ts";
import {
  formatLogLine,
  type FunctionRecord,
  type LogRecord,
  type ServerRecord,
  toLogEntry,
} from "./log_lines.ts";

/** How long an entry waits to be written, in milliseconds. */
export const FLUSH_INTERVAL_MS = 200;
/** Entries that may wait; more are counted and dropped, so that memory stays bounded. */
const MAX_WAITING = 100_000;
/** Entries that are written in one go: about a millisecond of work. */
const SLICE = 500;
/** Lines that one search reads at most. */
const MAX_SEARCHED = 500_000;

export interface LogPage {
  /** Oldest first. */
  readonly items: LogEntry[];
  /** For the entries before these. */
  readonly next: LogPlace | null;
}

type Listener = (entry: LogEntry) => void;

export interface AccessLogOptions {
  /** Told when entries could not be written or were dropped. */
  onTrouble(message: string): void;
}

export class AccessLogs {
  private waiting: LogRecord[] = [];
  private dropped = 0;
  private flushing: Promise<void> = Promise.resolve();
  private readonly files = new Map<string, LogFiles>();
  private readonly listeners = new Map<string, Set<Listener>>();
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(private readonly root: string, private readonly options: AccessLogOptions) {
    this.timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS);
  }

  /** Takes note of a request; never waits. */
  readonly record = (record: AccessRecord): void => this.add(hideTokens(record));

  /** Takes note of what a function wrote; never waits. */
  readonly recordFunction = (record: FunctionRecord): void => this.add(record);

  /** Takes note of what a server wrote; never waits. */
  readonly recordServer = (record: ServerRecord): void => this.add(record);

  /** Writes what waits and hands it to those who follow. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.writeWaiting());
    return this.flushing;
  }

  /** The latest entries that pass a filter, at most `limit`. */
  async read(
    projectId: string,
    filter: LogFilter & { readonly limit: number; readonly before?: LogPlace | undefined },
  ): Promise<LogPage> {
    await this.flush();
    const matches = logMatcher(filter);
    const since = filter.since === undefined ? -Infinity : Date.parse(filter.since);
    const items: LogEntry[] = [];
    let searched = 0;
    for await (const { entry, place } of this.filesOf(projectId).backwards(filter.before)) {
      if (Date.parse(entry.time) < since) break;
      if (matches(entry)) items.push(entry);
      if (items.length === filter.limit || ++searched === MAX_SEARCHED) {
        return { items: items.reverse(), next: place };
      }
    }
    return { items: items.reverse(), next: null };
  }

  /** Calls `listener` with each new entry until the returned function is called. */
  follow(projectId: string, listener: Listener): () => void {
    const listeners = this.listeners.get(projectId) ?? new Set();
    this.listeners.set(projectId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.listeners.delete(projectId);
    };
  }

  async remove(projectId: string): Promise<void> {
    this.files.delete(projectId);
    await Deno.remove(join(this.root, projectId), { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private add(record: LogRecord): void {
    if (this.waiting.length < MAX_WAITING) this.waiting.push(record);
    else this.dropped++;
  }

  private filesOf(projectId: string): LogFiles {
    let files = this.files.get(projectId);
    if (files === undefined) {
      files = new LogFiles(join(this.root, projectId));
      this.files.set(projectId, files);
    }
    return files;
  }

  private async writeWaiting(): Promise<void> {
    if (this.waiting.length === 0) return;
    const records = this.waiting;
    this.waiting = [];
    if (this.dropped > 0) {
      this.options.onTrouble(`Dropped ${this.dropped} access log entries: too many at once`);
      this.dropped = 0;
    }
    for (let start = 0; start < records.length; start += SLICE) {
      await this.writeSlice(records.slice(start, start + SLICE));
    }
  }

  /** Writes a part of what waited, so that requests get their turn in between. */
  private async writeSlice(records: readonly LogRecord[]): Promise<void> {
    const lines = new Map<string, string[]>();
    for (const record of records) {
      const list = lines.get(record.projectId) ?? [];
      lines.set(record.projectId, list);
      list.push(formatLogLine(record));
      const listeners = this.listeners.get(record.projectId);
      if (listeners === undefined) continue;
      const entry = toLogEntry(record);
      for (const listener of listeners) listener(entry);
    }
    for (const [projectId, list] of lines) {
      await this.filesOf(projectId).append(`${list.join("\n")}\n`).catch((error) => {
        this.options.onTrouble(`Can not write ${list.length} access log entries: ${error.message}`);
      });
    }
  }
}
