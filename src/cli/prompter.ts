/**
 * Questions to a person at a terminal.
 *
 * @module
 */
import { interrupted } from "./cli_error.ts";

export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

export interface Prompter {
  text(question: {
    readonly message: string;
    readonly initial?: string;
    /** Returns what is wrong with an answer, or nothing. */
    readonly validate?: (answer: string) => string | undefined;
  }): Promise<string>;
  confirm(question: { readonly message: string; readonly initial?: boolean }): Promise<boolean>;
  select<Value>(question: {
    readonly message: string;
    readonly choices: readonly Choice<Value>[];
  }): Promise<Value>;
}

/** Questions by `@clack/prompts` on stderr, so that stdout stays data; giving up throws. */
export async function createClackPrompter(signal: AbortSignal): Promise<Prompter> {
  const clack = await import("@clack/prompts");
  const { default: process } = await import("node:process");
  const common = { output: process.stderr, signal };

  function answered<Value>(answer: Value | typeof clack.CANCEL_SYMBOL): Value {
    if (clack.isCancel(answer)) throw interrupted();
    return answer as Value;
  }

  return {
    async text({ message, initial, validate }) {
      return answered(
        await clack.text({
          ...common,
          message,
          ...(initial === undefined ? {} : { initialValue: initial }),
          ...(validate === undefined ? {} : { validate: (value) => validate(value ?? "") }),
        }),
      );
    },
    async confirm({ message, initial }) {
      return answered(
        await clack.confirm({ ...common, message, initialValue: initial ?? false }),
      );
    },
    async select<Value>(
      { message, choices }: { message: string; choices: readonly Choice<Value>[] },
    ) {
      const index = answered(
        await clack.select({
          ...common,
          message,
          options: choices.map(({ label, hint }, value) => ({
            value,
            label,
            ...(hint === undefined ? {} : { hint }),
          })),
        }),
      );
      return choices[index]!.value;
    },
  };
}
