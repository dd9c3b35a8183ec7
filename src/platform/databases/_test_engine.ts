/**
 * An engine for tests of records and states. Each branch contains one string, and the engine's
 * operations can be delayed or made to fail.
 *
 * @module
 */
import {
  type Branch,
  type CopyMethod,
  type DatabaseEngine,
  EngineError,
  type EngineKind,
} from "../../database/mod.ts";

export class TestEngine implements DatabaseEngine {
  /** The content of each branch. It outlives a crashed process. */
  readonly held: Map<string, string>;
  readonly running = new Set<string>();
  /** The earliest time to which the engine can restore a branch. */
  historyFrom = 0;
  /** Awaited before a branch is created. */
  before: () => Promise<void> = () => Promise.resolve();

  constructor(readonly kind: EngineKind = "embedded", held = new Map<string, string>()) {
    this.held = held;
  }

  async create({ id }: Branch): Promise<void> {
    await this.before();
    this.held.set(id, "empty");
  }

  async copy(source: Branch, { id }: Branch): Promise<CopyMethod> {
    await this.before();
    const text = this.held.get(source.id);
    if (text === undefined) throw new EngineError(`No branch ${source.id}`, "3D000");
    this.held.set(id, text);
    return "copy";
  }

  history() {
    const facts = { since: this.historyFrom, bytes: 1024, keepMs: 60_000, maxBytes: 2048 };
    return Promise.resolve({ ...facts, problem: null });
  }

  restore({ id }: Branch, target: Branch, time: number): Promise<void> {
    this.held.set(target.id, `${this.held.get(id)} at ${time}`);
    return Promise.resolve();
  }

  remove(id: string): Promise<void> {
    this.held.delete(id);
    this.running.delete(id);
    return Promise.resolve();
  }

  list(): Promise<readonly string[]> {
    return Promise.resolve([...this.held.keys()]);
  }

  holds({ id }: Branch): Promise<boolean> {
    return Promise.resolve(this.held.has(id));
  }

  sizeOf({ id }: Branch): Promise<number> {
    return Promise.resolve(this.held.get(id)?.length ?? 0);
  }

  stop({ id }: Branch): Promise<void> {
    this.running.delete(id);
    return Promise.resolve();
  }

  isRunning({ id }: Branch): boolean {
    return this.running.has(id);
  }

  connect(): Promise<never> {
    return Promise.reject(new EngineError("It runs no SQL", "0A000"));
  }

  dump(): never {
    throw new EngineError("It runs no SQL", "0A000");
  }

  status() {
    return Promise.resolve({ version: "18.1", ready: true, problem: null });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
