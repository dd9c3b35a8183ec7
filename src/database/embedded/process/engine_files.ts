/**
 * The files of the engine, PostgreSQL as WebAssembly: packages in the source,
 * compressed in the compiled program.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { readShippedFile } from "../../../lib/shipped_file.ts";

/** Where a package's files are, in the compiled program or beside the source. */
function packageFolder(name: string): URL {
  return Deno.build.standalone
    ? new URL(`./node_modules/@electric-sql/${name}/`, Deno.mainModule)
    : new URL(`../../../../node_modules/@electric-sql/${name}/`, import.meta.url);
}

/** The folder as the system knows it, links resolved. */
export function engineFolderPath(): string {
  return Deno.realPathSync(fileURLToPath(packageFolder("pglite")));
}

function read(name: string): Uint8Array<ArrayBuffer> {
  if (!Deno.build.standalone) {
    return Deno.readFileSync(new URL(`dist/${name}`, packageFolder("pglite")));
  }
  const shipped = readShippedFile(`node_modules/@electric-sql/pglite/dist/${name}.br`);
  return new Uint8Array(brotliDecompressSync(shipped));
}

export type Pglite = typeof import("@electric-sql/pglite");
export type FileSystems = typeof import("@electric-sql/pglite/basefs");

export interface Engine {
  readonly PGlite: Pglite["PGlite"];
  readonly Files: FileSystems["EmscriptenBuiltinFilesystem"];
  readonly files: { readonly pgliteWasmModule: WebAssembly.Module; readonly fsBundle: Blob };
}

/** Reads and compiles the engine; costs about a second. */
export async function loadEngine(): Promise<Engine> {
  // By its address, as this process has no map of names.
  const code = (name: string) => import(new URL(`dist/${name}`, packageFolder("pglite")).href);
  const { PGlite } = await code("index.js") as Pglite;
  const { EmscriptenBuiltinFilesystem: Files } = await code("fs/base.js") as FileSystems;
  const fsBundle = new Blob([read("pglite.data")]);
  const pgliteWasmModule = await WebAssembly.compile(read("pglite.wasm"));
  return { PGlite, Files, files: { pgliteWasmModule, fsBundle } };
}

export type PgDump = typeof import("@electric-sql/pglite-tools/pg_dump").pgDump;

/** Loads pg_dump. */
export async function loadPgDump(): Promise<PgDump> {
  const address = new URL("dist/pg_dump.js", packageFolder("pglite-tools")).href;
  return (await import(address) as { pgDump: PgDump }).pgDump;
}
