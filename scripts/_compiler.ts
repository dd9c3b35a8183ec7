/**
 * Which Deno compiles the program. Deno downloads the base runtime of its own
 * version; where `DENORT_BIN` names another one, the compiler has to be of a
 * version whose output that runtime can read.
 *
 * @module
 */

/** Compilers from npm for runtimes whose own version is not there. */
const COMPILERS: Readonly<Record<string, string>> = { "2.6.10": "2.7.14" };

/**
 * Flags of V8 for runtimes that need them. In 2.6, each 64 MB of buffers lead to a full
 * garbage collection, which large responses reach some times a second; with this flag,
 * they count as what the heap holds, as in later versions, which do not know the flag.
 */
const V8_FLAGS: Readonly<Record<string, readonly string[]>> = {
  "2.6.10": ["--external-memory-accounted-in-global-limit"],
};

/** Flags of V8 for programs of a base runtime, of which only the version is known. */
export const v8Flags = (runtime: string): readonly string[] => V8_FLAGS[runtime] ?? [];

/** Reads the version that a base runtime carries in its user agent. */
export function runtimeVersion(runtime: Uint8Array): string | undefined {
  const marker = new TextEncoder().encode("Deno/");
  let at = -1;
  while ((at = indexOf(runtime, marker, at + 1)) !== -1) {
    const text = new TextDecoder().decode(runtime.subarray(at + 5, at + 25));
    const version = /^\d+\.\d+\.\d+/.exec(text)?.[0];
    if (version !== undefined) return version;
  }
  return undefined;
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  for (
    let at = bytes.indexOf(wanted[0]!, from);
    at !== -1;
    at = bytes.indexOf(wanted[0]!, at + 1)
  ) {
    if (wanted.every((byte, offset) => bytes[at + offset] === byte)) return at;
  }
  return -1;
}

export interface CompilerFacts {
  /** Version asked for by `--compiler`. */
  readonly asked?: string;
  /** Version of the runtime that `DENORT_BIN` names. */
  readonly runtime?: string;
  /** Version and path of the Deno that runs the task. */
  readonly own: { readonly version: string; readonly path: string };
}

/** The command that starts the compiler. */
export function chooseCompiler(facts: CompilerFacts): readonly [string, ...string[]] {
  const { asked, runtime, own } = facts;
  const version = asked ??
    (runtime === undefined ? own.version : COMPILERS[runtime] ?? runtime);
  return version === own.version ? [own.path] : ["npx", "-y", `deno@${version}`];
}
