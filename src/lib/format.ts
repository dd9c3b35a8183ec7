/** @module Formats counts, sizes and untrusted text for display. */

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Returns a size with its binary unit: `13.4 KiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1023.95 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Returns `1 file`, `2 files`. Nouns such as `entry` need their plural. */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

// deno-lint-ignore no-control-regex -- matches control characters on purpose
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes untrusted text safe for a terminal. Replaces control characters with `\xNN`, because
 * otherwise a visitor's user agent, for example, could move the cursor or hide text.
 */
export function printable(text: string): string {
  return text.replace(CONTROL, escaped);
}

/**
 * Makes an untrusted name safe for a terminal. Also replaces line breaks and tabs, because names
 * are shown on one line.
 */
export function printableName(name: string): string {
  return name.replace(/[\t\n\u2028\u2029]/g, escaped).replace(CONTROL, escaped);
}

function escaped(character: string): string {
  const code = character.charCodeAt(0);
  return code < 256
    ? `\\x${code.toString(16).padStart(2, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}
