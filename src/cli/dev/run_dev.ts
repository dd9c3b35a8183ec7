/** @module Runs a dev server in the foreground: starts it, handles key presses, and cleans up. */
import { basename, join } from "node:path";
import { findFunctions } from "../../build/mod.ts";
import { detectDevCommand, type DevStart, type RunningDev, startDev } from "../../dev/mod.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { Device } from "../../rules/mod.ts";
import { createBuildHost, explainBuild } from "../deploy/build_host.ts";
import { fillSelf } from "../env/fetch_variables.ts";
import { type LocalVariables, readLocalVariables } from "../env/local_variables.ts";
import { CliError } from "../errors/cli_error.ts";
import { DEFAULT_PORT, openOnPort } from "../foreground/open_on_port.ts";
import { untilStopped } from "../foreground/until_stopped.ts";
import type { ProjectFolder } from "../projects/project_folder.ts";
import { formatExplanation } from "../rules/format_explanation.ts";
import type { Context } from "../session/context.ts";
import { EXIT } from "../exit_code.ts";
import { readDatabaseVariable } from "./database_variable.ts";
import { createDevReport } from "./dev_report.ts";
import { nearest } from "../../lib/suggest.ts";

/** The character that Ctrl-C sends in a terminal in raw mode. */
const CTRL_C = "\x03";

/**
 * Runs the action of each typed key. `q` and Ctrl-C quit. Does nothing without a terminal.
 *
 * @returns a function that restores the terminal
 */
function followKeys(
  { keyboard, stdinIsTerminal, ui }: Pick<Context, "keyboard" | "stdinIsTerminal" | "ui">,
  acts: Readonly<Record<string, () => void>>,
  quit: () => void,
): () => void {
  if (!stdinIsTerminal || ui.json) return () => {};
  keyboard.setRaw(true);
  const decoder = new TextDecoder();
  const follow = async () => {
    for (;;) {
      const bytes = await keyboard.read();
      if (bytes === null) return;
      for (const key of decoder.decode(bytes, { stream: true })) {
        if (key === CTRL_C || key === "q") return quit();
        if (Object.hasOwn(acts, key)) acts[key]!();
      }
    }
  };
  // If reading fails because the terminal was closed, a signal stops the program.
  void follow().catch(() => {});
  return () => {
    try {
      keyboard.setRaw(false);
    } catch { /* the terminal was closed */ }
  };
}

interface CommandFlags {
  readonly alias?: string | undefined;
  readonly command?: string | undefined;
}

function aliased({ config }: ProjectFolder, alias: string): string {
  const aliases = config?.dev.aliases ?? new Map<string, string>();
  const command = aliases.get(alias);
  if (command !== undefined) return command;
  const names = [...aliases.keys()];
  const near = nearest(alias, names);
  const hint = near !== undefined
    ? `Did you mean ${near}?`
    : names.length > 0
    ? `Available: ${names.join(", ")}`
    : 'Add it to [dev.aliases], as name = "command"';
  throw new CliError("usage", `svc.toml has no alias "${alias}"`, { hint });
}

/**
 * Chooses the dev command. Flags override `svc.toml`, which overrides detection. Returns
 * `undefined` for a static project.
 *
 * @throws {CliError} if there is no such alias, or both flags are given
 */
async function chooseCommand(
  folder: ProjectFolder,
  { alias, command }: CommandFlags,
  { inspected }: { readonly inspected: boolean },
): Promise<string | undefined> {
  if (alias !== undefined && command !== undefined) {
    throw new CliError("usage", "Use either --alias or --command");
  }
  if (command !== undefined) return command;
  if (alias !== undefined) return aliased(folder, alias);
  return folder.config?.dev.command ?? await detectDevCommand(folder.directory, { inspected });
}

interface DevFlags extends CommandFlags {
  readonly port?: number | undefined;
  readonly inspect?: true | undefined;
  readonly inspectBrk?: true | undefined;
  readonly dbBranch?: string | undefined;
  readonly environment?: string | undefined;
  readonly country?: string | undefined;
  readonly asn?: number | undefined;
  readonly device?: Device | undefined;
  readonly ip?: string | undefined;
  readonly allowPrivateUpstreams?: true | undefined;
  /** The current folder, or `undefined` if the user named a folder. */
  readonly standing: string | undefined;
}

/** Stops everything immediately, on the second signal. */
function endAtOnce(dev: RunningDev): never {
  dev.kill();
  Deno.exit(EXIT.interrupted);
}

/**
 * Returns the port to listen on, which differs from the port of the project's server.
 *
 * @throws {CliError} if the flag names the server's port
 */
function portOf({ port }: DevFlags, serverPort: number | undefined): number {
  if (port === undefined) return serverPort === DEFAULT_PORT ? DEFAULT_PORT + 1 : DEFAULT_PORT;
  if (port !== serverPort) return port;
  throw new CliError(
    "usage",
    `Port ${port} is used by the dev server (dev.port). Use another --port`,
  );
}

