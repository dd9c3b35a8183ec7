/**
 * @module Predicts from a statement's text which state the statement may leave in the backend. The
 * text is searched, not parsed. A false positive costs one query to the backend.
 */
import { type AdvisoryCall, advisoryCall } from "./advisory_call.ts";

export interface StatementTraits {
  /** True if the statement may leave temporary tables, cursors or prepared statements. */
  readonly pins: boolean;
  /** True if the statement may acquire or release advisory locks. */
  readonly locks: boolean;
  /** True if the statement may take advisory locks. */
  readonly takes: boolean;
  /** True if the statement only acquires one advisory lock. */
  readonly call?: AdvisoryCall | undefined;
  /** True if the statement may drop the temporary tables of all clients. */
  readonly discards: boolean;
}

export const PLAIN: StatementTraits = { pins: false, locks: false, takes: false, discards: false };

/** Every statement with side effects contains one of these words. */
const SUSPECT = /temp|hold|prepare|\b(?:do|call)\b|discard|advisory/i;

export function traitsOf(text: string): StatementTraits {
  if (!SUSPECT.test(text)) return PLAIN;
  const pins = /\btemp(?:orary)?\b|\bpg_temp|\bhold\b|\bprepare\b|\b(?:do|call)\b/i.test(text);
  const discards = /\bdiscard\s+(?:all|temp)/i.test(text);
  const locks = /advisory/i.test(text) || /\bdiscard\s+all/i.test(text);
  const takes = /advisory_(?:xact_)?lock/i.test(text);
  return { pins, locks, takes, discards, call: takes ? advisoryCall(text) : undefined };
}

const IDENTIFIER = String.raw`("(?:[^"]|"")+"|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)`;

/** Converts an identifier the way the server does: folded to lower case unless quoted. */
function identifier(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll('""', '"') : text.toLowerCase();
}

const DEALLOCATE = new RegExp(
  String.raw`^\s*deallocate\s+(?:prepare\s+)?${IDENTIFIER}\s*;?\s*$`,
  "i",
);

/** Returns the name of the statement that `text` deallocates, if it does only that. */
export function deallocatedBy(text: string): string | undefined {
  const found = DEALLOCATE.exec(text)?.[1];
  return found === undefined || /^all$/i.test(found) ? undefined : identifier(found);
}

const LISTEN = new RegExp(String.raw`(?:^|;)\s*listen\s+${IDENTIFIER}`, "gi");
const UNLISTEN = new RegExp(String.raw`(?:^|;)\s*unlisten\s+(?:${IDENTIFIER}|\*)`, "gi");

/** Returns the channels that `text` starts or stops listening to. `*` means all channels. */
export function channelsOf(
  text: string,
): { readonly listen: readonly string[]; readonly unlisten: readonly string[] } {
  const listen = [...text.matchAll(LISTEN)].map((match) => identifier(match[1]!));
  const unlisten = [...text.matchAll(UNLISTEN)]
    .map((match) => match[1] === undefined ? "*" : identifier(match[1]));
  return { listen, unlisten };
}
