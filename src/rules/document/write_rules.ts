import type { RuleSet } from "../rule_set/types.ts";

const MAX_LINE = 100;
const BARE_KEY = /^[A-Za-z0-9_-]+$/;

function writeText(text: string): string {
  return JSON.stringify(text.toWellFormed()).replaceAll("\x7f", "\\u007f");
}

const writeKey = (key: string): string => (BARE_KEY.test(key) ? key : writeText(key));

function writeInline(value: unknown): string {
  if (typeof value === "string") return writeText(value);
  if (Array.isArray(value)) return `[${value.map(writeInline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const fields = fieldsOf(value).map(([key, field]) => `${writeKey(key)} = ${writeInline(field)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

function fieldsOf(table: object): [string, unknown][] {
  return Object.entries(table).filter(([, value]) => value !== undefined);
}

/** Writes `key = value` on one line if it fits, otherwise split at the outermost list or table. */
function writeField(key: string, value: unknown): string[] {
  const line = `${key} = ${writeInline(value)}`;
  if (line.length <= MAX_LINE || typeof value !== "object" || value === null) return [line];
  if (Array.isArray(value)) {
    return [`${key} = [`, ...value.map((item) => `  ${writeInline(item)},`), "]"];
  }
  const fields = fieldsOf(value);
  if (fields.length === 0) return [line];
  return fields.flatMap(([name, field]) => writeField(`${key}.${writeKey(name)}`, field));
}

function writeRule(rule: RuleSet["rules"][number]): string[] {
  const { id, name, enabled, condition, action } = rule;
  return [
    "[[rules]]",
    ...fieldsOf({ id, name, enabled }).flatMap(([key, value]) => writeField(key, value)),
    ...(condition === undefined ? [] : writeCondition(condition)),
    ...writeField("action", action),
  ];
}

function writeCondition(condition: object): string[] {
  const fields = fieldsOf(condition);
  return fields.length === 0
    ? ["condition = {}"]
    : fields.flatMap(([key, value]) => writeField(`condition.${key}`, value));
}

/**
 * Writes a rule set as `svc.rules.toml`. Parsing the result returns the same set, unless a string
 * in it contains a lone surrogate, which TOML cannot represent.
 */
export function writeRulesToml(ruleSet: RuleSet): string {
  const head = writeField("schemaVersion", ruleSet.schemaVersion);
  if (ruleSet.source !== undefined) head.push(...writeField("source", ruleSet.source));
  if (ruleSet.rules.length === 0) head.push("rules = []");
  return [head, ...ruleSet.rules.map(writeRule)].map((lines) => `${lines.join("\n")}\n`).join("\n");
}
