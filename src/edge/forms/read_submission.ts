/** @module Reads a form within limits: URL-encoded or `multipart/form-data` (RFC 7578). */
import { MAX_FIELD_NAME, MAX_FORM_FIELDS } from "../../lib/form_limits.ts";
import type { FormSettings } from "../../manifest/mod.ts";
import { readLimited } from "../../lib/read_limited.ts";
import { decodeUtf8 } from "../../lib/utf8.ts";
import type { Bytes } from "../messages/body.ts";
import type { FormField, FormFile, Submission } from "./submission.ts";

/**
 * Maximum total size of a submission's text fields, in bytes. The limit exists because a record in
 * the store can be at most 64 KiB.
 */
export const MAX_TEXT_BYTES = 28 * 1024;
/** Maximum size of a body without files, in bytes. Percent-encoding can triple the size of text. */
const MAX_ENCODED_BYTES = 3 * MAX_TEXT_BYTES;
/** Maximum size of a body with files, in bytes. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_FILES = 5;
/**
 * Maximum number of parts in a body, including empty file fields. Many thousands of parts would
 * make the parser block everything else for seconds.
 */
const MAX_PARTS = 4 * MAX_FORM_FIELDS;
const MAX_FILE_NAME = 200;
/** Timeout for reading a body, in milliseconds. */
const READ_MS = 60_000;

const URLENCODED = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data";
const DEFAULT_HONEYPOT = "_gotcha";
/** The form field that contains the path of the next page. */
const NEXT_FIELD = "_next";
/** Maximum number of links in all text fields together, before the submission counts as spam. */
const MAX_LINKS = 5;

/** Replaces bytes that are not UTF-8. */
const NOT_UTF8 = "\ufffd";

/** A rejected form submission, with the status and a message for the visitor. */
export class FormRefusal extends Error {
  override readonly name = "FormRefusal";

  constructor(readonly status: 400 | 408 | 413 | 415 | 422, message: string) {
    super(message);
  }
}

const damaged = () => new FormRefusal(400, "The form arrived incomplete or damaged.");
const tooLarge = () => new FormRefusal(413, "The form or its files are too large.");

type Entry = readonly [name: string, value: string | File];

interface FormBody {
  readonly contentType: string | null;
  readonly body: ReadableStream<Bytes> | null;
}

async function readBytes({ body }: FormBody, maxBytes: number): Promise<Bytes> {
  const timeout = AbortSignal.timeout(READ_MS);
  let bytes: Bytes | undefined;
  try {
    const limited = body?.pipeThrough(new TransformStream<Bytes, Bytes>(), { signal: timeout });
    bytes = await readLimited(limited ?? null, maxBytes);
  } catch {
    throw timeout.aborted ? new FormRefusal(408, "The form took too long to arrive.") : damaged();
  }
  if (bytes === undefined) throw tooLarge();
  return bytes;
}

function parseUrlencoded(bytes: Bytes): Entry[] {
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) throw new FormRefusal(400, "The form is not UTF-8.");
  return [...new URLSearchParams(decoded.text)];
}

/** Whether text contains the string `mark` more than `most` times. */
function hasMore(text: string, mark: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, at + mark.length)) {
    if (++count > most) return true;
  }
  return false;
}

async function parseMultipart(bytes: Bytes, contentType: string): Promise<Entry[]> {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ??
    [];
  const boundary = quoted ?? bare;
  // The parser would treat a truncated body as complete.
  const text = new TextDecoder("latin1").decode(bytes);
  if (boundary === undefined || boundary.includes("\\")) throw damaged();
  if (!text.slice(-128).trimEnd().endsWith(`--${boundary}--`)) throw damaged();
  if (hasMore(text, `--${boundary}`, MAX_PARTS + 1)) {
    throw new FormRefusal(400, `A form can have at most ${MAX_FORM_FIELDS} fields.`);
  }
  // The parser must use the same boundary that was used to count the parts.
  const headers = { "content-type": `${MULTIPART}; boundary="${boundary}"` };
  try {
    const form = await new Response(bytes, { headers }).formData();
    return [...form];
  } catch {
    throw damaged();
  }
}

