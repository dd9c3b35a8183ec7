/** @module The command that starts this program as a function process. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { FUNCTION_PROCESS_ARGUMENT } from "../../lib/process_arguments.ts";
import {
  type ProcessCommand,
  type ProcessCommandOptions,
  selfCommand,
} from "../process/self_command.ts";
import { formatInspector, type Inspector, INSPECTOR_VARIABLE } from "./inspector.ts";

interface FunctionCommandOptions extends ProcessCommandOptions {
  /** The inspector that the process opens; only for functions on the user's own computer. */
  readonly inspector?: Inspector | undefined;
}

/** Returns the command for this program, compiled or run from source. */
export function functionProcessCommand(
  { env, inspector }: FunctionCommandOptions,
): (socketPath: string) => ProcessCommand {
  const folder = fileURLToPath(new URL("./", import.meta.url));
  const frames = fileURLToPath(new URL("../process/frames/", import.meta.url));
  const command = selfCommand({
    argument: FUNCTION_PROCESS_ARGUMENT,
    main: `${folder}process_main.ts`,
    env,
    flags: (socketPath) => [
      "--v8-flags=--disallow-code-generation-from-strings",
      `--allow-read=${[folder, frames, socketPath].join(",")}`,
      `--allow-write=${dirname(socketPath)}`,
      "--allow-sys",
      "--allow-ffi",
      ...(inspector === undefined
        ? []
        : [`--allow-net=127.0.0.1:${inspector.port}`, `--allow-env=${INSPECTOR_VARIABLE}`]),
    ],
  });
  if (inspector === undefined) return command;
  return (socketPath) => {
    const { env, ...rest } = command(socketPath);
    return { ...rest, env: { ...env, [INSPECTOR_VARIABLE]: formatInspector(inspector) } };
  };
}
