/** @module Asks for confirmation of irreversible actions. */
import { actionRequired, declined } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";

export interface Confirmation {
  readonly force: boolean | undefined;
  /** The question to ask at a terminal. */
  readonly question: string;
  /**
   * The message to show if the user cannot be asked. It names the action that needs confirmation.
   */
  readonly wanted: string;
  /** The message to show after a "no". It states what was not done. */
  readonly declined: string;
  /** The command that skips the question (default: this one with `--force`). */
  readonly next?: string;
}

/**
 * Returns once the user has confirmed with `--force`, with `--yes` or at a prompt.
 *
 * @throws {CliError} `action_required` if the user cannot be asked, `declined` if the reply is no.
 */
export async function confirm(ctx: Context, asked: Confirmation): Promise<void> {
  if (asked.force === true || ctx.settings.yes) return;
  if (ctx.prompter === undefined) {
    throw actionRequired(asked.wanted, [asked.next ?? ctx.lines.again({ "--force": true })]);
  }
  if (!await ctx.prompter.confirm({ message: asked.question })) throw declined(asked.declined);
}
