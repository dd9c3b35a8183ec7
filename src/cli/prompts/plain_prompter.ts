/** @module Asks questions on terminals that cannot move their cursor (`TERM=dumb`). */
import type { Writer } from "../terminal/writer.ts";
import { askValue } from "./ask_value.ts";
import { type Keyboard, Keys } from "./keys.ts";
import type { Choice, Prompter } from "./prompter.ts";

/** Asks on `output` and reads the answers from `keyboard`, until `signal` is aborted. */
export function createPlainPrompter(
  keyboard: Keyboard,
  output: Writer,
  signal: AbortSignal,
): Prompter {
  const keys = new Keys(keyboard, signal);
  const ask = async (question: string): Promise<string> => {
    output.write(question);
    return (await keys.line()).trim();
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
    value: (question) => askValue({ keyboard, output, signal, keys }, question),
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
        output.write(`Enter a number from 1 to ${choices.length}\n`);
      }
    },
  };
}
