/**
 * What has to be closed, in the reverse order of its opening.
 *
 * @module
 */

export interface Closable {
  close(): void | Promise<void>;
}

export class Closers {
  private readonly opened: Closable[] = [];
  private closing: Promise<void> | undefined;

  /** Takes note of something that was opened, and returns it. */
  add<T extends Closable>(part: T): T {
    this.opened.push(part);
    return part;
  }

  /** Closes everything, the latest first; once, however often it is asked. */
  close(): Promise<void> {
    return this.closing ??= this.closeAll();
  }

  private async closeAll(): Promise<void> {
    for (const part of this.opened.reverse()) await part.close();
  }
}
