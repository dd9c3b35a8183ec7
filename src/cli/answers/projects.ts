/** @module Results of the commands for projects, their environments and their variables. */
import * as z from "zod";
import { endpoints as e } from "../../contract/endpoints.ts";
import type { Answers } from "./answers.ts";
import {
  count,
  deployment,
  environmentName,
  framework,
  nextCursor,
  project,
  text,
  yes,
} from "./parts.ts";

const named = z.object({ id: text, name: text });
const environment = e.createEnvironment.response;
const variable = e.setVariable.response;

export const PROJECT_ANSWERS: Answers = {
  "init": z.object({
    config: text.describe("Path of svc.toml"),
    created: z.boolean(),
    name: text,
    project: project.nullable(),
    framework,
    files: text.nullable().describe("Served folder; null if there is none"),
    server: z.object({
      entry: text.nullable(),
      engine: z.enum(["deno", "node", "command"]),
      reason: text,
      engineReason: text,
    }).nullable(),
    agents: text.optional().describe("With --agents, the path of AGENTS.md"),
  }),
  "link": z.object({
    project,
    directory: text,
    config: z.unknown().describe("The settings in svc.toml"),
    gitRemote: text.nullable().describe("URL of the git remote svc, with --git-remote"),
  }),
  "list": z.object({ projects: e.listProjects.response.shape.items, nextCursor }),
  "projects list": z.object({ projects: e.listProjects.response.shape.items, nextCursor }),
  "projects create": z.object({
    project,
    linked: z.boolean(),
    deployment: z.union([deployment, e.triggerHook.response]).nullable()
      .describe("Build, with --deploy"),
  }),
  "projects info": z.object({ project, health: e.getProjectHealth.response }),
  "projects update": z.object({ project }),
  "projects git-credentials": z.object({ project }),
  "projects delete": z.object({ deleted: yes, project }),
  "environments list": z.object({
    environments: e.listEnvironments.response.shape.items,
    context: text.nullable().describe("ID of this checkout's environment"),
  }),
  "environments create": z.object({ environment }),
  "environments delete": z.object({ deleted: yes, environment }),
  "context use": z.object({
    environment: named,
    project: named,
    file: text,
    gitignoreChanged: z.boolean(),
  }),
  "context show": z.object({
    environment: environmentName.nullable(),
    environmentSource: z.enum(["variable", "context"]).nullable(),
    context: z.object({ projectId: text, environment: named }).nullable(),
    file: text,
  }),
  "context clear": z.object({ cleared: z.boolean() }),
  "env list": z.object({
    environment: environmentName.nullable(),
    environmentSource: text.nullable(),
    variables: z.array(variable),
  }),
  "env set": z.union([
    z.object({ variable }),
    z.object({ scope: text, variables: z.array(variable) }).describe("with --all-keys"),
  ]),
  "env delete": z.object({ deleted: yes, key: text, scopes: z.array(text) }),
  "env validate": z.object({
    valid: yes,
    declared: z.array(text),
    environments: z.array(environmentName),
    missing: z.array(z.never()).describe("Always empty: a missing variable is a failure"),
    exposed: z.array(z.object({ key: text, scope: text }))
      .describe("Declared as sensitive but stored as plain"),
  }),
  "env exec": z.object({ exitCode: z.int(), environment: environmentName, variables: count }),
  "env pull": z.never().describe("always an error"),
};
