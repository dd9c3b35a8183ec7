/** @module Asks the user questions on a terminal. */
import type { CANCEL_SYMBOL } from "@clack/prompts";
import { interrupted } from "../errors/interrupted.ts";
import type { Writer } from "../terminal/writer.ts";
import { askValue, type ValueQuestion } from "./ask_value.ts";
import type { Keyboard } from "./keys.ts";

export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

export interface Prompter {
  text(question: {
    readonly message: string;
    readonly initial?: string;
    /** Returns what is wrong with a reply, if anything. */
    readonly validate?: (answer: string) => string | undefined;
  }): Promise<string>;
  /** Asks for text, which can be pasted and can span several lines. */
  value(question: ValueQuestion): Promise<string>;
  confirm(question: { readonly message: string; readonly initial?: boolean }): Promise<boolean>;
  select<Value>(question: {
    readonly message: string;
    readonly choices: readonly Choice<Value>[];
  }): Promise<Value>;
}

const loadClack = async () => ({
  clack: await import("@clack/prompts"),
  output: (await import("node:process")).stderr,
});

type Clack = Awaited<ReturnType<typeof loadClack>>["clack"];

function answered<Value>(clack: Clack, answer: Value | typeof CANCEL_SYMBOL): Value {
  if (clack.isCancel(answer)) throw interrupted();
  return answer as Value;
}

/**
 * Asks questions with `@clack/prompts` on stderr, because stdout is only for data. Cancelling
 * throws. The library is loaded only when the first question is asked.
 */
export function createClackPrompter(
  keyboard: Keyboard,
  output: Writer,
  signal: AbortSignal,
): Prompter {
  return {
    async text({ message, initial, validate }) {
      const { clack, output } = await loadClack();
      const answer = await clack.text({
        output,
        signal,
        message,
        initialValue: initial,
        ...(validate === undefined ? {} : { validate: (value) => validate(value ?? "") }),
      });
      return answered(clack, answer);
    },
    // The library would use only the first line of pasted text as the answer, and the shell would
    // run the other lines.
    value: (question) => askValue({ keyboard, output, signal }, question),
    async confirm({ message, initial }) {
      const { clack, output } = await loadClack();
      const initialValue = initial ?? false;
      return answered(clack, await clack.confirm({ output, signal, message, initialValue }));
    },
    async select<Value>(
      { message, choices }: { message: string; choices: readonly Choice<Value>[] },
    ) {
      const { clack, output } = await loadClack();
      const options = choices.map(({ label, hint }, value) => ({
        value,
        label,
        hint,
      }));
      const index = answered(clack, await clack.select({ output, signal, message, options }));
      return choices[index]!.value;
    },
  };
}
