/**
 * Lines of the access log that wait to be sent to the platform.
 *
 * @module
 */
import type { AccessRecord } from "../../edge/mod.ts";
import { requestLine } from "../../platform/logs/log_lines.ts";
import type { ProjectLines } from "./wire.ts";

/** Longest time that a line waits, in milliseconds. */
const WAIT_MS = 50;
/**
 * Characters that are sent before that time is over: V8 keeps longer strings among its
 * large objects, where only a full collection finds them.
 */
const MOST_WAITING = 48 * 1024;

export class LineBatch {
  readonly #projects = new Map<string, string>();
  #length = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly send: (projects: readonly ProjectLines[]) => void) {}

  /** Records a request; never waits. */
  readonly record = (record: AccessRecord): void => {
    const line = requestLine(record);
    const before = this.#projects.get(record.projectId);
    this.#projects.set(record.projectId, before === undefined ? line : `${before}\n${line}`);
    this.#length += line.length;
    if (this.#length > MOST_WAITING) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), WAIT_MS);
  };

  /** Sends what waits at once. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#projects.size === 0) return;
    const projects = [...this.#projects].map(([projectId, lines]) => ({ projectId, lines }));
    this.#projects.clear();
    this.#length = 0;
    this.send(projects);
  }
}
