/** @module Converts the setting for page URLs in a `wrangler` file, which contains no rules. */
import * as z from "zod";
import { parseToml } from "../../lib/toml.ts";
import { MAX_DEPTH } from "../limits.ts";
import {
  ImportCollector,
  type ImportResult,
  type SourceLine,
  UnreadableImportError,
} from "./import_result.ts";
import { HTML_HANDLINGS, readHtmlHandling } from "./page_settings.ts";

/** Maximum size of a file, in bytes. */
const MAX_BYTES = 1024 * 1024;

const wranglerSchema = z.object({
  assets: z.object({ html_handling: z.unknown().optional() }).optional(),
});

const COMMENT = /("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/g;
const LAST_COMMA = /("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g;

/** Parses JSON with comments and trailing commas. */
function parseJsonc(text: string): unknown {
  const plain = text.replace(COMMENT, (_, string?: string) => string ?? "")
    .replace(LAST_COMMA, (_, string?: string) => string ?? "");
  try {
    return JSON.parse(plain);
  } catch (error) {
    throw new UnreadableImportError(`It is not JSON: ${(error as Error).message}`);
  }
}

function parse(text: string): unknown {
  if (/^\s*(?:\{|\/[/*])/.test(text)) return parseJsonc(text);
  const parsed = parseToml(text, { maxBytes: MAX_BYTES, maxDepth: MAX_DEPTH });
  if (parsed.ok) return parsed.document.value;
  throw new UnreadableImportError(parsed.diagnostics[0]?.message ?? "It is not valid TOML");
}

function lineOf(text: string): SourceLine {
  const lines = text.split(/\r?\n/);
  const at = lines.findIndex((line) => /^[^#/]*\bhtml_handling\b/.test(line));
  return { line: Math.max(at, 0) + 1, text: lines[at] ?? "" };
}

/**
 * Turns the `html_handling` of the assets in a `wrangler.toml`, `wrangler.json` or `wrangler.jsonc`
 * into settings.
 *
 * @throws {UnreadableImportError} if the text is neither TOML nor JSON
 */
export function importWrangler(written: string): ImportResult {
  const text = written.replace(/^\uFEFF/, "");
  const collector = new ImportCollector();
  const value = wranglerSchema.safeParse(parse(text)).data?.assets?.html_handling;
  if (value === undefined) return collector.result();
  const settings = readHtmlHandling(value);
  if (settings === undefined) {
    collector.refuse(lineOf(text), `html_handling must be one of ${HTML_HANDLINGS.join(", ")}`);
  } else collector.set(settings);
  return collector.result();
}
