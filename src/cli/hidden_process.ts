/**
 * The program as another process: started by itself, never by a person.
 *
 * @module
 */
import { BUILD_PROCESS_ARGUMENT } from "../lib/build_process.ts";
import {
  COMPUTE_PROCESS_ARGUMENT,
  FUNCTION_PROCESS_ARGUMENT,
  IMAGE_PROCESS_ARGUMENT,
  NODE_PROCESS_ARGUMENT,
  runComputeProcess,
  runFunctionProcess,
  runImageProcess,
  runNodeProcess,
} from "../runtime/mod.ts";
import { EXIT } from "./exit_code.ts";

/** What runs for each hidden argument; a path follows it. */
const PROCESSES: Readonly<Record<string, (path: string) => Promise<never>>> = {
  [FUNCTION_PROCESS_ARGUMENT]: runFunctionProcess,
  [COMPUTE_PROCESS_ARGUMENT]: runComputeProcess,
  [IMAGE_PROCESS_ARGUMENT]: runImageProcess,
  [NODE_PROCESS_ARGUMENT]: runNodeProcess,
};

/** Runs what the hidden argument names; an unknown one is wrong usage. */
export async function runHiddenProcess(name: string, rest: readonly string[]): Promise<never> {
  const [path] = rest;
  if (name === BUILD_PROCESS_ARGUMENT && path !== undefined) {
    const { runBuildProcess } = await import("../build/mod.ts");
    return await runBuildProcess(path);
  }
  const run = PROCESSES[name];
  if (run === undefined || path === undefined) Deno.exit(EXIT.usage);
  return await run(path);
}
