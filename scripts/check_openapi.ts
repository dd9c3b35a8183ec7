/**
 * Lints the OpenAPI document with the engine of `@redocly/cli`, without the network, with all
 * recommended rules and some additional rules.
 *
 * @module
 */
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { openApiDocument } from "../src/contract/openapi.ts";

/** Rules in addition to the recommended ones. */
const RULES = {
  "operation-description": "error",
  "parameter-description": "error",
  "tag-description": "error",
  "operation-tag-defined": "error",
  "no-invalid-parameter-examples": "error",
  "no-invalid-media-type-examples": "error",
  "no-invalid-schema-examples": "error",
  "no-duplicated-tag-names": "error",
  "operation-4xx-response": "error",
  "no-required-schema-properties-undefined": "error",
  // Some paths of the API overlap by design. The most specific one applies (`route_table.ts`).
  "no-ambiguous-paths": "off",
} as const;

/** Returns the linter's findings, or an empty list if there are none. */
export async function lintOpenApi(): Promise<string[]> {
  const document = openApiDocument({ version: "0.0.0", serverUrl: "https://svc.example.net" });
  const config = await createConfig({ extends: ["recommended"], rules: RULES });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ ruleId, message, location }) =>
    `${ruleId} at ${location[0]?.pointer ?? "#"}: ${message}`
  );
}