async function readEntries(sent: FormBody): Promise<Entry[]> {
  const contentType = sent.contentType ?? "";
  const type = contentType.split(";")[0]!.trim().toLowerCase();
  if (type === URLENCODED) return parseUrlencoded(await readBytes(sent, MAX_ENCODED_BYTES));
  if (type === MULTIPART) {
    return await parseMultipart(await readBytes(sent, MAX_BODY_BYTES), contentType);
  }
  await sent.body?.cancel();
  throw new FormRefusal(415, `Send the form as ${URLENCODED} or ${MULTIPART}.`);
}

/** Returns the last part of a file name or path, without unsafe characters. */
function fileName(name: string): string {
  const last = name.split(/[\\/]/).at(-1)!.replace(/\p{Cc}/gu, "");
  return [...last].slice(-MAX_FILE_NAME).join("") || "file";
}

function refuseTooMuch(entries: readonly Entry[]): void {
  if (entries.length > MAX_FORM_FIELDS) {
    throw new FormRefusal(400, `A form can have at most ${MAX_FORM_FIELDS} fields.`);
  }
  let bytes = 0;
  for (const [name, value] of entries) {
    const text = typeof value === "string" ? value : value.name;
    if (name === "" || name.length > MAX_FIELD_NAME) {
      throw new FormRefusal(400, "A field of the form has no name, or a name that is too long.");
    }
    if (name.includes(NOT_UTF8) || text.includes(NOT_UTF8)) {
      throw new FormRefusal(400, "The form is not UTF-8.");
    }
    bytes += new TextEncoder().encode(name + text).byteLength;
  }
  if (bytes > MAX_TEXT_BYTES) throw tooLarge();
  if (entries.filter(([, value]) => typeof value !== "string").length > MAX_FILES) {
    throw new FormRefusal(400, `A form can have at most ${MAX_FILES} files.`);
  }
}

/** Returns the reason why the text fields look like spam, or null if they do not. */
function spamReason(fields: readonly FormField[], honeypot: string | undefined): string | null {
  if (honeypot !== undefined && honeypot !== "") return "The hidden field was filled in";
  const text = fields.map(({ value }) => value).join("\n");
  if (/\[url=|<a\s+href/i.test(text)) return "It contains links as markup";
  if ((text.match(/https?:\/\//gi)?.length ?? 0) > MAX_LINKS) return "It contains many links";
  return null;
}

/**
 * Reads a visitor's submission, and the next page that the form names.
 *
 * @throws {FormRefusal}
 */
export async function readSubmission(
  sent: FormBody,
  form: FormSettings,
): Promise<Omit<Submission, "page"> & { readonly next: string | undefined }> {
  const { honeypot = DEFAULT_HONEYPOT, required = [], fields: stored } = form;
  const all = (await readEntries(sent))
    // A browser sends an empty file if the visitor didn't choose one.
    .filter(([, value]) => typeof value === "string" || value.name !== "" || value.size > 0);
  refuseTooMuch(all);
  const textOf = (name: string) =>
    all.flatMap(([key, value]) => key === name && typeof value === "string" ? [value] : [])[0];
  const missing = required.find((name) =>
    !all.some(([key, value]) =>
      key === name && (typeof value === "string" ? value.trim() !== "" : value.size > 0)
    )
  );
  const trap = textOf(honeypot);
  if (missing !== undefined && !trap) {
    // The message becomes part of an HTML page, so special characters are removed.
    throw new FormRefusal(422, `Fill in the field "${missing.replace(/[<>&"]/g, "")}".`);
  }
  const isStored = (name: string) =>
    name !== honeypot && name !== NEXT_FIELD && (stored === undefined || stored.includes(name));
  const fields: FormField[] = [];
  const files: FormFile[] = [];
  for (const [name, value] of all) {
    if (!isStored(name)) continue;
    if (typeof value === "string") fields.push({ name, value });
    else {
      const isType = /^[a-z0-9.+-]{1,60}\/[a-z0-9.+-]{1,60}$/.test(value.type);
      files.push({
        field: name,
        name: fileName(value.name),
        contentType: isType ? value.type : "application/octet-stream",
        bytes: await value.bytes() as Bytes,
      });
    }
  }
  return { fields, files, spam: spamReason(fields, trap), next: textOf(NEXT_FIELD) };
}
