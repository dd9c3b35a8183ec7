/**
 * @module Child processes of the program. To start quickly, each process loads only the code that
 * it needs.
 */
import { BUILD_PROCESS_ARGUMENT } from "../lib/build_process.ts";
import {
  BACKUP_PROCESS_ARGUMENT,
  COMMAND_PROCESS_ARGUMENT,
  COMPUTE_PROCESS_ARGUMENT,
  DATABASE_PROCESS_ARGUMENT,
  EDGE_PROCESS_ARGUMENT,
  FUNCTION_PROCESS_ARGUMENT,
  IMAGE_PROCESS_ARGUMENT,
  NODE_PROBE_ARGUMENT,
  NODE_PROCESS_ARGUMENT,
  RELEASE_CHECK_ARGUMENT,
} from "../lib/process_arguments.ts";
import { EXIT } from "./exit_code.ts";

type Run = (path: string) => Promise<never>;

/** Processes, keyed by their hidden argument. A path follows this argument. */
const PROCESSES: Readonly<Record<string, () => Promise<Run>>> = {
  [BUILD_PROCESS_ARGUMENT]: async () => (await import("../build/mod.ts")).runBuildProcess,
  [FUNCTION_PROCESS_ARGUMENT]: async () =>
    (await import("../runtime/functions/process_main.ts")).runFunctionProcess,
  [COMPUTE_PROCESS_ARGUMENT]: async () =>
    (await import("../runtime/compute/process_main.ts")).runComputeProcess,
  [IMAGE_PROCESS_ARGUMENT]: async () =>
    (await import("../runtime/images/process_main.ts")).runImageProcess,
  [NODE_PROCESS_ARGUMENT]: async () =>
    (await import("../runtime/node/process_main.ts")).runNodeProcess,
  [COMMAND_PROCESS_ARGUMENT]: async () =>
    (await import("../runtime/command/process_main.ts")).runCommandProcess,
  [DATABASE_PROCESS_ARGUMENT]: async () =>
    (await import("../database/embedded/process_main.ts")).runDatabaseProcess,
  [BACKUP_PROCESS_ARGUMENT]: async () => (await import("../serve/mod.ts")).runBackupProcess,
  [EDGE_PROCESS_ARGUMENT]: async () => (await import("../serve/mod.ts")).runLocalEdge,
  [NODE_PROBE_ARGUMENT]: async () => (await import("../runtime/node/probe_main.ts")).runNodeProbe,
  [RELEASE_CHECK_ARGUMENT]: async () => {
    const [{ runReleaseCheck }, { createTrustedFetch }] = await Promise.all([
      import("./upgrade/check_release.ts"),
      import("./host/trusted_fetch.ts"),
    ]);
    return (path) => runReleaseCheck(path, createTrustedFetch(Deno.env.toObject()));
  },
};

/** Runs the process for a hidden argument. An unknown argument is a usage error. */
export async function runHiddenProcess(name: string, rest: readonly string[]): Promise<never> {
  const [path] = rest;
  const load = PROCESSES[name];
  if (load === undefined || path === undefined) Deno.exit(EXIT.usage);
  const run = await load();
  return await run(path);
}
