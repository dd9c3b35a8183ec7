/**
 * Questions on terminals that cannot move their cursor (`TERM=dumb`): a line
 * of text for each question, a line for its answer.
 *
 * @module
 */
import { interrupted } from "../errors/mod.ts";
import type { Writer } from "../terminal/mod.ts";
import type { Choice, Prompter } from "./prompter.ts";

/** The keyboard of a terminal. */
export interface Keyboard {
  /** The next bytes that were typed; `null` at the end of input. */
  read(): Promise<Uint8Array | null>;
  /** Turns off, or on again, that the terminal shows what is typed and waits for whole lines. */
  setRaw(raw: boolean): void;
}

const [CTRL_C, CTRL_D, BACKSPACE, DELETE] = ["\x03", "\x04", "\b", "\x7f"];

/** Reads a line; what follows it in the same read is kept for the next question. */
class Lines {
  private rest = "";
  private readonly decoder = new TextDecoder();

  constructor(private readonly keyboard: Keyboard, private readonly signal: AbortSignal) {}

  async next(): Promise<string> {
    for (;;) {
      const end = this.rest.search(/[\r\n]/);
      if (end !== -1) {
        const line = this.rest.slice(0, end);
        this.rest = this.rest.slice(end + 1);
        return edited(line);
      }
      const bytes = await this.read();
      if (bytes === null) throw interrupted();
      this.rest += this.decoder.decode(bytes, { stream: true });
      if (this.rest.includes(CTRL_C) || this.rest.includes(CTRL_D)) throw interrupted();
    }
  }

  /** What is typed next; throws at Ctrl-C, which a terminal of lines turns into a signal. */
  private async read(): Promise<Uint8Array | null> {
    const { promise, reject } = Promise.withResolvers<never>();
    const giveUp = () => reject(interrupted());
    if (this.signal.aborted) giveUp();
    this.signal.addEventListener("abort", giveUp, { once: true });
    try {
      return await Promise.race([promise, this.keyboard.read()]);
    } finally {
      this.signal.removeEventListener("abort", giveUp);
    }
  }
}

/** The line as it stands after its deletions, which a raw terminal hands on. */
function edited(line: string): string {
  const kept: string[] = [];
  for (const character of line) {
    if (character === BACKSPACE || character === DELETE) kept.pop();
    else kept.push(character);
  }
  return kept.join("");
}

/** Asks on `output` and reads the answers from `keyboard`, until `signal` is aborted. */
export function createPlainPrompter(
  keyboard: Keyboard,
  output: Writer,
  signal: AbortSignal,
): Prompter {
  const lines = new Lines(keyboard, signal);
  const ask = async (question: string): Promise<string> => {
    output.write(question);
    return (await lines.next()).trim();
  };
  return {
    async text({ message, initial, validate }) {
      const usual = initial === undefined ? "" : ` [${initial}]`;
      for (;;) {
        const typed = await ask(`${message}${usual}: `);
        const answer = typed === "" ? initial ?? "" : typed;
        const problem = validate?.(answer);
        if (problem === undefined) return answer;
        output.write(`${problem}\n`);
      }
    },
    async password({ message }) {
      output.write(`${message} (not shown): `);
      keyboard.setRaw(true);
      try {
        return await lines.next();
      } finally {
        keyboard.setRaw(false);
        output.write("\n");
      }
    },
    async confirm({ message, initial = false }) {
      for (;;) {
        const typed = (await ask(`${message} ${initial ? "[Y/n]" : "[y/N]"} `)).toLowerCase();
        if (typed === "") return initial;
        if (/^(?:y|yes|n|no)$/.test(typed)) return typed.startsWith("y");
        output.write("Answer y or n\n");
      }
    },
    async select<Value>({ message, choices }: {
      readonly message: string;
      readonly choices: readonly Choice<Value>[];
    }) {
      const rows = choices.map(({ label, hint }, index) =>
        `  ${index + 1}) ${label}${hint === undefined ? "" : ` (${hint})`}\n`
      );
      output.write(`${message}\n${rows.join("")}`);
      for (;;) {
        const typed = await ask(`Number, 1 to ${choices.length}: `);
        const choice = /^\d{1,4}$/.test(typed) ? choices[Number(typed) - 1] : undefined;
        if (choice !== undefined) return choice.value;
        output.write(`Type a number from 1 to ${choices.length}\n`);
      }
    },
  };
}
