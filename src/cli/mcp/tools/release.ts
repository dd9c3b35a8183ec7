/**
 * Tools that bring a folder to the platform.
 *
 * @module
 */
import * as z from "zod";
import { anyObject, projectInput } from "../../../agents/tool.ts";
import { defineFolderTool, folderInput, projectFlag } from "../tool.ts";

export const createProject = defineFolderTool({
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
        arguments: { folder, production: true },
        why: "once the folder has a page, such as index.html",
      }],
    };
  },
});

export const deploy = defineFolderTool({
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
