/**
 * Words of suggested command lines.
 *
 * @module
 */
import { printable } from "./format.ts";

/** A word that a POSIX shell reads as it is: in quotes where it needs them. */
export function shellWord(text: string): string {
  const shown = printable(text);
  return /^[\w./:=@%+,-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
}
