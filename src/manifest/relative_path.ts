/** @module Paths inside the output directory, as written in a manifest. */

type RelativePathResult =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: string };

const refuse = (reason: string): RelativePathResult => ({ ok: false, reason });

/** Returns true for the C0 controls, DEL and the C1 controls. */
export function hasControlCharacter(text: string): boolean {
  // deno-lint-ignore no-control-regex -- matches control characters on purpose
  return /[\u0000-\u001f\u007f-\u009f]/.test(text);
}

/**
 * Reads a path that must stay inside the output directory and normalizes it: `./a//b/` becomes
 * `a/b`, and the directory itself becomes `.`. Rejects absolute paths, drive letters, backslashes,
 * `..`, control characters and unpaired surrogates, even if the path would not leave the directory.
 */
export function parseRelativePath(text: string): RelativePathResult {
  if (hasControlCharacter(text)) return refuse("has a control character");
  if (!text.isWellFormed()) return refuse("is not valid Unicode");
  if (text.includes("\\")) return refuse('has a backslash: separate folders with "/"');
  if (text.startsWith("/")) return refuse('starts with "/": it must be relative');
  const steps = text.split("/").filter((step) => step !== "" && step !== ".");
  if (/^[A-Za-z]:/.test(steps[0] ?? "")) return refuse("has a drive letter: it must be relative");
  if (steps.includes("..")) return refuse('has "..": it must stay in the output directory');
  return { ok: true, path: steps.length === 0 ? "." : steps.join("/") };
}
