/**
 * Examples of schemas: what they name themselves, else the usual words for a
 * field, else the simplest value that fits.
 *
 * @module
 */
import { alternatives, type Components, resolve, type SchemaNode } from "./schema_node.ts";

const FORMATS: Readonly<Record<string, { readonly fits: RegExp; readonly example: string }>> = {
  uuid: {
    fits: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    example: "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e01",
  },
  "date-time": { fits: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, example: "2026-11-22T09:30:00.000Z" },
  date: { fits: /^\d{4}-\d\d-\d\d$/, example: "2026-11-22" },
  uri: { fits: /^[a-z]+:\/\//, example: "https://shop.example.net" },
};

/** Numbers of a named scalar type or an array, as JSON Schema has them. */
function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function fitsType(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  return typeOf(value) === type;
}

function fitsText(value: string, { format, pattern, minLength, maxLength }: SchemaNode): boolean {
  if (format !== undefined && !(FORMATS[format]?.fits.test(value) ?? true)) return false;
  if (pattern !== undefined && !new RegExp(pattern, "u").test(value)) return false;
  return value.length >= (minLength ?? 0) && value.length <= (maxLength ?? Infinity);
}

/** Whether usual words for a name make an example of what the field is here. */
export function fits(value: unknown, schema: SchemaNode, components: Components): boolean {
  const { type, enum: values, const: only } = schema;
  if (schema.$ref !== undefined) return fits(value, resolve(schema, components), components);
  const choices = alternatives(schema);
  if (choices.length > 0) return choices.some((each) => fits(value, each, components));
  if (only !== undefined) return value === only;
  if (values !== undefined) return values.includes(value);
  if (type !== undefined && ![type].flat().some((each) => fitsType(value, each))) return false;
  if (typeof value === "string") return fitsText(value, schema);
  if (Array.isArray(value)) {
    return value.length >= (schema.minItems ?? 0) &&
      value.every((item) => fits(item, schema.items ?? {}, components));
  }
  if (typeof value !== "object" || value === null) return true;
  const members = value as Record<string, unknown>;
  return (schema.required ?? []).every((name) => Object.hasOwn(members, name)) &&
    Object.entries(members).every(([name, member]) =>
      fits(member, schema.properties?.[name] ?? {}, components)
    );
}

/** The example of a schema. */
export function exampleOf(schema: SchemaNode, components: Components): unknown {
  const { examples, enum: values, const: only, default: usual } = schema;
  if (examples !== undefined) return examples[0];
  if (schema.$ref !== undefined) return exampleOf(resolve(schema, components), components);
  if (only !== undefined) return only;
  if (values !== undefined) return values[0];
  if (usual !== undefined) return usual;
  const choices = alternatives(schema);
  if (choices.length > 0) return exampleOf(choices[0]!, components);
  return simplest(schema, components);
}

function simplest(schema: SchemaNode, components: Components): unknown {
  switch ([schema.type].flat()[0]) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, property]) => [
          name,
          exampleOf(property, components),
        ]),
      );
    case "array":
      return schema.items === undefined ? [] : [exampleOf(schema.items, components)];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    case "null":
      return null;
    case "string":
      return FORMATS[schema.format ?? ""]?.example ?? "text";
    default:
      return {};
  }
}
