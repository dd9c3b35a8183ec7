/** @module Asks the user at a terminal for an omitted argument. */
import { CommanderError } from "@commander-js/extra-typings";
import type { LoadedCommand } from "../command/command.ts";
import type { Context } from "../session/context.ts";

const MISSING = /missing required argument '([^']+)'/;

/** Returns the name of the argument that a command line lacks, or `undefined` for other errors. */
export function missingArgument(error: unknown): string | undefined {
  if (!(error instanceof CommanderError)) return undefined;
  if (error.code !== "commander.missingArgument") return undefined;
  return MISSING.exec(error.message)?.[1];
}

/** Puts an argument at the end of a command line, before a `--`. */
export function withArgument(argv: readonly string[], argument: string): readonly string[] {
  const end = argv.indexOf("--");
  const at = end === -1 ? argv.length : end;
  return [...argv.slice(0, at), argument, ...argv.slice(at)];
}

/**
 * Asks for an argument. If the command declares the argument's kind, the user picks an existing
 * value; otherwise, the user types a value. Returns `undefined` if the user cannot be asked.
 */
export async function askMissing(
  ctx: Context,
  command: LoadedCommand,
  name: string,
): Promise<string | undefined> {
  const argument = command.build("", () => Promise.resolve()).registeredArguments
    .find((each) => each.name() === name);
  if (ctx.prompter === undefined || argument === undefined || argument.variadic) return undefined;
  const message = argument.description === "" ? name : argument.description;
  const kind = command.offers[name];
  const candidates = kind === undefined
    ? []
    : await (await import("./candidates.ts")).listCandidates(ctx, kind);
  if (candidates.length === 0) {
    const validate = (answer: string) => answer.trim() === "" ? "Type a value" : undefined;
    return await ctx.prompter.text({ message, validate });
  }
  return await ctx.prompter.select({
    message,
    choices: candidates.map(({ value, hint }) => ({
      value,
      label: value,
      hint,
    })),
  });
}
