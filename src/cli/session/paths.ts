/** @module Formats paths for display, and checks whether files can be written. */
import { relative } from "node:path";
import { findWriteFault } from "../../lib/file_fault.ts";
import { CliError } from "../errors/cli_error.ts";
import { printable } from "../terminal/format.ts";
import type { Context } from "./context.ts";

/** Formats a path for display: relative if it is below the current folder. */
export function showPath(path: string, ctx: Pick<Context, "cwd">): string {
  const short = relative(ctx.cwd, path);
  return short === "" ? "." : short.startsWith("..") ? path : short;
}

/**
 * Checks that a file is writable, before a request whose result must be stored in the file.
 *
 * @throws {CliError} `not_writable`, with `hint` as advice.
 */
export async function assertWritable(ctx: Context, path: string, hint: string): Promise<void> {
  const fault = await findWriteFault(path);
  if (fault === undefined) return;
  const shown = printable(showPath(path, ctx));
  const where = fault.path === path ? "" : ` in ${printable(showPath(fault.path, ctx))}`;
  throw new CliError("not_writable", `Cannot write ${shown}${where}: ${fault.reason}`, { hint });
}
