/** @module Formats a value from a key-value store for a page. Pure. */
import type { KvValue } from "../../contract/kv.ts";

/**
 * Maximum length of a displayed value, in characters. An escaped character takes up to six
 * characters in the page's HTML.
 */
const MAX_SHOWN = 10_000;
/** Maximum length of a displayed key, in characters. */
const MAX_SHOWN_KEY = 160;

export interface ShownKvValue extends Omit<KvValue, "value" | "encoding"> {
  /** The value or its beginning. */
  readonly shown: string;
  /** The reason why a form cannot represent the value; missing if a form can. */
  readonly whyFixed?: string;
}

// deno-lint-ignore no-control-regex -- matches control characters, which a page cannot show
const UNSEEN = /[\x00-\x1f\x7f\u2028\u2029]/;

/** Formats a key for a page. Escapes control characters and limits the length. */
export function shownKey(key: string): string {
  const text = UNSEEN.test(key) ? JSON.stringify(key).slice(1, -1) : key;
  return text.length > MAX_SHOWN_KEY ? `${text.slice(0, MAX_SHOWN_KEY)}…` : text;
}

// deno-lint-ignore no-control-regex -- matches characters that HTML cannot represent
const NOT_IN_FORMS = /[\x00-\x08\x0b-\x1f\x7f]/;

function whyFixed({ encoding, value }: KvValue): string | undefined {
  if (encoding === "base64") {
    return "This value is binary and is shown as base64. Change it from code or through the API.";
  }
  if (value.length > MAX_SHOWN) {
    return `This value is too long to edit here. Its first ${MAX_SHOWN} characters are shown. Change it from code or through the API.`;
  }
  // Browsers send every line break as CRLF, so a lone CR would be lost.
  if (NOT_IN_FORMS.test(value)) {
    return "This value contains control characters, so you can't edit it here. Change it from code or through the API.";
  }
  return undefined;
}

/** Prepares a value for a page. */
export function showKvValue(found: KvValue): ShownKvValue {
  const { value, encoding: _, ...facts } = found;
  const why = whyFixed(found);
  return {
    ...facts,
    shown: value.slice(0, MAX_SHOWN),
    ...(why === undefined ? {} : { whyFixed: why }),
  };
}
