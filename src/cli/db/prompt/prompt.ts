/** @module The prompt of `db query`: lines from a terminal become statements. */
import { createInterface, type Interface } from "node:readline";
import { PROMPT_HELP, readPromptCommand } from "./backslash_command.ts";
import type { History } from "./history.ts";
import { StatementBuffer } from "./statement_buffer.ts";

interface PromptOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Text before the prompt sign, such as `shop` or `shop/staging`. */
  readonly name: string;
  readonly history: History;
  /** Runs SQL and shows the result or failure. */
  readonly run: (sql: string, signal: AbortSignal) => Promise<void>;
  /** Prints a line that comes from the prompt itself, not from a result. */
  readonly say: (text: string) => void;
  readonly setExpanded: (expanded: boolean) => void;
}

const READLINE_ESCAPE_MS = 50;

class Prompt {
  readonly #buffer = new StatementBuffer();
  readonly #lines: Interface;
  /** Lines that were typed while a statement ran. */
  readonly #waiting: string[] = [];
  #running: AbortController | undefined;
  #expanded = false;
  #saidThatHeld = false;
  #isClosed = false;
  readonly #ended = Promise.withResolvers<void>();
  /** The statements that the arrow keys cycle through. */
  #shown: string[];

  readonly #options: PromptOptions;

  constructor(options: PromptOptions) {
    this.#options = options;
    const { input, output, history } = options;
    this.#shown = [...history.statements];
    this.#lines = createInterface({
      input,
      output,
      terminal: true,
      history: this.#shown,
      historySize: Math.max(1, history.statements.length) + 1000,
      escapeCodeTimeout: READLINE_ESCAPE_MS,
    });
    this.#lines.on("history", (shown) => this.#replaceHistory(shown));
    this.#lines.on("line", (line) => {
      this.#waiting.push(line);
      this.#work().catch(this.#ended.reject);
    });
    this.#lines.on("SIGINT", () => this.interrupt());
    this.#lines.on("close", () => this.#finish());
  }

  /** The history contains whole statements, not the individual lines that were typed. */
  #replaceHistory(shown: string[] = this.#shown): void {
    this.#shown = shown;
    shown.splice(0, shown.length, ...this.#options.history.statements);
  }

  async start(): Promise<void> {
    this.#ask();
    await this.#ended.promise;
  }

  #ask(): void {
    if (this.#isClosed) return;
    this.#lines.setPrompt(`${this.#options.name}${this.#buffer.mark}> `);
    this.#lines.prompt();
  }

  /** Interrupts the running statement, or discards the input if there is none. */
  interrupt(): void {
    this.#waiting.length = 0;
    if (this.#running !== undefined) return this.#running.abort();
    if (this.#isClosed) return;
    this.#buffer.clear();
    this.#lines.write(null, { ctrl: true, name: "e" });
    this.#lines.write(null, { ctrl: true, name: "u" });
    this.#options.output.write("^C\n");
    this.#ask();
  }

  close(): void {
    this.#running?.abort();
    this.#lines.close();
  }

  #finish(): void {
    this.#isClosed = true;
    this.#waiting.length = 0;
    this.#running?.abort();
    this.#options.output.write("\n");
    this.#ended.resolve();
  }

  async #work(): Promise<void> {
    if (this.#running !== undefined) return;
    for (let line = this.#waiting.shift(); line !== undefined; line = this.#waiting.shift()) {
      const typed = this.#buffer.add(line);
      if (typed.type === "command") await this.#obey(typed.text);
      else if (typed.type === "run") await this.#run(typed.sql, true);
      else if (this.#buffer.mark === "!" && !this.#saidThatHeld) {
        this.#saidThatHeld = true;
        this.#options.say("The transaction is sent when you enter COMMIT; or ROLLBACK;");
      }
    }
    this.#ask();
  }

  async #run(sql: string, isTyped: boolean): Promise<void> {
    this.#running = new AbortController();
    try {
      if (isTyped) {
        await this.#options.history.add(sql);
        this.#replaceHistory();
      }
      await this.#options.run(sql, this.#running.signal);
    } finally {
      this.#running = undefined;
    }
  }

  async #obey(text: string): Promise<void> {
    const command = readPromptCommand(text);
    if (command.type === "quit") return this.close();
    if (command.type === "help") return this.#options.say(PROMPT_HELP);
    if (command.type === "query") return await this.#run(command.sql, false);
    if (command.type === "unknown") {
      return this.#options.say(`Unknown command ${command.name}. \\? lists all commands`);
    }
    this.#expanded = !this.#expanded;
    this.#options.setExpanded(this.#expanded);
    this.#options.say(this.#expanded ? "Showing one row at a time" : "Showing rows as a table");
  }
}

/**
 * Runs a prompt until Ctrl-D, `\q` or the end of input.
 *
 * @returns a promise that resolves when the prompt has ended, and functions that close the prompt
 * and handle Ctrl-C, for signals that are sent to the process.
 */
export function openPrompt(options: PromptOptions): {
  readonly done: Promise<void>;
  interrupt(): void;
  close(): void;
} {
  const prompt = new Prompt(options);
  return {
    done: prompt.start(),
    interrupt: () => prompt.interrupt(),
    close: () => prompt.close(),
  };
}
