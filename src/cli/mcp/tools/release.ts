/**
 * Tools that change what visitors see.
 *
 * @module
 */
import { z } from "zod";
import {
  type Answer,
  CommandFailure,
  defineTool,
  folderInput,
  listOf,
  partOf,
  projectFlag,
  projectInput,
  type ToolSurroundings,
} from "../tool.ts";

const anyObject = z.record(z.string(), z.unknown());

/** Deployments among which one must be that an agent confined to a project promotes. */
const SEARCHED = 100;

export const createProject = defineTool({
  name: "create_project",
  title: "Begin a project",
  description:
    "Makes svc.toml in a folder, detects its framework, and creates the project on the " +
    "platform. Files of yours stay as they are.",
  input: {
    ...folderInput,
    name: z.string().max(63).optional().describe("Lower-case name; without it, the folder's"),
  },
  output: { name: z.string(), project: anyObject.nullable() },
  effect: "write",
  leavesProject: true,
  async run({ folder, name }, around) {
    const words = ["init", "--create", ...name === undefined ? [] : [`--name=${name}`]];
    const answer = await around.svc(words, { folder });
    const made = String(answer.name);
    return {
      text: `Created project ${made}`,
      data: { name: made, project: answer.project ?? null, framework: answer.framework ?? null },
      next: [{
        tool: "deploy",
        arguments: { ...folder === undefined ? {} : { folder }, production: true },
        why: "once the folder has a page, such as index.html",
      }],
    };
  },
});

export const deploy = defineTool({
  name: "deploy",
  title: "Deploy a folder",
  description:
    "Builds and deploys a folder: a preview with an address of its own, or production. " +
    "A deploy that fails leaves what was live before.",
  input: {
    ...folderInput,
    production: z.boolean().default(false).describe("Make it what visitors see"),
    message: z.string().max(200).optional(),
    project: projectInput.project,
  },
  output: { id: z.string(), status: z.string(), url: z.string() },
  effect: "destroy",
  async run({ folder, production, message, project }, around) {
    const { id, status, url, urls, uploaded, reused } = await around.svc([
      "deploy",
      ...production ? ["--prod"] : [],
      ...message === undefined ? [] : [`--message=${message}`],
      ...projectFlag(project, around),
    ], { folder });
    const named = project === undefined ? {} : { project };
    return {
      text: `${status}: ${url}\nDeployment ${id}`,
      data: { id, status, url, urls, uploaded, reused },
      next: production
        ? [
          {
            tool: "search_logs",
            arguments: { ...named, level: "warn" },
            why: "for what visitors meet",
          },
          { tool: "rollback", arguments: named, why: "if it turns out to be wrong" },
        ]
        : [{ tool: "promote", arguments: { deployment: id }, why: "to make it production" }],
    };
  },
});

export const rollback = defineTool({
  name: "rollback",
  title: "Roll production back",
  description: "Makes the deployment that was live before live again, as it was: files, " +
    "functions, rules and variables.",
  input: {
    ...projectInput,
    to: z.string().max(64).optional().describe("Id of the deployment to make live"),
  },
  output: { deployment: anyObject },
  effect: "destroy",
  async run({ project, to }, around) {
    const words = ["rollback", "--yes", ...to === undefined ? [] : [`--to=${to}`]];
    const answer = await around.svc([...words, ...projectFlag(project, around)]);
    const deployment = partOf(answer, "deployment");
    return {
      text: `Deployment ${deployment.id} is live again`,
      data: { deployment, rolledBack: answer.rolledBack ?? null },
      next: [{ tool: "status", arguments: {}, why: "to see it" }],
    };
  },
});

/** Refuses a deployment of another project than the one that the agent is confined to. */
async function checkOwn(deployment: string, around: ToolSurroundings): Promise<void> {
  if (around.project === undefined) return;
  const words = [
    "deployments",
    "list",
    "--limit",
    String(SEARCHED),
    "--project-id",
    around.project,
  ];
  const own: readonly Answer[] = listOf(await around.svc(words), "deployments");
  if (own.some(({ id }) => id === deployment)) return;
  throw new CommandFailure({
    error:
      `Name a deployment of ${around.project}: ${deployment} is none of its newest ${SEARCHED}`,
    code: "not_found",
  });
}

export const promote = defineTool({
  name: "promote",
  title: "Promote a deployment",
  description: "Makes production show what a deployment shows, without a build.",
  input: { deployment: z.string().max(64).describe("Id; `list_deployments` shows it") },
  output: { deployment: anyObject },
  effect: "destroy",
  isIdempotent: true,
  async run({ deployment: id }, around) {
    await checkOwn(id, around);
    const deployment = partOf(await around.svc(["promote", "--yes", "--", id]), "deployment");
    return {
      text: `Production shows deployment ${deployment.id}`,
      data: { deployment },
      next: [{ tool: "rollback", arguments: {}, why: "if it turns out to be wrong" }],
    };
  },
});

export const purgeCache = defineTool({
  name: "purge_cache",
  title: "Clear cached responses",
  description: "Clears what the edge has cached: all, or by path, prefix or tag.",
  input: {
    ...projectInput,
    path: z.string().max(2048).optional(),
    prefix: z.string().max(2048).optional(),
    tag: z.string().max(200).optional(),
  },
  output: {},
  effect: "write",
  isIdempotent: true,
  async run({ project, ...what }, around) {
    const flags = Object.entries(what).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${value}`]
    );
    const answer = await around.svc(["purge", ...flags, ...projectFlag(project, around)]);
    return { text: "Cleared", data: { ...answer } };
  },
});
