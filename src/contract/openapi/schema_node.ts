/** The parts of a JSON Schema (2020-12) in the document that svc uses. @module */
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
  /** Name in schemas of the contract; the document uses `examples`. */
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

/** Resolves a reference; returns other schemas unchanged. */
export function resolve(schema: SchemaNode, components: Components): SchemaNode {
  if (schema.$ref === undefined) return schema;
  const found = components[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)];
  if (found === undefined) throw new TypeError(`${schema.$ref} is not a component`);
  return found;
}

/** The schemas: a value must match one of them, or all. */
export function alternatives(schema: SchemaNode): readonly SchemaNode[] {
  return schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
}
