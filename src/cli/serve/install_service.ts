/** @module `svc serve --install`, which installs the platform as a service. */
import { writeFileAtomically } from "../../lib/atomic_file.ts";
import { CONFIG_VARIABLE, flagOf, SETTINGS, variableOf } from "../../settings/mod.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import type { ServeSettings } from "./setting_flags.ts";
import { type ServiceFile, serviceFile } from "./service_file.ts";

/** Settings whose flags contain secrets, which other users could read in a service file. */
const SECRETS = SETTINGS.filter(({ secret, flagless }) => secret === true && flagless !== true);

const VARIABLES = SECRETS.map(variableOf);

const DATA_DIR_VARIABLE = "SVC_SERVE_DATA_DIR";

/**
 * Returns the arguments of the service. The arguments or the config file must name the data
 * directory, because system services have no `HOME`, and user services run with different
 * variables.
 */
export function serviceWords(
  { lines, env }: Pick<Context, "lines" | "env">,
  { found, given }: Pick<ServeSettings, "found" | "given">,
): readonly string[] {
  const config = lines.flags.includes("--config") ? undefined : env[CONFIG_VARIABLE];
  const from = found.get("data-dir")?.from ?? DATA_DIR_VARIABLE;
  return lines.wordsAgain({
    "--install": undefined,
    "--dry-run": undefined,
    ...(config && { "--config": config }),
    ...(from === DATA_DIR_VARIABLE && { "--data-dir": given.dataDir }),
  });
}

function describeService(ctx: Context, settings: ServeSettings): ServiceFile {
  const secret = SECRETS.map(flagOf).find((flag) => ctx.lines.flags.includes(flag));
  if (secret !== undefined) {
    throw new CliError("usage", `Remove ${secret}: other users can read the service file`, {
      hint: Deno.build.os === "darwin"
        ? `Start svc serve from a script that only you can read, and set ${
          VARIABLES.join(" or ")
        } there`
        : `Set ${VARIABLES.join(" and ")} in its EnvironmentFile`,
    });
  }
  if (!Deno.build.standalone) {
    throw new CliError("unsupported", "Cannot install a service for svc running from source", {
      hint: "Compile it with deno task compile, and run that program with --install",
    });
  }
  const home = ctx.env.HOME;
  if (home === undefined || home === "") {
    throw new CliError("usage", "Set HOME: the user's service is stored there");
  }
  const words = serviceWords(ctx, settings);
  const found = serviceFile(
    { command: [Deno.execPath(), ...words], folder: ctx.cwd },
    { os: Deno.build.os, isRoot: Deno.uid() === 0, home },
  );
  if (found !== undefined) return found;
  throw new CliError("unsupported", `svc cannot install a service on ${Deno.build.os}`, {
    hint: "Run svc serve with the system's task scheduler",
  });
}

/** Writes the service file, or only prints it. Does not start the service. */
export async function installService(
  ctx: Context,
  settings: ServeSettings,
  isDry: boolean,
): Promise<void> {
  const { path, text, next } = describeService(ctx, settings);
  if (!isDry) {
    await writeFileAtomically(path, text, { mode: 0o644 });
    ctx.ui.done("install", `Wrote ${path}. Start the service with:`);
    for (const line of next) ctx.ui.note(`  ${line}`);
  }
  ctx.ui.result({ path, text, next, written: !isDry }, isDry ? text.trimEnd() : path);
}
