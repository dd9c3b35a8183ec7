/** @module Hints for the most common syntax errors. */
import type { Diagnostic } from "../lib/diagnostic.ts";

function syntaxHint(source: string, diagnostic: Diagnostic): string | undefined {
  const { position, message } = diagnostic;
  if (position === undefined) return undefined;
  if (source.trimStart().startsWith("{")) return "Write the file as TOML: it looks like JSON";
  if (!message.includes("Unexpected")) return undefined;
  const line = source.split("\n", position.line)[position.line - 1] ?? "";
  const bare = /^\s*[\w.-]+\s*=\s*([A-Za-z./][^\s"'#]*)/.exec(line)?.[1];
  return bare === undefined ? undefined : `Put text in quotes: ${JSON.stringify(bare)}`;
}

/** Adds a hint to a syntax error, if svc has one for it. Other diagnostics do not change. */
export function withSyntaxHint(diagnostic: Diagnostic, source: string): Diagnostic {
  if (diagnostic.code !== "toml_syntax") return diagnostic;
  const hint = syntaxHint(source, diagnostic);
  return hint === undefined ? diagnostic : { ...diagnostic, hint };
}
