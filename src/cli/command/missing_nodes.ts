/** @module Warns about nodes whose part of a result is missing. */
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";

export type MissingNodes =
  | readonly { readonly node: string; readonly reason: string }[]
  | undefined;

/** Warns about each node whose part of the result is missing. */
export function warnOfMissingNodes({ ui }: Pick<Context, "ui">, missing: MissingNodes): void {
  for (const { node, reason } of missing ?? []) {
    ui.log(
      "deploy",
      "warn",
      `Results from node ${printable(node)} are missing: ${printable(reason)}`,
    );
  }
}
