/** @module Creates the files of an empty database (`deno task database-template`). */
import { durableFiles } from "../process/durable_files.ts";
import { loadEngine } from "../process/engine_files.ts";
import { MIN_MEMORY_MB, readVersion, startParameters } from "../process/postgres.ts";

const INITDB = new URL(
  "../../../../node_modules/@electric-sql/pglite/dist/initdb.wasm",
  import.meta.url,
);

/** Creates the files in an empty folder. Returns the version of the engine. */
async function initialize(folder: string): Promise<string> {
  const engine = await loadEngine();
  const pg = await engine.PGlite.create({
    ...engine.files,
    initdbWasmModule: await WebAssembly.compile(await Deno.readFile(INITDB)),
    fs: durableFiles(engine, folder),
    initDbStartParams: ["--wal-segsize=4"],
    startParams: startParameters({ memoryMb: MIN_MEMORY_MB, keepsLog: false }),
  });
  const version = await readVersion(pg);
  await pg.exec("CHECKPOINT");
  await pg.close();
  return version;
}

if (import.meta.main) {
  const [folder, versionFile] = Deno.args;
  await Deno.writeTextFile(versionFile!, await initialize(folder!));
}
