/** The operations of an OpenAPI document. Does not load the endpoints. @module */
import type { ParameterNode } from "./fill_fields.ts";
import type { SchemaNode } from "./schema_node.ts";

interface MediaNode {
  readonly schema?: SchemaNode;
  example?: unknown;
}
export type Content = Readonly<Record<string, MediaNode>>;

/** The parts of an operation in the document that this file uses. */
export interface OperationNode {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: ParameterNode[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly description?: string; content?: Content }>
  >;
}

/** Lists every operation of a document with its method and path. */
export function operationsOf(document: {
  readonly paths?: unknown;
}): { readonly method: string; readonly path: string; readonly operation: OperationNode }[] {
  return Object.entries(document.paths as Record<string, Record<string, OperationNode>>).flatMap(
    ([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
      })),
  );
}
