/**
 * @module Rarely needed package modules in the compiled program. These modules are attached like
 * large files (`shipped_file.ts`), so they are not loaded at startup.
 */
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { readShippedFile } from "./shipped_file.ts";

/**
 * Returns the path of a package's compressed module in the staging folder, which is packed into the
 * program.
 */
export const shippedModulePath = (name: string): string => `rare_modules/${name}.js.br`;

async function load(name: string): Promise<unknown> {
  const code = await promisify(brotliDecompress)(readShippedFile(shippedModulePath(name)));
  return await import(`data:text/javascript;charset=utf-8;base64,${code.toString("base64")}`);
}

const loading = new Map<string, Promise<unknown>>();

/**
 * Imports a package's module in the compiled program. One call per thread is enough.
 *
 * @throws {Error} If the module is damaged.
 */
export function importShippedModule(name: string): Promise<unknown> {
  const known = loading.get(name);
  if (known !== undefined) return known;
  const module = load(name);
  loading.set(name, module);
  return module;
}
