/**
 * @module The only file that uses `re2-wasm`, which validates route patterns.
 *
 * It uses the package's inner module, because the outer class never frees its memory, and the
 * engine's memory is fixed at 16 MiB. The module is loaded only on first use, so programs that read
 * no manifest do not load 0.7 MB of WebAssembly. The compiled program contains the package's
 * JavaScript and WebAssembly in compressed form, and this module evaluates them.
 */
import { createRequire } from "node:module";
import { compileFunction } from "node:vm";
import { brotliDecompressSync } from "node:zlib";
import { readShippedFile } from "../../lib/shipped_file.ts";

/** The C++ object of a compiled pattern. */
interface Compiled {
  ok(): boolean;
  error(): string;
  delete(): void;
}

interface Engine {
  readonly WrappedRE2: new (
    pattern: string,
    ignoreCase: boolean,
    multiline: boolean,
    dotAll: boolean,
  ) => Compiled;
}

const RE2_WASM_MODULE = "re2-wasm/build/wasm/re2.js";

const load = createRequire(import.meta.url);
let engine: Engine | undefined;

function readShipped(name: string): Uint8Array<ArrayBuffer> {
  const packed = readShippedFile(`node_modules/re2-wasm/build/wasm/${name}.br`);
  return new Uint8Array(brotliDecompressSync(packed));
}

/**
 * Evaluates the module in the compiled program. A normal import would look for a file next to the
 * module.
 */
function evaluateShipped(): Engine {
  const code = new TextDecoder().decode(readShipped("re2.js"));
  const evaluate = compileFunction(code, ["Module", "module", "require", "__dirname"], {
    filename: "re2.js",
  });
  const module: { exports: unknown } = { exports: {} };
  evaluate({ wasmBinary: readShipped("re2.wasm") }, module, load, "/");
  return module.exports as Engine;
}

/** Loads or reloads the engine. */
function loadEngine(): Engine {
  if (Deno.build.standalone) return evaluateShipped();
  delete load.cache[load.resolve(RE2_WASM_MODULE)];
  return load(RE2_WASM_MODULE) as Engine;
}

/** This version of RE2, from 2021, supports named groups only in the form `(?P<name>…)`. */
function withOldGroupNames(pattern: string): string {
  return pattern.replace(/\(\?<(?![=!])/g, "(?P<");
}

/**
 * Compiles a pattern with RE2 and frees it. Returns RE2's error message, or `undefined` if the
 * pattern is valid. Must be called only with patterns of limited cost. The engine is reloaded if it
 * runs out of memory.
 */
export function judgeWithRe2(pattern: string): string | undefined {
  engine ??= loadEngine();
  try {
    const compiled = new engine.WrappedRE2(withOldGroupNames(pattern), false, false, false);
    const fault = compiled.ok() ? undefined : compiled.error();
    compiled.delete();
    return fault;
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    engine = undefined;
    return "pattern too large";
  }
}
