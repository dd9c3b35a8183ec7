/**
 * Gives each field of the document an example: the one in its schema, or the simplest valid value.
 * @module
 */
import { exampleOf } from "./example.ts";
import { alternatives, type Components, type SchemaNode } from "./schema_node.ts";

export interface ParameterNode {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: SchemaNode;
  description?: string;
  example?: unknown;
}

/** Returns the schemas inside a schema, except for its properties. */
function partsOf(schema: SchemaNode): SchemaNode[] {
  const { items, additionalProperties: others } = schema;
  return [
    ...alternatives(schema),
    ...(items === undefined ? [] : [items]),
    ...(typeof others === "object" ? [others] : []),
  ];
}

function refersToOthers(schema: SchemaNode): boolean {
  return schema.$ref !== undefined ||
    [...partsOf(schema), ...Object.values(schema.properties ?? {})].some(refersToOthers);
}

/** Replaces `example`, which JSON Schema does not have, with `examples`. */
function renameExample(schema: SchemaNode): void {
  if (schema.example === undefined) return;
  schema.examples = [schema.example];
  delete schema.example;
}

/**
 * Adds examples to a schema. Must be called twice, because fields can refer to components that must
 * be filled first.
 */
export function fillSchema(
  schema: SchemaNode,
  options: { readonly components: Components; readonly isLast: boolean },
): void {
  renameExample(schema);
  for (const property of Object.values(schema.properties ?? {})) {
    fillSchema(property, options);
    if (options.isLast || !refersToOthers(property)) {
      property.examples ??= [exampleOf(property, options.components)];
    }
  }
  for (const part of partsOf(schema)) fillSchema(part, options);
}

/** Adds an example to a parameter of an operation. */
export function fillParameter(parameter: ParameterNode, components: Components): void {
  const { schema = {} } = parameter;
  renameExample(schema);
  parameter.description ??= schema.description;
  parameter.example ??= exampleOf(schema, components);
}
