/** Closes all opened resources, in reverse order. @module */

interface Closable {
  close(): void | Promise<void>;
}

export class Closers {
  readonly #opened: Closable[] = [];
  #closing: Promise<void> | undefined;

  /** Adds a resource that was opened and returns it. */
  add<T extends Closable>(part: T): T {
    this.#opened.push(part);
    return part;
  }

  /** Closes everything in reverse order. Further calls have no effect. */
  close(): Promise<void> {
    return this.#closing ??= this.#closeAll();
  }

  async #closeAll(): Promise<void> {
    for (const part of this.#opened.reverse()) await part.close();
  }
}
