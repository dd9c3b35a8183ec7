import { spawnProgram } from "../../lib/spawn_program.ts";
import type { Environment } from "../session/global_flags.ts";

type CommandLine = readonly [program: string, ...args: string[]];

const isSet = (value: string | undefined): boolean => value !== undefined && value !== "";

/**
 * Returns the command line that opens a URL, or `undefined` if the user would not see the browser:
 * on another machine, or without a desktop.
 */
export function browserCommand(
  url: string,
  machine: { readonly os: typeof Deno.build.os; readonly env: Environment },
): CommandLine | undefined {
  const { os, env } = machine;
  if (!/^https?:\/\//.test(url)) return undefined;
  const chosen = env.BROWSER;
  // A program name is used as is. Lists and commands with arguments, which need a shell, are
  // ignored.
  if (chosen !== undefined && /^[\w./+-]+$/.test(chosen)) return [chosen, url];
  if (isSet(env.SSH_CONNECTION) || isSet(env.SSH_TTY)) return undefined;
  if (os === "darwin") return ["open", url];
  if (os === "windows") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return isSet(env.DISPLAY) || isSet(env.WAYLAND_DISPLAY) ? ["xdg-open", url] : undefined;
}

/** Opens a URL without waiting for the browser. Returns false if there is no browser. */
export function openBrowser(url: string, env: Environment): boolean {
  const command = browserCommand(url, { os: Deno.build.os, env });
  if (command === undefined) return false;
  const [program, ...args] = command;
  try {
    const child = spawnProgram(program, {
      args,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    });
    child.unref();
    return true;
  } catch {
    return false;
  }
}
