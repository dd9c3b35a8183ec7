/**
 * @module Builds the command line and environment for a server on Node, or for a command that
 * starts Node.
 */
import { join } from "node:path";
import { SYSTEM_PATH } from "../../lib/system_path.ts";
import type { ServerStart } from "../compute/wire.ts";
import type { PreloadStart } from "./preload/start.ts";
import type { NodeCommand, NodeView } from "./sandbox/types.ts";

/**
 * Settings for package managers: no update checks, no self-downloads, and no log file, which would
 * not be accessible.
 */
const MANAGER_SETTINGS = {
  npm_config_update_notifier: "false",
  npm_config_logs_max: "0",
  YARN_ENABLE_TELEMETRY: "0",
};

/** More settings for pnpm, which npm does not support. */
const PNPM_SETTINGS = {
  npm_config_manage_package_manager_versions: "false",
  npm_config_verify_deps_before_run: "false",
};

/** Creates the start data for a server's preload. */
export function preloadStart(
  { entry, port, host, hosts, command }: ServerStart,
  { directory, controlSocket: control, serverSocket: socket, files: [preload] }: NodeView,
): PreloadStart {
  return {
    directory,
    control,
    socket,
    port,
    host,
    hosts,
    ...(command === undefined ? { entry: join(directory, entry) } : { preload: quoted(preload!) }),
  };
}

/** Quotes a path for NODE_OPTIONS and shells. */
const quoted = (path: string): string =>
  `"${path.replace(/["\\$`]/g, (character) => `\\${character}`)}"`;

/** Maximum semi-space size, in MiB. This is the size that Node chooses on a large machine. */
const MAX_SEMI_SPACE_MB = 32;

/** Returns Node's arguments and environment. The preload is the first of the additional files. */
export function nodeCommand(start: ServerStart, view: NodeView): NodeCommand {
  const { entry, env, port, host, memoryMb, command } = start;
  const { directory, tmp, files: [preload] } = view;
  const flags = [
    "--enable-source-maps",
    // Makes Node collect garbage before it reaches the memory limit.
    `--max-old-space-size=${memoryMb}`,
    // The default size of the young generation depends on the machine, so on a large machine
    // garbage alone could reach the limit.
    `--max-semi-space-size=${Math.min(MAX_SEMI_SPACE_MB, Math.ceil(memoryMb / 32))}`,
  ];
  const variables = {
    NODE_ENV: "production",
    // The sandbox's user is not in any user database, so os.homedir() would throw without this
    // variable.
    HOME: tmp,
    ...env,
    PORT: String(port),
    HOST: host,
  };
  if (command === undefined) {
    return {
      args: [...flags, "--require", preload!, join(directory, entry)],
      env: variables,
    };
  }
  const options = [...flags, env.NODE_OPTIONS ?? "", `--require ${quoted(preload!)}`];
  return {
    program: "/bin/sh",
    args: ["-c", command],
    env: {
      ...MANAGER_SETTINGS,
      ...(start.tools?.some(({ name }) => name === "pnpm") === true ? PNPM_SETTINGS : {}),
      ...variables,
      PATH: [view.programs[0], SYSTEM_PATH].join(":"),
      NODE_OPTIONS: options.filter((option) => option !== "").join(" "),
    },
  };
}

/**
 * Returns scripts for the programs that a command finds by name. Node's script loads the preload
 * even if another script sets NODE_OPTIONS. Other scripts run tools that the machine lacks, or that
 * it has in a different version. The folder with these scripts comes first in the search path.
 */
export function toolScripts(
  { tools = [] }: ServerStart,
  { node, files: [preload], programs: [, ...folders] }: NodeView,
): ReadonlyMap<string, string> {
  const script = (words: readonly string[]) => `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`;
  const run = quoted(node);
  return new Map([
    ["node", script([run, "--require", quoted(preload!)])],
    ...tools.map(({ name, file }, index): [string, string] => {
      const path = quoted(join(folders[index]!, file));
      return [name, script(/\.[cm]?js$/.test(file) ? [run, path] : [path])];
    }),
  ]);
}
