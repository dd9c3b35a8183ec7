/** @module Masks secrets in text, even if they are split across chunks. */

/** Text that replaces a secret. */
export const MASK = "•••";

/**
 * Minimum length of a value that is masked, in characters. Masking shorter values would make half
 * of every log unreadable.
 */
const MIN_SECRET_LENGTH = 4;

/** Minimum length for masking a single line of a multi-line secret, in characters. */
const MIN_LINE_LENGTH = 8;

/** Returns the forms in which programs may print a value. */
function formsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const lines = secret.includes("\n")
    ? secret.split(/\r?\n/).filter((line) => line.length >= MIN_LINE_LENGTH)
    : [];
  return [
    secret,
    ...lines,
    encodeURIComponent(secret.toWellFormed()),
    bytes.toBase64(),
    bytes.toBase64({ alphabet: "base64url", omitPadding: true }),
    JSON.stringify(secret).slice(1, -1),
  ];
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/**
 * Masks secrets in chunked text. If a chunk ends with what may be the start of a secret, that part
 * is held back.
 */
export interface ChunkMasker {
  /** Returns the text that can no longer be part of a secret. */
  push(chunk: string): string;
  /** Returns the remaining text. Call this at the end. */
  end(): string;
}

export interface SecretMasker {
  mask(text: string): string;
  chunks(): ChunkMasker;
}

/**
 * Returns the length of the longest suffix of `text` that is a prefix of a form, but not the whole
 * form.
 */
function openEnd(text: string, forms: readonly string[]): number {
  let longest = 0;
  for (const form of forms) {
    const first = form.charAt(0);
    const from = Math.max(0, text.length - form.length + 1);
    for (let at = text.indexOf(first, from); at !== -1; at = text.indexOf(first, at + 1)) {
      if (text.length - at <= longest) break;
      if (form.startsWith(text.slice(at))) longest = text.length - at;
    }
  }
  return longest;
}

/**
 * Creates a masker for secrets, including their Base64, percent-encoded and JSON forms. Secrets
 * shorter than four characters are not masked.
 */
export function createSecretMasker(secrets: Iterable<string>): SecretMasker {
  const wanted = [...secrets].filter((secret) => secret.length >= MIN_SECRET_LENGTH);
  const forms = [...new Set(wanted.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  if (forms.length === 0) {
    const same = (text: string) => text;
    return { mask: same, chunks: () => ({ push: same, end: () => "" }) };
  }
  const pattern = new RegExp(forms.map(escape).join("|"), "g");
  const mask = (text: string) => text.replace(pattern, MASK);
  return {
    mask,
    chunks() {
      let rest = "";
      return {
        push(chunk) {
          const text = rest + chunk;
          const open = openEnd(text, forms);
          // If the retained text would begin inside a secret, the cut is moved to the secret's
          // start.
          const cut = cutOutside(text, text.length - open, pattern);
          rest = text.slice(cut);
          return mask(text.slice(0, cut));
        },
        end() {
          const last = mask(rest);
          rest = "";
          return last;
        },
      };
    },
  };
}

/** Returns the given position, or the start of the secret that spans it. */
function cutOutside(text: string, place: number, pattern: RegExp): number {
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    if (match.index >= place) break;
    if (end > place) return match.index;
  }
  return place;
}
