/** The parts of JSON Schema (2020-12) that svc uses in the document. @module */
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
  /** The contract's schemas use this name. The document uses `examples` instead. */
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

/** Resolves a reference. Returns other schemas unchanged. */
export function resolve(schema: SchemaNode, components: Components): SchemaNode {
  if (schema.$ref === undefined) return schema;
  const found = components[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)];
  if (found === undefined) throw new TypeError(`${schema.$ref} is not a component`);
  return found;
}

/** Returns the schemas that are combined in a schema. A value must match one or all of them. */
export function alternatives(schema: SchemaNode): readonly SchemaNode[] {
  return schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
}
