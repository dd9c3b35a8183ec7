/** @module Renamed flags: the old name still works, but prints a notice and is hidden from help. */
import { Option } from "@commander-js/extra-typings";
import type { Context } from "../session/context.ts";
import type { Phase } from "../terminal/ui.ts";

/** Declares `--force` with its old meaning of "even if nothing has changed". */
export const oldForce = () => new Option("--force").hideHelp();

/** Returns whether to build even if nothing has changed: true for `--rebuild` or its old name. */
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
