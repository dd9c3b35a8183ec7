/**
 * The JSON Schema of `.svc/manifest.json`, for editors.
 *
 * @module
 */
import { z } from "zod";
import { manifestSchema } from "./schema.ts";

/** Makes the schema from the same zod schemas that validate. */
export function manifestJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(manifestSchema, { io: "input" });
  return {
    $schema,
    title: "svc build output manifest",
    description: "Reference: docs/manifest.md",
    ...schema,
  };
}
