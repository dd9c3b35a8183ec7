/** @module Reads typed and pasted input from a terminal. */
import { CliError } from "../errors/cli_error.ts";
import { interrupted } from "../errors/interrupted.ts";

export interface Keyboard {
  /** Returns the next typed bytes, or `null` at the end of input. */
  read(): Promise<Uint8Array | null>;
  /** Turns the terminal's echo and line mode off or on. */
  setRaw(raw: boolean): void;
}

const [CTRL_C, CTRL_D, BACKSPACE, DELETE] = ["\x03", "\x04", "\b", "\x7f"];

/** Turn the terminal's markers around pasted text on and off (xterm, "Bracketed Paste Mode"). */
export const [MARK_PASTES, UNMARK_PASTES] = ["\x1b[?2004h", "\x1b[?2004l"];
const [PASTE_BEGINS, PASTE_ENDS] = ["\x1b[200~", "\x1b[201~"];
// deno-lint-ignore no-control-regex -- matches keys that send control characters
const STOPS = /\x1b\[200~|\r\n|[\r\n\x03\x04]/;
/** Arrow keys and similar keys, which have no effect here. */
// deno-lint-ignore no-control-regex -- matches keys that send control characters
const OTHER_KEYS = /\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Z])/g;

/**
 * How long to wait for more input after a line break, in milliseconds. A terminal that does not
 * mark pasted text sends its lines in immediate succession.
 */
const PASTE_GAP = 50;
/** Maximum length of a value, in characters. */
const MAX_VALUE = 1024 * 1024;

/** Applies the deletion keys in text, because a terminal in raw mode does not. */
function edited(text: string): string {
  const kept: string[] = [];
  for (const character of text) {
    if (character === BACKSPACE || character === DELETE) kept.pop();
    else kept.push(character);
  }
  return kept.join("");
}

/** Reads lines and values. Any input after an answer is kept for the next question. */
export class Keys {
  #rest = "";
  #reading: Promise<Uint8Array | null> | undefined;
  readonly #decoder = new TextDecoder();

  readonly #keyboard: Keyboard;
  readonly #signal: AbortSignal;

  constructor(keyboard: Keyboard, signal: AbortSignal) {
    this.#keyboard = keyboard;
    this.#signal = signal;
  }

  /** Reads the next line. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#rest.search(/[\r\n]/);
      if (end !== -1) {
        const line = this.#rest.slice(0, end);
        this.#rest = this.#rest.slice(end + 1);
        return edited(line);
      }
      await this.#fill();
      if (this.#rest.includes(CTRL_C) || this.#rest.includes(CTRL_D)) throw interrupted();
    }
  }

  /**
   * Reads a value, which can have several lines. The Enter key ends the value, but pasted line
   * breaks do not. A line break at the end of the value is removed.
   */
  async value(onText: (text: string) => void): Promise<string> {
    let value = "";
    for (;;) {
      if (value.length + this.#rest.length > MAX_VALUE) {
        throw new CliError("usage", `Enter at most ${MAX_VALUE} characters`);
      }
      const found = STOPS.exec(this.#rest);
      if (found === null) {
        onText(await this.#fill());
        continue;
      }
      value = edited(value + this.#take(found.index, found[0].length).replace(OTHER_KEYS, ""));
      if (found[0] === CTRL_C || found[0] === CTRL_D) throw interrupted();
      if (found[0] === PASTE_BEGINS) value += await this.#paste(onText);
      else if (this.#rest === "" && !await this.#comesSoon()) return value.replace(/\n$/, "");
      else value += "\n";
    }
  }

  /** Reads pasted text up to its end marker, and normalizes its line breaks. */
  async #paste(onText: (text: string) => void): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf(PASTE_ENDS);
      if (end !== -1) return this.#take(end, PASTE_ENDS.length).replace(/\r\n?/g, "\n");
      if (this.#rest.length > MAX_VALUE) {
        throw new CliError("usage", `Enter at most ${MAX_VALUE} characters`);
      }
      onText(await this.#fill());
    }
  }

  /** Takes the text before `end`, and drops the marker after it, which has `length` characters. */
  #take(end: number, length: number): string {
    const text = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + length);
    return text;
  }

  /** Returns whether more input arrives right after a line break. */
  async #comesSoon(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<"later">();
    const timer = setTimeout(() => resolve("later"), PASTE_GAP);
    try {
      const more = await Promise.race([this.#read(), promise]);
      return more !== "later" && more !== null;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Appends the next input to the unread text, and returns all of it. */
  async #fill(): Promise<string> {
    const bytes = await this.#read();
    this.#reading = undefined;
    if (bytes === null) throw interrupted();
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#rest += text;
    return text;
  }

  /**
   * Waits for the next input, which remains pending until `#fill` takes it. Throws when the command
   * is stopped.
   */
  async #read(): Promise<Uint8Array | null> {
    const { promise, reject } = Promise.withResolvers<never>();
    const giveUp = () => reject(interrupted());
    if (this.#signal.aborted) giveUp();
    this.#signal.addEventListener("abort", giveUp, { once: true });
    this.#reading ??= this.#keyboard.read();
    try {
      return await Promise.race([promise, this.#reading]);
    } finally {
      this.#signal.removeEventListener("abort", giveUp);
    }
  }
}