function readOptions(
  ctx: Context,
  { directory, config }: ProjectFolder,
  { command, flags, variables, hasOtherFunctions }: {
    readonly command: string | undefined;
    readonly flags: DevFlags;
    readonly variables: LocalVariables;
    readonly hasOtherFunctions: boolean;
  },
): DevStart {
  const { country, asn, device, ip } = flags;
  const port = portOf(flags, config?.dev.port);
  const build = createBuildHost(ctx);
  return {
    directory,
    config,
    command,
    build,
    standing: flags.standing,
    hasOtherFunctions,
    serverPort: config?.dev.port,
    serverHost: config?.dev.host,
    env: build.env,
    variablesAt: (url) => fillSelf(variables.variables, url),
    assumed: { country, asn, device, ip },
    inspect: flags.inspectBrk === true ? "break" : flags.inspect === true ? "on" : "off",
    allowPrivateUpstreams: flags.allowPrivateUpstreams === true,
    report: createDevReport(ctx),
    onPort: (open) => openOnPort(ctx, { port, mayMove: !ctx.ui.json }, open),
  };
}

/**
 * Reads the environment's variables. The variable for the database branch overrides the
 * environment's.
 */
async function readVariables(
  ctx: Context,
  folder: ProjectFolder,
  { environment, dbBranch: given }: DevFlags,
): Promise<LocalVariables> {
  const read = await readLocalVariables(ctx, folder, environment);
  const database = await readDatabaseVariable(ctx, folder, { given, reached: read.reached });
  return { ...read, variables: { ...read.variables, ...database } };
}

async function hasFunctions({ directory }: ProjectFolder): Promise<boolean> {
  return (await Deno.stat(join(directory, "functions")).catch(() => undefined))?.isDirectory ===
    true;
}

/** Runs until the user stops it. */
export async function runDev(
  ctx: Context,
  folder: ProjectFolder,
  flags: DevFlags,
): Promise<void> {
  const isInspected = flags.inspect === true || flags.inspectBrk === true;
  const command = await chooseCommand(folder, flags, { inspected: isInspected });
  const hasOtherFunctions = await findFunctions(folder) !== undefined;
  const hasServer = command !== undefined || hasOtherFunctions;
  if (isInspected && !hasServer && !await hasFunctions(folder)) {
    const message = "--inspect needs a dev server or functions, and the project has neither";
    throw new CliError("usage", message);
  }
  const variables = await readVariables(ctx, folder, flags);
  const options = readOptions(ctx, folder, { command, flags, variables, hasOtherFunctions });
  const dev = await explainBuild(ctx, startDev(options));
  const quit = Promise.withResolvers<void>();
  const stopped = untilStopped(ctx, () => endAtOnce(dev));
  const release = followKeys(ctx, keysOf(ctx, dev), quit.resolve);
  const ended = Promise.race([stopped.promise, quit.promise]);
  try {
    await Promise.race([dev.ready, ended]);
    announce(ctx, dev, { folder, command, variables });
    await ended;
  } finally {
    release();
    ctx.ui.log("deploy", "info", "Stopping");
    await dev.close();
    stopped.release();
  }
}

function keysOf(ctx: Context, dev: RunningDev): Readonly<Record<string, () => void>> {
  const { ui } = ctx;
  return {
    r() {
      dev.restart().catch((error) => ui.log("deploy", "error", messageOf(error)));
    },
    o: () => void (ctx.openUrl(dev.url) || ui.log("deploy", "info", `Open ${dev.url}`)),
    e() {
      const explanation = dev.explainLast();
      ui.note(
        explanation === undefined
          ? "Nothing to explain: no requests yet, or no rules"
          : formatExplanation(explanation, ui.colors),
      );
    },
    c() {
      dev.clear();
      // Clears the terminal and its scrollback.
      ui.stderr.write("\x1b[2J\x1b[3J\x1b[H");
    },
  };
}

function announce(
  ctx: Context,
  dev: RunningDev,
  { folder, command, variables }: {
    readonly folder: ProjectFolder;
    readonly command: string | undefined;
    readonly variables: LocalVariables;
  },
): void {
  const { ui } = ctx;
  const { url, port } = dev;
  const inspectors = dev.inspectors();
  const environment = variables.environment ?? null;
  const name = folder.config?.project.name ?? basename(folder.directory);
  ui.done("deploy", `${name} at ${ui.colors.bold(url)}`);
  ui.note(`  requests, rules, keys and mail: ${url}/__svc`);
  if (environment !== null) ui.note(`  variables of ${environment}`);
  if (ctx.stdinIsTerminal) {
    ui.note(ui.colors.dim("r restart   o open   e explain last request   c clear   q quit"));
  }
  for (const [name, address] of Object.entries(inspectors)) {
    ui.note(`  inspector for the ${name}: ${address}`);
  }
  const result = {
    url,
    port,
    command: command ?? null,
    environment,
    inspector: inspectors.server ?? null,
    functionsInspector: inspectors.functions ?? null,
  };
  // On a terminal, the URL has already been displayed.
  ui.result(result, ui.showsOnTerminal ? "" : url);
}
