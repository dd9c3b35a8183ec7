/**
 * Build logs. Each log is one file of limited size, which readers can follow while it grows.
 * @module
 */
import { dirname, join } from "node:path";
import {
  type BuildLogLevel,
  type BuildLogLine,
  buildLogLine,
} from "../../../contract/build_logs.ts";
import type { Clock } from "../../../lib/clock.ts";
import { formatCount } from "../../../lib/format.ts";
import { isUuid } from "../../../lib/ids.ts";
import { entriesIn, ifMissing, namesIn, removeTree } from "../../../lib/missing_files.ts";

export interface LoggedBuild {
  readonly projectId: string;
  readonly deploymentId: string;
}

interface BuildLogLimits {
  /** Size beyond which lines are dropped, in bytes. */
  readonly maxBytes: number;
  /** Number of lines at the end that are always kept. */
  readonly tailLines: number;
}

const DEFAULT_LIMITS: BuildLogLimits = { maxBytes: 4 * 1024 * 1024, tailLines: 300 };

const SUFFIX = ".ndjson";

/** How long lines are buffered before they are written, in milliseconds. */
const FLUSH_MS = 100;

/** Receives new lines, and `undefined` at the end. */
type Listener = (line: BuildLogLine | undefined) => void;

export interface BuildLogWriter {
  add(level: BuildLogLevel, text: string): void;
  end(): Promise<void>;
}

interface WriterOptions {
  readonly limits: BuildLogLimits;
  readonly now: Clock;
  readonly onLine: (line: BuildLogLine) => void;
  readonly onEnd: () => void;
  readonly onEnded: () => Promise<void>;
}

class Writer implements BuildLogWriter {
  readonly listeners = new Set<Listener>();
  #number = 0;
  #bytes = 0;
  #waiting: string[] = [];
  #tail: BuildLogLine[] = [];
  #leftOut = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  readonly #path: string;
  readonly #options: WriterOptions;

  constructor(path: string, options: WriterOptions) {
    this.#path = path;
    this.#options = options;
  }

  add(level: BuildLogLevel, text: string): void {
    const line = { ...this.#place(), level, text };
    if (this.#bytes < this.#options.limits.maxBytes) return this.#keep(line);
    this.#tail.push(line);
    if (this.#tail.length <= this.#options.limits.tailLines) return;
    this.#tail.shift();
    this.#leftOut++;
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#waiting.join("");
    this.#waiting = [];
    if (text === "") return this.#writing;
    return this.#writing = this.#writing.then(() =>
      Deno.writeTextFile(this.#path, text, { append: true, mode: 0o600 })
    );
  }

  async end(): Promise<void> {
    if (this.#leftOut > 0) {
      const text = `${formatCount(this.#leftOut, "line")} left out: too much build output`;
      this.#keep({ ...this.#place(), number: this.#tail[0]!.number - 1, level: "warn", text });
    }
    for (const line of this.#tail) this.#keep(line);
    this.#tail = [];
    try {
      await this.flush();
    } finally {
      this.#options.onEnd();
      for (const listener of this.listeners) listener(undefined);
    }
    await this.#options.onEnded();
  }

  #place() {
    return { number: ++this.#number, time: new Date(this.#options.now()).toISOString() };
  }

  #keep(line: BuildLogLine): void {
    const text = `${JSON.stringify(line)}\n`;
    this.#bytes += text.length;
    this.#waiting.push(text);
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), FLUSH_MS);
    for (const listener of this.listeners) listener(line);
    this.#options.onLine(line);
  }
}

interface BuildLogsOptions {
  readonly now: Clock;
  readonly limits?: Partial<BuildLogLimits>;
  readonly onLine?: ((build: LoggedBuild, line: BuildLogLine) => void) | undefined;
  readonly onEnded?: (build: LoggedBuild) => Promise<void>;
}

export class BuildLogs {
  readonly #writers = new Map<string, Writer>();
  readonly #limits: BuildLogLimits;

  readonly #root: string;
  readonly #options: BuildLogsOptions;

  constructor(root: string, options: BuildLogsOptions) {
    this.#root = root;
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  /** Opens the log of a build, replacing the log of an earlier attempt. */
  async open(build: LoggedBuild): Promise<BuildLogWriter> {
    const path = this.#path(build);
    await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await Deno.writeTextFile(path, "", { mode: 0o600 });
    const writer = new Writer(path, {
      limits: this.#limits,
      now: this.#options.now,
      onLine: (line) => this.#options.onLine?.(build, line),
      onEnd: () => this.#writers.delete(build.deploymentId),
      onEnded: () => this.#options.onEnded?.(build) ?? Promise.resolve(),
    });
    this.#writers.set(build.deploymentId, writer);
    return writer;
  }

  isOpen(build: LoggedBuild): boolean {
    return this.#writers.has(build.deploymentId);
  }

  async has(build: LoggedBuild): Promise<boolean> {
    return await Deno.stat(this.#path(build)).then(() => true, () => false);
  }

  async read(build: LoggedBuild): Promise<BuildLogLine[]> {
    const bytes = await this.bytes(build);
    return bytes === undefined ? [] : parseLines(new TextDecoder().decode(bytes));
  }

  /** Returns the stored log, or `undefined` if there is no log. */
  async bytes(build: LoggedBuild): Promise<Uint8Array<ArrayBuffer> | undefined> {
    await this.#writers.get(build.deploymentId)?.flush();
    return await Deno.readFile(this.#path(build)).catch(ifMissing);
  }

  /**
   * Calls `listener` with new lines while the build runs. Returns a function that stops these
   * calls, or `undefined` if the build is not running here.
   */
  follow(build: LoggedBuild, listener: Listener): (() => void) | undefined {
    const writer = this.#writers.get(build.deploymentId);
    writer?.listeners.add(listener);
    return writer === undefined ? undefined : () => writer.listeners.delete(listener);
  }

  /**
   * Yields every build with a log, in no particular order. Builds that start in the meantime may be
   * missing.
   */
  async *all(): AsyncGenerator<LoggedBuild> {
    for (const { name: projectId, isDirectory } of await entriesIn(this.#root)) {
      if (!isDirectory || !isUuid(projectId)) continue;
      for (const name of await namesIn(join(this.#root, projectId))) {
        const deploymentId = name.slice(0, -SUFFIX.length);
        if (name.endsWith(SUFFIX) && isUuid(deploymentId)) yield { projectId, deploymentId };
      }
    }
  }

  async remove(build: LoggedBuild): Promise<void> {
    await removeTree(this.#path(build));
  }

  async removeProject(projectId: string): Promise<void> {
    await removeTree(join(this.#root, projectId));
  }

  #path({ projectId, deploymentId }: LoggedBuild): string {
    return join(this.#root, projectId, `${deploymentId}${SUFFIX}`);
  }
}

/** Parses the lines of a stored log. */
export function parseLines(text: string): BuildLogLine[] {
  return text.split("\n").flatMap(parseLine);
}

/** Skips a line that a crash truncated. */
function parseLine(text: string): BuildLogLine[] {
  try {
    const parsed = buildLogLine.safeParse(JSON.parse(text));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}
