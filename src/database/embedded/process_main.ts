/** @module The process of one embedded database, which can access only its own files. */
import { fileURLToPath } from "node:url";
import { sealProcess, type SealState } from "../../runtime/compute/sandbox/seal_process.ts";
import { fromPayload, toPayload } from "../../runtime/process/frames/payload.ts";
import { denoCache } from "../../runtime/process/source_cache.ts";
import { engineFolderPath } from "./process/engine_files.ts";
import { Pipes } from "./process/pipes.ts";
import { Watch } from "./process/watch.ts";
import { DatabaseFrame, type FailedHead, type ReadyHead, type SetupHead } from "./wire.ts";

/** The runtime reads its stack size from this file when it loads a module. */
const OWN_MEMORY = "/proc/self/maps";

/**
 * Returns the paths that the process reads in addition to its database: the executable, or the
 * source and Deno's cache.
 */
function programPaths(): string[] {
  if (Deno.build.standalone) return [Deno.execPath(), OWN_MEMORY];
  const source = fileURLToPath(new URL("../../", import.meta.url));
  const packages = fileURLToPath(new URL("../../../node_modules/", import.meta.url));
  const cache = denoCache(Deno.env.toObject());
  return [Deno.execPath(), OWN_MEMORY, source, packages, engineFolderPath(), cache];
}

function setUp(pipes: Pipes): SetupHead {
  const [first] = pipes.read() ?? [];
  if (first?.type !== DatabaseFrame.setup) Deno.exit(1);
  return fromPayload<SetupHead>(first.payload);
}

const openLock = (path: string): Deno.FsFile => Deno.openSync(path, { create: true, write: true });

async function serve(socketPath: string, pipes: Pipes): Promise<void> {
  const watch = await Watch.start(socketPath);
  const setup = setUp(pipes);
  // Locks the files for the lifetime of this process.
  openLock(setup.lock).lockSync(true);
  const checkpoints = openLock(setup.checkpoints);
  const sealed: SealState = sealProcess(programPaths(), [setup.folder]);
  // The engine is loaded in the sandbox, and by no other process.
  const { Postgres } = await import("./process/postgres.ts");
  const { DatabaseProcess } = await import("./process/database_process.ts");
  // Opening the database replays the log if there was a crash, and creates a checkpoint.
  checkpoints.lockSync(true);
  const postgres = await Postgres.open(setup);
  checkpoints.unlockSync();
  watch.attend(postgres);
  const ready: ReadyHead = { version: postgres.version, ...sealed };
  const database = new DatabaseProcess(pipes, postgres, {
    watch,
    checkpoints,
    database: setup.database,
  });
  pipes.send(DatabaseFrame.ready, 0, toPayload(ready));
  await database.serve();
}

/** Serves one database to the platform, which listens on the Unix socket `socketPath`. */
export async function runDatabaseProcess(socketPath: string): Promise<never> {
  const pipes = new Pipes();
  try {
    await serve(socketPath, pipes);
    pipes.flush();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    Deno.stderr.writeSync(new TextEncoder().encode(message));
    const failed: FailedHead = { message, sqlState: "57P03" };
    pipes.send(DatabaseFrame.failed, 0, toPayload(failed));
    pipes.flush();
    Deno.exit(1);
  }
  Deno.exit(0);
}

if (import.meta.main && !Deno.build.standalone) await runDatabaseProcess(Deno.args[0] ?? "");
