/** @module The engine's files, compressed in the compiled program. */
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { readShippedFile } from "../../../lib/shipped_file.ts";
import { importShippedModule } from "../../../lib/shipped_module.ts";

/** Returns the folder of a package in the compiled program, or next to the source. */
function packageFolder(name: string): URL {
  return Deno.build.standalone
    ? new URL(`./node_modules/@electric-sql/${name}/`, Deno.mainModule)
    : new URL(`../../../../node_modules/@electric-sql/${name}/`, import.meta.url);
}

/** Returns the real path of PGlite's folder. */
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

type Pglite = typeof import("@electric-sql/pglite");
type FileSystems = typeof import("@electric-sql/pglite/basefs");

export interface Engine {
  readonly PGlite: Pglite["PGlite"];
  readonly Files: FileSystems["EmscriptenBuiltinFilesystem"];
  readonly files: { readonly pgliteWasmModule: WebAssembly.Module; readonly fsBundle: Blob };
}

/** Imports by URL, because the import map of this process does not contain the package. */
const importFile = (name: string, file: string): Promise<unknown> =>
  import(new URL(`dist/${file}`, packageFolder(name)).href);

async function loadCode(): Promise<Pick<Engine, "PGlite" | "Files">> {
  const modules = Deno.build.standalone
    ? [await importShippedModule("pglite")]
    : [await importFile("pglite", "index.js"), await importFile("pglite", "fs/base.js")];
  const { PGlite, EmscriptenBuiltinFilesystem: Files } = Object.assign({}, ...modules) as
    & Pglite
    & FileSystems;
  return { PGlite, Files };
}

/** Reads and compiles the engine, which takes about a second. */
export async function loadEngine(): Promise<Engine> {
  const code = await loadCode();
  const fsBundle = new Blob([read("pglite.data")]);
  const pgliteWasmModule = await WebAssembly.compile(read("pglite.wasm"));
  return { ...code, files: { pgliteWasmModule, fsBundle } };
}

export type PgDump = typeof import("@electric-sql/pglite-tools/pg_dump").pgDump;

export async function loadPgDump(): Promise<PgDump> {
  const module = Deno.build.standalone
    ? await importShippedModule("pg_dump")
    : await importFile("pglite-tools", "pg_dump.js");
  return (module as { pgDump: PgDump }).pgDump;
}
