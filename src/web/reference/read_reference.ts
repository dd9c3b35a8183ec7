/** @module Prepares the OpenAPI document for the reference pages. */
import type { Components } from "../../contract/openapi.ts";
import { type OperationNode, operationsOf } from "../../contract/openapi/operations_of.ts";

export interface ReferenceOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationNode;
}

export interface ReferencePart {
  readonly name: string;
  readonly slug: string;
  readonly description: string;
  readonly operations: readonly ReferenceOperation[];
}

export interface Reference {
  /** Path of the overview. */
  readonly root: string;
  readonly version: string;
  readonly parts: readonly ReferencePart[];
  readonly schemas: Components;
  readonly responses: OperationNode["responses"];
}

const slugOf = (name: string): string => name.toLowerCase().replaceAll(" ", "-");

/** Reads the OpenAPI document. The code that generates the document is loaded on first use. */
export async function readReference(
  root: string,
  platform: { readonly url: string; readonly version: string },
): Promise<Reference> {
  const { openApiDocument } = await import("../../contract/openapi.ts");
  const document = openApiDocument({ version: platform.version, serverUrl: platform.url });
  const operations = operationsOf(document);
  return {
    root,
    version: platform.version,
    schemas: document.components?.schemas as Components,
    responses: document.components?.responses as OperationNode["responses"],
    parts: (document.tags ?? []).map(({ name, description = "" }) => ({
      name,
      slug: slugOf(name),
      description,
      operations: operations.filter(({ operation }) => operation.tags.includes(name)),
    })),
  };
}
