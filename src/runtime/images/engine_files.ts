/** @module Reads the files of libvips, which are compressed in the compiled program. */
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import { readShippedFile } from "../../lib/shipped_file.ts";
import type { EngineFiles } from "./worker/messages.ts";

/** Returns the folder of the engine's files, in the compiled program or next to the source. */
export function engineFolder(): URL {
  return Deno.build.standalone
    ? new URL("./node_modules/wasm-vips/lib/", Deno.mainModule)
    : new URL("../../../node_modules/wasm-vips/lib/", import.meta.url);
}

/** Returns the real path of the folder. */
export function engineFolderPath(): string {
  return Deno.realPathSync(fileURLToPath(engineFolder()));
}

function read(folder: URL, name: string): Uint8Array<ArrayBuffer> {
  if (!Deno.build.standalone) return Deno.readFileSync(new URL(name, folder));
  const shipped = readShippedFile(`node_modules/wasm-vips/lib/${name}.br`);
  return new Uint8Array(brotliDecompressSync(shipped));
}

/** Reads the files, which takes a few tens of milliseconds in the compiled program. */
export function readEngineFiles(): EngineFiles {
  const folder = engineFolder();
  return {
    code: new TextDecoder().decode(read(folder, "vips-es6.js")),
    core: read(folder, "vips.wasm"),
    heif: read(folder, "vips-heif.wasm"),
  };
}
