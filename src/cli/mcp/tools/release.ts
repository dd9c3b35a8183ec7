/** @module Tools for agents that deploy a folder. */
import * as z from "zod";
import { anyObject, projectInput } from "../../../agents/tool.ts";
import { defineFolderTool, folderInput, projectFlag } from "../tool.ts";

export const createProject = defineFolderTool({
  name: "create_project",
  title: "Create a project",
  description:
    "Creates svc.toml in a folder, detects the framework, and creates the project on the platform. Existing files do not change.",
  input: {
    ...folderInput,
    name: z.string().max(63).optional().describe("Lowercase name (default: the folder's name)"),
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
        why: "when the folder has a page, such as index.html",
      }],
    };
  },
});

export const deploy = defineFolderTool({
  name: "deploy",
  title: "Deploy a folder",
  description:
    "Builds and deploys a folder to a preview with its own URL, or to production. If it fails, the previous deployment stays live.",
  input: {
    ...folderInput,
    production: z.boolean().default(false).describe("Deploy to production"),
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
            why: "to see visitors' errors",
          },
          { tool: "rollback", arguments: named, why: "to undo it" },
        ]
        : [{ tool: "promote", arguments: { deployment: id }, why: "to promote it to production" }],
    };
  },
});
