/**
 * The parts of a JSON Schema (2020-12) in the document that are used here.
 *
 * @module
 */
export interface SchemaNode {
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  description?: string;
  /** As schemas of the contract name it; the document has `examples`. */
  example?: unknown;
  examples?: unknown[];
  properties?: Record<string, SchemaNode>;
  required?: string[];
  additionalProperties?: SchemaNode | boolean;
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  allOf?: SchemaNode[];
}

export type Components = Readonly<Record<string, SchemaNode>>;

/** The schema that a reference stands for; any other one itself. */
export function resolve(schema: SchemaNode, components: Components): SchemaNode {
  if (schema.$ref === undefined) return schema;
  const found = components[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)];
  if (found === undefined) throw new TypeError(`${schema.$ref} is no component`);
  return found;
}

/** The schemas of which a value fits one, or all. */
export function alternatives(schema: SchemaNode): readonly SchemaNode[] {
  return schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
}
