/** Finds examples for schemas: the one in the schema, or the simplest valid value. @module */
import { alternatives, type Components, resolve, type SchemaNode } from "./schema_node.ts";

const FORMATS: Readonly<Record<string, string>> = {
  uuid: "019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e01",
  "date-time": "2026-11-22T09:30:00.000Z",
  date: "2026-11-22",
  uri: "https://shop.example.net",
};

/** Returns an example for a schema. */
export function exampleOf(schema: SchemaNode, components: Components): unknown {
  const { example, examples, enum: values, const: only, default: usual } = schema;
  if (example !== undefined) return example;
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
      return FORMATS[schema.format ?? ""] ?? "text";
    default:
      return {};
  }
}
