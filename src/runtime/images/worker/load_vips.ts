/** @module Loads libvips from memory, in a worker without permissions. */
import type Vips from "wasm-vips";
import type { EngineFiles } from "./messages.ts";

export type VipsEngine = typeof Vips;

type CreateVips = (settings: {
  readonly dynamicLibraries: readonly string[];
  readonly locateFile: (name: string) => string;
  readonly mainScriptUrlOrBlob: string;
  readonly print: () => void;
  readonly printErr: () => void;
}) => Promise<VipsEngine>;

const CORE = "vips.wasm";
const HEIF = "vips-heif.wasm";

/** The only enabled readers. Other kinds of files are rejected before their header is read. */
const READERS = [
  "VipsForeignLoadJpeg",
  "VipsForeignLoadPng",
  "VipsForeignLoadWebp",
  "VipsForeignLoadHeif",
  "VipsForeignLoadNsgif",
];

const wasmUrl = (bytes: Uint8Array<ArrayBuffer>): string =>
  URL.createObjectURL(new Blob([bytes], { type: "application/wasm" }));

export async function loadVips({ code, core, heif }: EngineFiles): Promise<VipsEngine> {
  const module = `data:text/javascript;base64,${new TextEncoder().encode(code).toBase64()}`;
  const urls: Readonly<Record<string, string>> = { [CORE]: wasmUrl(core), [HEIF]: wasmUrl(heif) };
  const { default: create }: { readonly default: CreateVips } = await import(module);
  const vips = await create({
    dynamicLibraries: [HEIF],
    locateFile: (name) => urls[name] ?? name,
    mainScriptUrlOrBlob: module,
    print: () => {},
    printErr: () => {},
  });
  for (const url of Object.values(urls)) URL.revokeObjectURL(url);
  vips.operationBlock("VipsForeignLoad", true);
  for (const reader of READERS) vips.operationBlock(reader, false);
  // Each image is converted once, so intermediate results are not needed again.
  vips.Cache.max(0);
  return vips;
}
