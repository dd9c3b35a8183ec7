/**
 * Checks of this machine that come before anything is asked of the platform:
 * nothing is made there that could not be noted here.
 *
 * @module
 */
import { join } from "node:path";
import { contextPath, SCHEMA_PATH } from "../config/mod.ts";
import { describeFileFault, findWriteFault, isFileFault } from "../lib/file_fault.ts";
import { NotUtf8Error, utf8Diagnostic } from "../lib/utf8.ts";
import { CliError } from "./cli_error.ts";
import type { Context } from "./context.ts";
import { printable } from "./format.ts";
import { type ProjectFolder, showPath } from "./project_folder.ts";

function cannotWrite(
  path: string,
  fault: { readonly path: string; readonly reason: string },
  { hint, ctx }: { readonly hint: string; readonly ctx: Pick<Context, "cwd"> },
): CliError {
  const shown = printable(showPath(path, ctx));
  const where = fault.path === path ? "" : ` in ${printable(showPath(fault.path, ctx))}`;
  return new CliError("not_writable", `Cannot write ${shown}${where}: ${fault.reason}`, { hint });
}

async function assertWritable(ctx: Context, path: string, hint: string): Promise<void> {
  const fault = await findWriteFault(path);
  if (fault !== undefined) throw cannotWrite(path, fault, { hint, ctx });
}

/** Throws where a login could not be stored: before one is asked for, or given up. */
export async function assertCanStoreLogin(ctx: Context): Promise<void> {
  await assertWritable(
    ctx,
    ctx.credentials.writablePath(),
    "Make the folder writable, or name another by XDG_CONFIG_HOME; SVC_TOKEN needs no file",
  );
}

/** Throws where the project's folder could not take its `svc.toml` and schema. */
export async function assertCanBind(ctx: Context, folder: ProjectFolder): Promise<void> {
  const hint = "Make the folder writable, or work in another";
  const target = folder.config === undefined
    ? folder.configPath
    : await Deno.realPath(folder.configPath);
  await assertWritable(ctx, target, hint);
  await assertWritable(ctx, join(folder.directory, SCHEMA_PATH), hint);
}

/** Throws where the checkout could not remember its environment. */
export async function assertCanKeepContext(ctx: Context, root: string): Promise<void> {
  const hint = "Make the folder writable, or name the environment by SVC_ENVIRONMENT";
  await assertWritable(ctx, contextPath(root), hint);
  await assertWritable(ctx, join(root, ".gitignore"), hint);
}

/** What is wrong with a file, as a sentence; any other error stays as it is. */
export function explainFileFault(error: unknown): unknown {
  if (error instanceof NotUtf8Error) {
    return new CliError("file_unusable", `Correct ${printable(error.file)}: it is not UTF-8`, {
      found: { file: error.file, diagnostics: [utf8Diagnostic(error.fault)] },
      cause: error,
    });
  }
  if (!isFileFault(error)) return error;
  const path = / '([^']*)'(?: -> '.*')?$/.exec(error.message)?.[1];
  const subject = path === undefined ? "a file" : printable(path);
  return new CliError("file_unusable", `Cannot use ${subject}: ${describeFileFault(error)}`, {
    hint: "Look at its owner and permissions, and at those of its folder",
    cause: error,
  });
}
