/**
 * The program as another process: started by itself, never by a person.
 *
 * @module
 */
import { BUILD_PROCESS_ARGUMENT } from "../lib/build_process.ts";
import { FUNCTION_PROCESS_ARGUMENT, runFunctionProcess } from "../runtime/mod.ts";
import { EXIT } from "./cli_error.ts";

/** Runs what the hidden argument names; an unknown one is wrong usage. */
export async function runHiddenProcess(name: string, rest: readonly string[]): Promise<never> {
  const [socketPath] = rest;
  if (name === BUILD_PROCESS_ARGUMENT && rest[0] !== undefined) {
    const { runBuildProcess } = await import("../build/mod.ts");
    return await runBuildProcess(rest[0]);
  }
  if (name !== FUNCTION_PROCESS_ARGUMENT || socketPath === undefined) Deno.exit(EXIT.usage);
  return await runFunctionProcess(socketPath);
}
