/** @module Emails sent by the project's code, which are caught instead of delivered. Pure. */

/** Maximum number of emails to remember. */
const MAX_MAILS = 100;

export interface CaughtMail {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The envelope, as sent to the mail server. */
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  /** The unchanged message. */
  readonly source: string;
}

const WORD = /=\?([\w-]+)\?([bq])\?([^?]*)\?=(?:\s+(?==\?))?/gi;

function decodeWord(charset: string, encoding: string, text: string): string {
  const binary = encoding.toLowerCase() === "b" ? atob(text) : text.replaceAll("_", " ").replace(
    /=([0-9a-f]{2})/gi,
    (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)),
  );
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new TextDecoder(charset).decode(bytes);
}

/**
 * Decodes the encoded words in a field (RFC 2047). Returns the field unchanged if that is not
 * possible.
 */
export function decodeWords(value: string): string {
  try {
    return value.replace(WORD, (_, charset, encoding, text) => decodeWord(charset, encoding, text));
  } catch {
    return value;
  }
}

/** Returns the value of a message's header field, or "" if it has none. */
export function fieldOf(source: string, name: string): string {
  const [head = ""] = source.split(/\r?\n\r?\n/, 1);
  const unfolded = head.replace(/\r?\n[ \t]+/g, " ");
  const line = unfolded.split(/\r?\n/).find((each) =>
    each.toLowerCase().startsWith(`${name.toLowerCase()}:`)
  );
  return line === undefined ? "" : decodeWords(line.slice(name.length + 1).trim());
}

/** The caught emails, oldest first. */
export class Mails {
  #mails: CaughtMail[] = [];

  add(mail: Omit<CaughtMail, "subject">): CaughtMail {
    const caught = { ...mail, subject: fieldOf(mail.source, "Subject") };
    this.#mails = [...this.#mails, caught].slice(-MAX_MAILS);
    return caught;
  }

  latest(): readonly CaughtMail[] {
    return this.#mails.toReversed();
  }

  clear(): void {
    this.#mails = [];
  }
}
