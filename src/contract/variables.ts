/** Environment variables. Secrets are write-only, except for `svc env exec`. @module */
import * as z from "zod";
import { page, pageQuery, timestamp } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { environmentReference } from "./environments.ts";
import { branchName, projectParams } from "./projects.ts";

export const VARIABLE_CATEGORIES = ["plain", "secret"] as const;
export type VariableCategory = (typeof VARIABLE_CATEGORIES)[number];

/** The scope of variables for every environment. */
export const SCOPE_ALL = "all";

/** Maximum size of a value, in UTF-8 bytes. */
export const MAX_VARIABLE_BYTES = 16 * 1024;
/** Maximum size of the names and values of all variables in one environment, in UTF-8 bytes. */
export const MAX_ENVIRONMENT_BYTES = 48 * 1024;
/** Maximum number of variables in a project, counting each scope separately. */
export const MAX_VARIABLES = 500;

/**
 * Names of environment variables according to POSIX (IEEE 1003.1, 8.1), in uppercase or lowercase
 * letters.
 */
export const variableName = z.string().min(1).max(128).regex(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  "Must be letters, digits and underscores, not beginning with a digit",
).refine((name) => name !== "__proto__", "Must not be __proto__");

const variableValue = z.string().max(MAX_VARIABLE_BYTES).refine(
  (value) => !value.includes("\0"),
  "Must not contain a NUL character",
).refine(
  (value) => new TextEncoder().encode(value).byteLength <= MAX_VARIABLE_BYTES,
  `Must be at most ${MAX_VARIABLE_BYTES} bytes`,
);

export const variable = z.object({
  key: variableName.meta({ description: "Name of the variable", example: "DATABASE_URL" }),
  category: z.enum(VARIABLE_CATEGORIES).describe(
    "`plain` or `secret`; a secret cannot be read back",
  ),
  scope: z.string().describe("`all`, or the name of the environment"),
  value: z.string().nullable().describe("The value of a plain variable; null for a secret"),
  updatedAt: timestamp.describe("When the variable was last changed"),
}).meta({ id: "Variable" });
export type Variable = z.infer<typeof variable>;

/** A reference in a variable's value, and the URL to which it resolves. */
export const variableReference = z.object({
  variable: z.string().meta({ description: "Name of the variable", example: "API_URL" }),
  reference: z.string().meta({
    description: "The reference, without its braces",
    example: "backend.url",
  }),
  value: z.url().nullable().meta({
    description: "URL that it resolved to; null for a database, whose connection string is secret",
    example: "https://api.example.net",
  }),
}).meta({ id: "VariableReference" });
export type VariableReference = z.infer<typeof variableReference>;

const setVariableBody = z.object({
  value: variableValue.meta({
    description:
      "Value of the variable. `${{backend.url}}` stands for the URL of project `backend`, `${{db.shop.url}}` for the connection string of database `shop`, `${{self.url}}` for the deployment's own URL",
    example: "postgres://db.example.net/shop",
  }),
  category: z.enum(VARIABLE_CATEGORIES).describe(
    "`plain` or `secret`; a secret cannot be read back",
  ),
  scope: environmentReference.describe("`all`, or the name or ID of an environment"),
  replaceScope: z.boolean().default(false).describe(
    "Remove the variable's values in other scopes",
  ),
  changeCategory: z.boolean().default(false).describe(
    "Allow a plain variable to become secret, or a secret to become plain",
  ),
}).strict();

const variableParams = projectParams.extend({
  key: variableName.meta({ description: "Name of the variable", example: "DATABASE_URL" }),
});

export const listVariables = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/variables",
  summary: "List a project's variables by name. Secrets are listed without their values",
  tag: "Variables",
  params: projectParams,
  query: pageQuery.omit({ cursor: true }).extend({
    environment: environmentReference.optional().describe(
      "Only the variables of this environment",
    ),
    cursor: z.string().max(256).optional().describe("`nextCursor` of the previous page"),
  }),
  response: page(variable),
});

export const setVariable = endpoint({
  method: "PUT",
  path: "/v1/projects/{project}/variables/{key}",
  summary: "Set a variable in one environment or in all",
  tag: "Variables",
  params: variableParams,
  body: setVariableBody,
  maxBodyBytes: 8 * MAX_VARIABLE_BYTES,
  response: variable,
});

export const deleteVariable = endpoint({
  method: "DELETE",
  path: "/v1/projects/{project}/variables/{key}",
  summary: "Delete a variable from every scope, or from one",
  tag: "Variables",
  params: variableParams,
  query: z.object({
    scope: environmentReference.optional().describe(
      "Only its value for `all`, or for this environment",
    ),
  }),
  status: 204,
});

export const exportVariables = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/variables/export",
  summary: "Get the variables of one environment, including secrets, for running a command",
  tag: "Variables",
  idempotency: "refused",
  params: projectParams,
  body: z.object({
    environment: environmentReference.meta({
      description: "Name of the environment",
      example: "production",
    }),
    branch: branchName.optional().describe(
      "Git branch: references resolve to the previews of this branch. If omitted, they resolve to the production deployments of the other projects",
    ),
    self: z.url().max(2000).optional().meta({
      description: "URL for `${{self.url}}`; if omitted, the URL of the environment or branch",
      example: "http://localhost:4321",
    }),
  }).strict(),
  response: z.object({
    environment: z.string().meta({ description: "Name of the environment", example: "production" }),
    variables: z.record(z.string(), z.string()).describe("Values by name"),
    references: z.array(variableReference).default([]).describe(
      "References in the values, and what they resolved to",
    ),
  }),
});
