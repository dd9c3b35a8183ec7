/** Converts build output to lines that are safe to store and show. Pure. @module */
import type { ChunkMasker, SecretMasker } from "../../../lib/mask_secrets.ts";

/** Maximum length of a line, in characters. A longer line is split. */
const MAX_LINE = 4096;

/** Terminal escape sequences (ECMA-48): CSI, OSC and other strings, and single characters. */
// deno-lint-ignore no-control-regex -- matches control characters on purpose
const SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])/g;

/** The remaining control characters, and characters that change the text direction. */
// deno-lint-ignore no-control-regex -- matches control characters on purpose
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Removes everything that could control a terminal or hide text. */
export function plainText(text: string): string {
  return text.replace(SEQUENCE, "").replace(CONTROL, "").toWellFormed();
}

export interface LineStream {
  push(chunk: string): void;
  end(): void;
}

/** Masks secrets, even across lines. A carriage return ends a line, as in progress bars. */
export function createLineStream(
  masker: SecretMasker,
  say: (line: string) => void,
): LineStream {
  const masking: ChunkMasker = masker.chunks();
  let rest = "";
  const take = (text: string) => {
    const lines = (rest + text).split(/\r\n|[\n\r]/);
    rest = lines.pop() ?? "";
    while (rest.length > MAX_LINE) {
      lines.push(rest.slice(0, MAX_LINE));
      rest = rest.slice(MAX_LINE);
    }
    for (const line of lines) sayPlain(line);
  };
  const sayPlain = (line: string) => {
    // An escape sequence inside a secret hides the secret from the first pass.
    const plain = masker.mask(plainText(line));
    for (let at = 0; at < plain.length; at += MAX_LINE) say(plain.slice(at, at + MAX_LINE));
  };
  return {
    push: (chunk) => take(masking.push(chunk)),
    end() {
      take(masking.end());
      if (rest !== "") sayPlain(rest);
      rest = "";
    },
  };
}
