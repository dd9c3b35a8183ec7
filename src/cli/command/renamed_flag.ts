/**
 * A flag that has another name now: the old one still counts, with a notice, and no help shows it.
 *
 * @module
 */
import { Option } from "@commander-js/extra-typings";
import type { Context } from "../session/context.ts";
import type { Phase } from "../terminal/ui.ts";

/** Declares `--force` under its old meaning of "even if nothing has changed". */
export const oldForce = () => new Option("--force").hideHelp();

/** Whether a build is wanted even where nothing has changed, by `--rebuild` or its old name. */
export function wantsRebuild(
  ctx: Context,
  { rebuild, force }: { readonly rebuild?: true | undefined; readonly force?: true | undefined },
  phase: Phase,
): true | undefined {
  if (force === true && rebuild === undefined) {
    ctx.ui.log(
      phase,
      "warn",
      "Use --rebuild here. In other commands, --force skips the confirmation",
    );
  }
  return rebuild ?? force;
}
