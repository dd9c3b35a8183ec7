/** @module Finds the toolchains on this machine, and their versions. */
import { join } from "node:path";
import { inheritedVariables } from "../lib/child_variables.ts";
import { runProgram } from "../lib/spawn_program.ts";
import { type Toolchain, TOOLCHAINS } from "./toolchains.ts";

export interface FoundToolchain {
  readonly toolchain: Toolchain;
  /** Absolute path of the toolchain's program. */
  readonly program: string;
  /** The toolchain's version, if its program reports one. */
  readonly version?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Maximum time for a toolchain to report its version, in milliseconds. */
const ASK_MS = 10_000;

const VERSION = /\d+\.\d+(?:\.\d+)?/;

/** Finds a program on the search path. */
export function findProgram(name: string, env: Environment): string | undefined {
  for (const folder of (env.PATH ?? "").split(":")) {
    if (!folder.startsWith("/")) continue;
    const path = join(folder, name);
    try {
      const { isFile, mode } = Deno.statSync(path);
      if (isFile && ((mode ?? 0) & 0o111) !== 0) return path;
    } catch { /* it does not exist */ }
  }
  return undefined;
}

/** Returns a toolchain's program on the search path, or `undefined` if there is none. */
export const programOf = ({ programs }: Toolchain, env: Environment): string | undefined =>
  programs.map((name) => findProgram(name, env)).find((path) => path !== undefined);

/** The result of running a program: its output, its failure, or a timeout on a busy machine. */
export type Reply = { readonly text: string } | "failed" | "late";

export async function ask(
  program: string,
  args: readonly string[],
  env: Environment,
  limitMs = ASK_MS,
): Promise<Reply> {
  const signal = AbortSignal.timeout(limitMs);
  const failed = () => signal.aborted ? "late" : "failed";
  try {
    const { success, stdout } = await runProgram(program, {
      args: [...args],
      clearEnv: true,
      env: inheritedVariables(env),
      cwd: "/",
      stdin: "null",
      stderr: "null",
      signal,
    });
    return success ? { text: new TextDecoder().decode(stdout).trim() } : failed();
  } catch {
    return failed();
  }
}

/** Returns the given toolchains that are installed, with their versions. */
export async function findToolchains(
  env: Environment,
  ids: readonly string[] = TOOLCHAINS.map(({ id }) => id),
  limitMs?: number,
): Promise<readonly FoundToolchain[]> {
  const found = await Promise.all(
    TOOLCHAINS.filter(({ id }) => ids.includes(id)).map(async (toolchain) => {
      const program = programOf(toolchain, env);
      if (program === undefined) return [];
      const reply = await ask(program, toolchain.versionArgs, env, limitMs);
      // A wrapper such as rustup's `cargo` can exist without the toolchain itself.
      if (reply === "failed") return [];
      // A toolchain that responds slowly is nevertheless installed. Mix first prints information
      // about Erlang, in square brackets.
      const version = reply === "late"
        ? undefined
        : VERSION.exec(reply.text.replace(/\[[^\]]*\]/g, ""))?.[0];
      return [{ toolchain, program, version }];
    }),
  );
  return found.flat();
}
