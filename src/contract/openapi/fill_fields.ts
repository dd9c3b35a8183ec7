/**
 * Gives every field of the document a description and an example.
 *
 * @module
 */
import { exampleOf, fits } from "./example.ts";
import { alternatives, type Components, type SchemaNode } from "./schema_node.ts";
import { SPECIAL_FIELDS } from "./special_fields.ts";
import { type FieldWords, USUAL_FIELDS } from "./usual_fields.ts";

export interface ParameterNode {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: SchemaNode;
  description?: string;
  example?: unknown;
}

const wordsOf = (keys: readonly string[]): FieldWords | undefined =>
  keys.map((key) => SPECIAL_FIELDS[key] ?? USUAL_FIELDS[key]).find((words) => words !== undefined);

function example(schema: SchemaNode, words: FieldWords | undefined, components: Components) {
  const usual = words?.[1];
  return usual !== undefined && fits(usual, schema, components)
    ? usual
    : exampleOf(schema, components);
}

/** The schemas inside a schema, but for its properties. */
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

/**
 * Fills the fields of a schema; `place` names its component or operation.
 * Fields that are made of other components wait for these to be filled, so
 * this is called twice.
 */
export function fillSchema(
  schema: SchemaNode,
  place: string,
  { components, isLast }: { readonly components: Components; readonly isLast: boolean },
): void {
  const options = { components, isLast };
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    fillSchema(property, place, options);
    const words = wordsOf([`${place}.${name}`, name]);
    if (property.description === undefined && words !== undefined) {
      property.description = words[0];
    }
    if (isLast || !refersToOthers(property)) {
      property.examples ??= [example(property, words, components)];
    }
  }
  for (const part of partsOf(schema)) fillSchema(part, place, options);
}

/** Fills a parameter of an operation. */
export function fillParameter(
  parameter: ParameterNode,
  operation: string,
  components: Components,
): void {
  const { in: where, name, schema = {} } = parameter;
  const words = wordsOf([`${where}:${operation}.${name}`, `${where}:${name}`, name]);
  const described = schema.description ?? words?.[0];
  if (parameter.description === undefined && described !== undefined) {
    parameter.description = described;
  }
  parameter.example ??= example(schema, words, components);
}
