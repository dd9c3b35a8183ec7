/**
 * @module The format in which all parsers and validators report a problem, with its position and a
 * hint.
 */

export type Severity = "error" | "warning";

/** A position in source text. Lines and columns start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
  /** Number of columns that the offending text spans on its line; 1 if unknown. */
  readonly length?: number;
}

export interface Diagnostic {
  readonly severity: Severity;
  /** Stable, machine-readable code in snake case, such as `unknown_key`. */
  readonly code: string;
  /**
   * Starts with a capital and has no final period. Contains the action, the subject, the wanted
   * state and the current value.
   */
  readonly message: string;
  /** Field path, such as `rules[3].condition.host`; empty for the whole document. */
  readonly path: string;
  /** A hint for the author. */
  readonly hint?: string;
  readonly position?: Position;
  /** The rule with the problem, if there is one. */
  readonly ruleId?: string;
}

/** One step of a field path: a property name or an array index. */
export type PathStep = string | number;

/**
 * Formats a field path, such as `layers[0].entry`. Names that are not plain words are quoted, as in
 * `headers["x y"]`.
 */
export function formatPath(steps: readonly PathStep[]): string {
  let text = "";
  for (const step of steps) {
    if (typeof step === "number") text += `[${step}]`;
    else if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === "" ? step : `.${step}`;
  }
  return text;
}

/** Returns true if at least one diagnostic is an error. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === "error");
}

/** Formats the known position of a diagnostic as `file:line:column`. */
export function formatPlace(file: string, position: Position | undefined): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`;
}

/** Maximum length of the source excerpt around a problem, in characters. */
const MAX_EXCERPT = 120;

function excerpt(source: string, position: Position): string[] {
  const line = source.split("\n", position.line)[position.line - 1]?.replace(/\r$/, "");
  if (line === undefined) return [];
  const start = Math.max(0, position.column - 1 - MAX_EXCERPT / 2);
  const shown = line.slice(start, start + MAX_EXCERPT).replace(/\t/g, " ");
  const indent = position.column - 1 - start;
  const room = Math.max(1, shown.length - indent);
  const marks = "^".repeat(Math.min(Math.max(1, position.length ?? 1), room));
  const gutter = String(position.line);
  return [
    `  ${gutter} | ${shown}`,
    `  ${" ".repeat(gutter.length)} | ${" ".repeat(indent)}${marks}`,
  ];
}

/**
 * Formats a diagnostic as readable text: severity and position, message, the line with a caret (if
 * the source is given), and the hint.
 */
export function renderDiagnostic(
  diagnostic: Diagnostic,
  origin: { readonly file: string; readonly source?: string },
): string {
  const where = formatPlace(origin.file, diagnostic.position);
  const subject = [
    diagnostic.ruleId === undefined ? "" : `rule "${diagnostic.ruleId}"`,
    diagnostic.path,
  ].filter((part) => part !== "").join(", ");
  const lines = [
    `${where}: ${diagnostic.severity}: ${
      subject === "" ? "" : `${subject}: `
    }${diagnostic.message}`,
  ];
  if (origin.source !== undefined && diagnostic.position !== undefined) {
    lines.push(...excerpt(origin.source, diagnostic.position));
  }
  if (diagnostic.hint !== undefined) lines.push(`  hint: ${diagnostic.hint}`);
  return lines.join("\n");
}
