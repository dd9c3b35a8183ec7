/**
 * The access log of one project: numbered files with one JSON object per line. When a file is full,
 * the next one is started and the oldest one is removed, so a log never exceeds its share of the
 * disk space.
 *
 * @module
 */
import { Buffer, isAscii } from "node:buffer";
import { join } from "node:path";
import { type LogEntry, logEntry } from "../../contract/logs.ts";
import { ifMissing, namesIn } from "../../lib/missing_files.ts";

/** Size at which a file is full, in bytes. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** Maximum number of files to keep, including the one being written. */
const MAX_FILES = 8;

/**
 * Maximum time between the start and end of a request, in milliseconds. Lines contain the start but
 * are ordered by the end.
 */
const MAX_REQUEST_MS = 600_000;
/**
 * Maximum delay of log entries from front edges, in milliseconds. Edges keep entries while they
 * cannot reach the platform.
 */
export const REPORTED_LATE_MS = 24 * 60 * 60_000;

const FILE_NAME = /^(\d{8})\.ndjson$/;

export interface LogLine {
  readonly entry: LogEntry;
  /** The line's position. Older lines are before it. */
  readonly place: LogPlace;
}

/** A line's position: the number of its file, and its byte offset. */
export interface LogPlace {
  readonly file: number;
  readonly offset: number;
}

/** Consecutive lines in a log. */
export interface LogPart {
  /** The entries, newest first, without those from lines that were not parsed. */
  readonly lines: readonly LogLine[];
  /** Number of lines, whether parsed or not. */
  readonly count: number;
  /** The oldest of the lines; `undefined` if no line is a log entry. */
  readonly oldest: LogLine | undefined;
}

/** Number of bytes to parse before other tasks get a turn. */
const PART_BYTES = 256 * 1024;

export class LogFiles {
  #current: { readonly number: number; size: number } | undefined;

  readonly #folder: string;
  readonly #limits: { readonly fileBytes: number; readonly files: number };

  constructor(
    folder: string,
    limits: { readonly fileBytes: number; readonly files: number } = {
      fileBytes: MAX_FILE_BYTES,
      files: MAX_FILES,
    },
  ) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** Appends lines, each of which ends with a line feed. */
  async append(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const file = await this.#fileFor(bytes.byteLength);
    await Deno.writeFile(this.#path(file.number), bytes, { append: true, mode: 0o600 });
    file.size += bytes.byteLength;
  }

  /** Returns the position after the last line. */
  async end(): Promise<LogPlace> {
    const file = (await this.#numbers()).at(-1);
    if (file === undefined) return { file: 0, offset: 0 };
    const found = await Deno.stat(this.#path(file)).catch(ifMissing);
    return { file, offset: found?.size ?? 0 };
  }

  /**
   * Reads lines in parts, newest first. Skips files without lines from before `until`, and does not
   * parse lines whose JSON `mayMatch` rejects.
   */
  async *backwards(
    before: LogPlace,
    { until = Infinity, mayMatch }: {
      readonly until?: number;
      readonly mayMatch?: ((json: string) => boolean) | undefined;
    } = {},
  ): AsyncGenerator<LogPart> {
    const numbers = (await this.#numbers()).reverse();
    for (const file of numbers) {
      if (file > before.file) continue;
      const bytes = await Deno.readFile(this.#path(file)).catch(ifMissing) ?? new Uint8Array();
      if (until < Infinity && beginOf(bytes) > until + latenessOf(bytes)) continue;
      let end = before.file === file ? before.offset : bytes.byteLength;
      while (end > 0) {
        // A single line can be longer than a part.
        const first = end <= PART_BYTES ? -1 : bytes.lastIndexOf(LINE_FEED, end - PART_BYTES);
        yield partOf(bytes.subarray(first + 1, end), { file, offset: first + 1 }, mayMatch);
        end = first + 1;
      }
    }
  }

  #path(number: number): string {
    return join(this.#folder, `${String(number).padStart(8, "0")}.ndjson`);
  }

  async #numbers(): Promise<number[]> {
    const names = await namesIn(this.#folder);
    const numbers = names.flatMap((name) => FILE_NAME.exec(name)?.[1] ?? []).map(Number);
    return numbers.sort((a, b) => a - b);
  }

  async #fileFor(bytes: number): Promise<{ readonly number: number; size: number }> {
    const current = this.#current ?? await this.#open();
    if (current.size === 0 || current.size + bytes <= this.#limits.fileBytes) {
      return this.#current = current;
    }
    this.#current = { number: current.number + 1, size: 0 };
    const old = (await this.#numbers()).filter((each) =>
      each <= this.#current!.number - this.#limits.files
    );
    await Promise.all(old.map((each) => Deno.remove(this.#path(each))));
    return this.#current;
  }

  /** Starts a new file, because a crash may have left a partial line in the last one. */
  async #open(): Promise<{ readonly number: number; size: number }> {
    await Deno.mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const last = (await this.#numbers()).at(-1);
    return { number: (last ?? 0) + 1, size: 0 };
  }
}

const LINE_FEED = 10;

/** Maximum time from the start of a request to its line in this file, in milliseconds. */
const latenessOf = (bytes: Uint8Array): number =>
  Buffer.from(bytes.buffer).includes('"edge":"') ? REPORTED_LATE_MS : MAX_REQUEST_MS;

/** Returns the time of the first line; minus infinity if there is none. */
function beginOf(bytes: Uint8Array): number {
  const end = bytes.indexOf(LINE_FEED);
  const entry = end <= 0 ? undefined : parseLine(new TextDecoder().decode(bytes.subarray(0, end)));
  return entry === undefined ? -Infinity : Date.parse(entry.time);
}

/** Parses the part of a file that starts at `place`. */
function partOf(
  bytes: Uint8Array,
  { file, offset }: LogPlace,
  mayMatch: (json: string) => boolean = () => true,
): LogPart {
  const decoder = new TextDecoder();
  // Decoding the whole text is faster than decoding each line, but positions in the decoded text
  // equal byte offsets only if the text is ASCII.
  const text = isAscii(bytes) ? decoder.decode(bytes) : undefined;
  const parse = (start: number, json: string): LogLine | undefined => {
    const entry = parseLine(json);
    return entry && { entry, place: { file, offset: offset + start } };
  };
  const lines: LogLine[] = [];
  let [count, oldest]: [number, LogLine | undefined] = [0, undefined];
  for (let end = bytes.lastIndexOf(LINE_FEED); end > 0;) {
    const start = bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
    const json = text?.slice(start, end) ?? decoder.decode(bytes.subarray(start, end));
    count++;
    if (mayMatch(json)) {
      const line = parse(start, json);
      if (line !== undefined) lines.push(oldest = line);
    } else if (start === 0) oldest = parse(start, json) ?? oldest;
    end = start - 1;
  }
  return { lines, count, oldest };
}

/**
 * Skips a line that is not a log entry, for example one that was truncated because the disk was
 * full.
 */
function parseLine(line: string): LogEntry | undefined {
  try {
    const parsed = logEntry.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
