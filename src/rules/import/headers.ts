/**
 * @module Converts a Netlify or Cloudflare `_headers` file into rules. A path on its own line is
 * followed by indented lines: `Name: value`, or `! Name` to remove a header.
 */
import { ImportCollector, type ImportOptions, type ImportResult } from "./import_result.ts";
import { HeaderCollector } from "./header_rules.ts";

/** Turns the text of a `_headers` file into a rule set. */
export function importHeaders(text: string, options: ImportOptions = {}): ImportResult {
  const collector = new ImportCollector();
  const headers = new HeaderCollector(collector, options.flavor ?? "netlify");
  for (const [index, line] of text.replace(/^\uFEFF/, "").split(/\r?\n/).entries()) {
    const content = line.trim();
    if (content === "" || content.startsWith("#")) continue;
    const source = { line: index + 1, text: line };
    if (isPathLine(line)) headers.path(source, { id: `headers-${index + 1}`, path: content });
    else headers.header(source, content);
  }
  headers.finish();
  return collector.result();
}

/**
 * Returns whether a line starts a block: it contains a path or URL with any indentation, or text
 * without a colon, which cannot be a header.
 */
function isPathLine(line: string): boolean {
  return /^\s*(?:\/|https?:\/\/)/i.test(line) || (/^\S/.test(line) && !line.includes(":"));
}
