/**
 * Paths as people read them, and whether they can be written.
 *
 * @module
 */
import { relative } from "node:path";
import { findWriteFault } from "../../lib/file_fault.ts";
import { CliError } from "../errors/cli_error.ts";
import { printable } from "../terminal/format.ts";
import type { Context } from "./context.ts";

/** A path as people read it: relative if it is below the current folder. */
export function showPath(path: string, ctx: Pick<Context, "cwd">): string {
  const short = relative(ctx.cwd, path);
  return short === "" ? "." : short.startsWith("..") ? path : short;
}

/**
 * Checks that a file can be written, before the platform is asked for anything
 * that would have to be recorded in it.
 *
 * @throws {CliError} `not_writable`, with `hint` for what to do.
 */
export async function assertWritable(ctx: Context, path: string, hint: string): Promise<void> {
  const fault = await findWriteFault(path);
  if (fault === undefined) return;
  const shown = printable(showPath(path, ctx));
  const where = fault.path === path ? "" : ` in ${printable(showPath(fault.path, ctx))}`;
  throw new CliError("not_writable", `Cannot write ${shown}${where}: ${fault.reason}`, { hint });
}
