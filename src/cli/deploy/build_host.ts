/** @module The CLI as the host of a build. */
import { join } from "node:path";
import { BuildError, type BuildHost, createLineSink } from "../../build/mod.ts";
import { inheritedVariables } from "../../lib/child_variables.ts";
import { renderDiagnostic } from "../../lib/diagnostic.ts";
import { CliError } from "../errors/cli_error.ts";
import { cacheFolder } from "../session/user_folders.ts";
import type { Context } from "../session/context.ts";
import { showPath } from "../session/paths.ts";
import { printable } from "../terminal/format.ts";

/** Builds in the environment of the CLI, with output on stderr. */
export function createBuildHost(ctx: Context): BuildHost {
  const { ui } = ctx;
  const colored = ui.colors.isColorSupported && !ui.json;
  return {
    say: ui.log,
    warn({ diagnostics, ...source }) {
      for (const diagnostic of diagnostics) {
        if (ui.json) {
          ui.log("build", "warn", renderDiagnostic(diagnostic, { file: source.file }));
        } else {
          ui.note(ui.colors.yellow(printable(renderDiagnostic(diagnostic, source))));
        }
      }
    },
    output: (phase) =>
      ui.json
        ? createLineSink((line) => ui.log(phase, "info", line))
        : { write: (chunk) => ui.stderr.write(chunk), end: () => {} },
    showPath: (path) => showPath(path, ctx),
    signal: ctx.signal,
    get cacheDir() {
      return cacheFolder(ctx.env);
    },
    get toolsDir() {
      return join(cacheFolder(ctx.env), "tools");
    },
    env: { ...inheritedVariables(ctx.env), ...(colored ? { FORCE_COLOR: "1" } : {}) },
  };
}

/** Returns the commands that create an output or locate an existing output. */
function waysToOutput({ lines }: Context): string[] {
  return lines.flags.includes("--skip-build")
    ? [lines.again({ "--skip-build": undefined })]
    : [lines.of("build"), lines.of("init")];
}

/** Waits for a step of a build. Converts an error in the project to a CLI error. */
export async function explainBuild<T>(ctx: Context, part: Promise<T>): Promise<T> {
  try {
    return await part;
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    ctx.signal.throwIfAborted();
    throw new CliError(error.code, error.message, {
      ...(error.code === "output_missing" ? { next: waysToOutput(ctx) } : {}),
      ...error.facts,
      cause: error,
    });
  }
}
