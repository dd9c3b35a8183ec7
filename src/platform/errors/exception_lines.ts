/**
 * Exceptions in what a server writes: its lines arrive one by one. Pure.
 *
 * @module
 */

/** Most lines of one exception. */
const MAX_LINES = 50;

const HEAD = /^(?:Uncaught )?(?:\(in promise\) )?(?:\[[^\]]*\] ?)*[\w$.]*(?:Error|Exception)\b/;
/**
 * How an error of a class without such a name begins, as of `class NoTide extends Error`. Other
 * lines look the same, so it counts only where a frame follows at once.
 */
const ANY_CLASS =
  /^(?:Uncaught )?(?:\(in promise\) )?(?!Trace\b)[A-Z_$][\w$.]*(?: \[\w+\])?(?:: .*)?$/;
const FRAME = /^\s+at .+/;
/** Node's output before an uncaught error: its place, the line, and a caret. */
const CAUSE = /^\s*(?:\[?cause\]?: |Caused by:? )/i;

export interface ServerLine {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly deploymentId: string;
  readonly requestId?: string | undefined;
  readonly source: string;
  readonly message: string;
}

interface Open {
  readonly first: ServerLine;
  readonly lines: string[];
  /** Whether it is an error by its name; else by the next frames. */
  readonly isNamed: boolean;
  frames: number;
}

/** Puts the lines of exceptions together, separately for each server. */
export class ExceptionLines {
  readonly #open = new Map<string, Open>();

  readonly #take: (line: ServerLine, text: string) => void;

  /** `take` gets each exception: the first line, and all of them as one text. */
  constructor(take: (line: ServerLine, text: string) => void) {
    this.#take = take;
  }

  add(line: ServerLine): void {
    const name = `${line.deploymentId}/${line.source}`;
    for (const part of line.message.split("\n")) this.#add(name, line, part);
  }

  /** Passes on what began before a time: no more lines of it are expected. */
  flush(before: number): void {
    for (const [name, { first }] of [...this.#open]) if (first.time < before) this.#end(name);
  }

  /** Whether lines of an exception may still come. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  #add(name: string, line: ServerLine, text: string): void {
    const open = this.#open.get(name);
    if (open !== undefined && FRAME.test(text)) {
      open.frames++;
      if (open.lines.length < MAX_LINES) open.lines.push(text);
      return;
    }
    // A message may have several lines; frames follow the last one.
    const goesOn = open?.frames === 0 && open.isNamed && open.lines.length < MAX_LINES &&
      !HEAD.test(text);
    if (goesOn || (open !== undefined && (open.isNamed || open.frames > 0) && CAUSE.test(text))) {
      open.lines.push(text);
      return;
    }
    this.#end(name);
    const isNamed = HEAD.test(text);
    if (!isNamed && !ANY_CLASS.test(text)) return;
    this.#open.set(name, { first: line, lines: [text], isNamed, frames: 0 });
  }

  #end(name: string): void {
    const open = this.#open.get(name);
    if (open === undefined) return;
    this.#open.delete(name);
    const { first, lines, isNamed, frames } = open;
    if (!isNamed && frames === 0) return;
    this.#take(first, frames === 0 ? lines[0]! : lines.join("\n"));
  }
}
