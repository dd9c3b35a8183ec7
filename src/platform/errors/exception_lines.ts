/** Finds exceptions in a server's output, which arrives line by line. Pure. @module */

/** Maximum number of lines in one exception. */
const MAX_LINES = 50;

/**
 * Maximum number of lines in the message, if the name of the class does not identify it as an
 * error.
 */
const MAX_MESSAGE_LINES = 10;

/** Deno's prefix for an uncaught error, and loggers' names in brackets. */
const BEGIN = "^(?:error: )?(?:Uncaught )?(?:\\(in promise\\) )?";
const HEAD = new RegExp(`${BEGIN}(?:\\[[^\\]]*\\] ?)*[\\w$.]*(?:Error|Exception)\\b`);
const UNCAUGHT = /^(?:error: )?Uncaught /;
/**
 * Matches classes whose names do not end in "Error". These count only if frames follow, because
 * other lines look similar.
 */
const ANY_CLASS = new RegExp(`${BEGIN}(?!Trace\\b)[A-Z_$][\\w$.]*(?: \\[\\w+\\])?(?:: .*)?$`);
/** Matches an error after a logger's prefix. */
const BEHIND_WORDS = /[\s:]([A-Z][\w$.]*(?: \[\w+\])?: .*)$/;
const TRACE = /^Trace\b/;
const FRAME = /^\s+at .+/;
/** A frame that includes a position in a file. */
const PLACE = /^\s+at .*(?::\d+:\d+|<anonymous>|native)\)?(?: \{)?$/;
/** The line that introduces the cause of an error. */
const CAUSE = /^\s*(?:\[?cause\]?: |Caused by:? )/i;

interface ServerLine {
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
  /**
   * Whether the class's name identifies it as an error. Otherwise, the lines that follow decide.
   */
  readonly isNamed: boolean;
  frames: number;
}

/**
 * Returns whether a line is a frame. After a multi-line message, a frame must include a position.
 */
const isFrameOf = ({ isNamed, frames, lines }: Open, text: string): boolean =>
  isNamed || frames > 0 || lines.length === 1 ? FRAME.test(text) : PLACE.test(text);

/**
 * Returns whether a line continues an exception's message. Once frames have started, no line does.
 */
function goesOn({ isNamed, frames, lines }: Open, text: string): boolean {
  if (frames > 0 || HEAD.test(text) || TRACE.test(text)) return false;
  if (isNamed) return lines.length < MAX_LINES;
  return lines.length < MAX_MESSAGE_LINES && !ANY_CLASS.test(text) && !BEHIND_WORDS.test(text);
}

/** Joins the lines of exceptions, separately for each server. */
export class ExceptionLines {
  readonly #open = new Map<string, Open>();

  readonly #take: (line: ServerLine, text: string) => void;

  /** `take` receives each exception: the first line, and all lines joined into one string. */
  constructor(take: (line: ServerLine, text: string) => void) {
    this.#take = take;
  }

  add(line: ServerLine): void {
    const name = `${line.deploymentId}/${line.source}`;
    for (const part of line.message.split("\n")) this.#add(name, line, part);
  }

  /**
   * Passes on exceptions that started before a given time, because no more of their lines are
   * expected.
   */
  flush(before: number): void {
    for (const [name, { first }] of [...this.#open]) if (first.time < before) this.#end(name);
  }

  /** Returns whether more lines of an exception may arrive. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  #add(name: string, line: ServerLine, text: string): void {
    const open = this.#open.get(name);
    if (open !== undefined && isFrameOf(open, text)) {
      open.frames++;
      if (open.lines.length < MAX_LINES) open.lines.push(text);
      return;
    }
    if (
      open !== undefined &&
      (goesOn(open, text) || ((open.isNamed || open.frames > 0) && CAUSE.test(text)))
    ) {
      open.lines.push(text);
      return;
    }
    this.#end(name);
    const isNamed = HEAD.test(text) || UNCAUGHT.test(text);
    const begin = isNamed || ANY_CLASS.test(text) ? text : BEHIND_WORDS.exec(text)?.[1];
    if (begin === undefined || TRACE.test(text)) return;
    this.#open.set(name, { first: line, lines: [begin], isNamed, frames: 0 });
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
