/** @module Warns that a result lacks the data of some nodes. */
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";

export type MissingNodes =
  | readonly { readonly node: string; readonly reason: string }[]
  | undefined;

/** Warns about each node whose data is missing from the result. */
export function warnOfMissingNodes({ ui }: Pick<Context, "ui">, missing: MissingNodes): void {
  for (const { node, reason } of missing ?? []) {
    ui.log(
      "deploy",
      "warn",
      `Results from node ${printable(node)} are missing: ${printable(reason)}`,
    );
  }
}
