/** @module A command as data: its arguments, flags, examples and function. */
import { Command, type OptionValues } from "@commander-js/extra-typings";
import type { CandidateKind } from "../session/candidate.ts";
import type { Context } from "../session/context.ts";

interface CommandInput<Args extends unknown[], Flags extends OptionValues> {
  readonly args: Args;
  readonly flags: Flags;
}

interface CommandSpec<Args extends unknown[], Flags extends OptionValues> {
  /** Displayed by help below the summary, which is defined in the group. */
  readonly description?: string;
  /** Declares arguments and flags on an empty command. */
  readonly define: (command: Command) => Command<Args, Flags>;
  /** Command lines without the leading `svc`, each with a description of what it does. */
  readonly examples: readonly (readonly [commandLine: string, meaning: string])[];
  /** The flags that help shows. `--help all` shows all flags. */
  readonly common?: ReadonlySet<string>;
  /** The kind of resource that each argument names, for completion and prompts. */
  readonly offers?: Readonly<Record<string, CandidateKind>>;
  /**
   * Runs the command. If the function returns a number, that is the exit code. Otherwise, the exit
   * code is 0.
   */
  readonly run: (input: CommandInput<Args, Flags>, ctx: Context) => Promise<number | void>;
}

/** A command with its types hidden, ready to be put into the tree. */
export interface LoadedCommand {
  readonly description: string | undefined;
  readonly examples: CommandSpec<[], OptionValues>["examples"];
  readonly common: ReadonlySet<string> | undefined;
  readonly offers: Readonly<Record<string, CandidateKind>>;
  /** Creates the parser. It passes the requested run to `perform`. */
  build(name: string, perform: Perform): Command<unknown[], OptionValues>;
}

export type Perform = (run: (ctx: Context) => Promise<number | void>) => Promise<void>;

/** Describes a command. The types of arguments and flags come from the declarations in `define`. */
export function defineCommand<Args extends unknown[], Flags extends OptionValues>(
  spec: CommandSpec<Args, Flags>,
): LoadedCommand {
  return {
    description: spec.description,
    examples: spec.examples,
    common: spec.common,
    offers: spec.offers ?? {},
    build(name, perform) {
      const command = spec.define(new Command(name));
      command.action(() => {
        const input = { args: command.processedArgs, flags: command.opts() };
        return perform((ctx) => spec.run(input, ctx));
      });
      return command as unknown as Command<unknown[], OptionValues>;
    },
  };
}
