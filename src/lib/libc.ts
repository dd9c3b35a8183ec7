/** @module C library functions that the runtime does not offer. */

/**
 * Opens functions of the GNU C library on first use. Returns `undefined` on systems without the
 * library, such as macOS, Windows or Alpine.
 */
export function lazyLibc<const Symbols extends Deno.ForeignLibraryInterface>(
  symbols: Symbols,
): () => Deno.DynamicLibrary<Symbols>["symbols"] | undefined {
  let opened: Deno.DynamicLibrary<Symbols>["symbols"] | undefined;
  return () => {
    if (Deno.build.os !== "linux") return undefined;
    try {
      return opened ??= Deno.dlopen("libc.so.6", symbols).symbols;
    } catch {
      return undefined;
    }
  };
}
