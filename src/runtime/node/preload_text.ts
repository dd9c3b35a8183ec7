/** @module The text of the module that Node loads before a server's code. */
import { fileURLToPath } from "node:url";
import { readTextFile } from "../../lib/utf8.ts";
import type { PreloadStart } from "./preload/start.ts";

/** Name of the bundle next to the main module of the compiled program. */
export const STAGED_PRELOAD = "node_preload.cjs";

/**
 * Reads the bundled module.
 *
 * @param bundled path of the file written by `bundlePreload()`. Omitted in a compiled program, which
 * contains the bundle
 */
export async function readPreload(bundled?: string): Promise<string> {
  return await readTextFile(
    bundled ?? fileURLToPath(new URL(`./${STAGED_PRELOAD}`, Deno.mainModule)),
  );
}

/** Returns the module for one server. */
export function preloadText(code: string, start: PreloadStart): string {
  return `const svcStart = ${JSON.stringify(start)};\n${code}`;
}
