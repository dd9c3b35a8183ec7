/** Environments of a project: `production`, `preview`, and the project's own. @module */
import * as z from "zod";
import { page, pageQuery, slug, timestamp } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { projectParams } from "./projects.ts";

/** Maximum length of an environment name, in characters. Host labels contain the name. */
const NAME_MAX = 20;

export const environmentName = slug(NAME_MAX);

export const environment = z.object({
  id: z.string().describe("UUID of a custom environment, or the name of a built-in one"),
  name: environmentName.meta({ description: "Name of the environment", example: "stage" }),
  isBuiltIn: z.boolean().describe("True for `production` and `preview`"),
  url: z.url().nullable().describe(
    "URL of the environment's latest deployment; null for `preview`, which has one per branch",
  ),
  createdAt: timestamp.nullable().describe(
    "When the environment was created; null for a built-in one",
  ),
}).meta({ id: "Environment" });
export type Environment = z.infer<typeof environment>;

/** The environment as an ID or a name. */
export const environmentReference = z.string().min(1).max(64).meta({ example: "production" });

export const listEnvironments = endpoint({
  method: "GET",
  path: "/v1/projects/{project}/environments",
  summary: "List a project's environments, built-in ones first",
  tag: "Environments",
  params: projectParams,
  query: pageQuery,
  response: page(environment),
});

export const createEnvironment = endpoint({
  method: "POST",
  path: "/v1/projects/{project}/environments",
  summary: "Create an environment",
  tag: "Environments",
  params: projectParams,
  body: z.object({
    name: environmentName.meta({ description: "Name of the environment", example: "stage" }),
  }).strict(),
  response: environment,
  status: 201,
});

export const deleteEnvironment = endpoint({
  method: "DELETE",
  path: "/v1/projects/{project}/environments/{environment}",
  summary: "Delete an environment and its variables",
  tag: "Environments",
  params: projectParams.extend({
    environment: environmentReference.meta({
      description: "Name of the environment",
      example: "stage",
    }),
  }),
  status: 204,
});
