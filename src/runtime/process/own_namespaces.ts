/** @module Starts a process that runs project code, with the right to create namespaces. */
import { runProgram } from "../../lib/spawn_program.ts";
import type { ProcessCommand } from "./self_command.ts";

const UNSHARE = "/usr/bin/unshare";

/**
 * Arguments that keep the user, process ID and standard streams. Privileges apply only in a new
 * user namespace.
 */
const ARGUMENTS = ["--user", "--map-current-user", "--keep-caps", "--"] as const;

const NOTHING = "/bin/true";

async function find(): Promise<readonly string[]> {
  if (Deno.build.os !== "linux" || Deno.uid() === 0) return [];
  try {
    const { success } = await runProgram(UNSHARE, {
      args: [...ARGUMENTS, NOTHING],
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    });
    return success ? [UNSHARE, ...ARGUMENTS] : [];
  } catch {
    return [];
  }
}

let found: Promise<readonly string[]> | undefined;

/**
 * Finds the command prefix that lets a process create namespaces. It is empty for root, who can
 * always create them, or if the system does not let other users create them.
 */
function findNamespacePrefix(): Promise<readonly string[]> {
  return found ??= find();
}

/** Lets a command's process create namespaces if the system allows it. */
export async function mayMakeNamespaces(command: ProcessCommand): Promise<ProcessCommand> {
  const [program, ...args] = [...await findNamespacePrefix(), command.command, ...command.args];
  return { ...command, command: program!, args };
}
