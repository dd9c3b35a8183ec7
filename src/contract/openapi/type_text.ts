/** Describes schemas in words. @module */
import { alternatives, type SchemaNode } from "./schema_node.ts";

/** Maximum number of enumeration values to list. */
const MAX_VALUES = 8;

/** Describes the type of a schema, such as `string (uuid)`, `Project[]` or `"GET" or "POST"`. */
export function typeText(schema: SchemaNode): string {
  const { $ref, type, format, enum: values, const: only, items } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1);
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) {
    const shown = values.slice(0, MAX_VALUES).map((value) => JSON.stringify(value));
    return shown.join(" or ") + (values.length > MAX_VALUES ? " or …" : "");
  }
  const choices = alternatives(schema);
  if (choices.length > 0) return [...new Set(choices.map(typeText))].join(" or ");
  if (type === "array") return items === undefined ? "array" : `${typeText(items)}[]`;
  const name = type === undefined ? "any" : [type].flat().join(" or ");
  return format === undefined ? name : `${name} (${format})`;
}
