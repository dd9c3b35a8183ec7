/** @module Tools for agents that only read: they list and show resources. */
import * as z from "zod";
import type { Deployment } from "../../contract/deployments.ts";
import { PAGE_LIMIT_MAX } from "../../contract/common.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { anyObject, defineTool, type NextCall, projectInput, ToolFailure } from "../tool.ts";
import { FIRST_FILES } from "./upload.ts";

/** Maximum number of deployments in a result. */
const MAX_DEPLOYMENTS = 20;

function lineOf(deployment: Deployment): string {
  const { id, status, environment, branch, message, createdAt, isProduction } = deployment;
  const live = isProduction && status === "LIVE" ? " *" : "";
  return `${id} ${status}${live} ${environment} ${branch ?? "-"} ${createdAt} ${message ?? ""}`
    .trimEnd();
}

function nextOf(project: string, deployments: readonly Deployment[]): NextCall[] {
  const [newest] = deployments;
  if (newest === undefined) {
    return [
      { tool: "deploy", arguments: { production: true }, why: "nothing is deployed yet" },
      {
        tool: "deploy_files",
        arguments: { project, files: FIRST_FILES, production: true },
        why: "nothing is deployed yet",
      },
    ];
  }
  const named = { project: newest.project };
  return newest.status === "FAILED"
    ? [{ tool: "explain_failure", arguments: named, why: "the newest deployment failed" }]
    : [{
      tool: "search_logs",
      arguments: { ...named, level: "warn" },
      why: "to see whether visitors got errors",
    }];
}

/** Returns a line that says that a list is incomplete, if it is. */
const moreThan = (
  { items, nextCursor }: { readonly items: readonly unknown[]; readonly nextCursor: string | null },
): string[] => nextCursor === null ? [] : [`There are more than these ${items.length}`];

/**
 * Handles an error from opening a project: returns `undefined` if there is no named or default
 * project, and rethrows other errors.
 */
function whereNamed(error: unknown): undefined {
  if (error instanceof ToolFailure && error.code === "action_required") return undefined;
  throw error;
}

export const status = defineTool({
  name: "status",
  title: "Show the project's status",
  description:
    "Shows the logged-in user, the project, its production deployment, its domains and its " +
    "newest deployments. Call it first.",
  input: {
    ...projectInput,
    limit: z.int().min(1).max(MAX_DEPLOYMENTS).default(5).describe("Number of deployments to show"),
  },
  output: { credential: anyObject, project: anyObject.nullable(), deployments: z.array(anyObject) },
  effect: "read",
  async run({ project: given, limit }, around) {
    const who = await (await around.api()).call(endpoints.getIdentity, {});
    const { credential, workspace: { slug } } = who;
    const opened = await around.open(given).catch((error) =>
      whereNamed(around.toFailure(error) ?? error)
    );
    if (opened === undefined) {
      return {
        text: `Logged in to workspace ${slug}. No project is set, and none is linked here.`,
        data: { credential, project: null, deployments: [] },
        next: [
          { tool: "list_projects", arguments: {}, why: "to find an existing project" },
          { tool: "create_project", arguments: { name: "my-site" }, why: "to start a new one" },
        ],
      };
    }
    const { api, project } = opened;
    const params = { project: project.id };
    const [{ items: deployments }, domains, health] = await Promise.all([
      api.call(endpoints.listDeployments, { params, query: { limit } }),
      api.call(endpoints.listDomains, { params, query: { limit: PAGE_LIMIT_MAX } }),
      api.call(endpoints.getProjectHealth, { params }),
    ]);
    return {
      text: [
        `Project ${project.name} in workspace ${slug}`,
        ...domains.items.map(({ hostname, status: state }) => `Domain ${hostname}: ${state}`),
        ...moreThan(domains),
        deployments.length === 0 ? "No deployments" : "Newest deployments (* = live):",
        ...deployments.map(lineOf),
      ].join("\n"),
      data: { credential, project: { ...project, health }, deployments },
      next: nextOf(project.name, deployments),
    };
  },
});

export const listProjects = defineTool({
  name: "list_projects",
  title: "List projects",
  description: `The workspace's projects, newest first, at most ${PAGE_LIMIT_MAX}.`,
  input: {},
  output: { projects: z.array(anyObject) },
  effect: "read",
  leavesProject: true,
  async run(_input, around) {
    const api = await around.api();
    const page = await api.call(endpoints.listProjects, { query: { limit: PAGE_LIMIT_MAX } });
    const { items } = page;
    const [first] = items;
    const lines = [...items.map(({ name, url }) => `${name} ${url}`), ...moreThan(page)];
    return {
      text: lines.join("\n") || "No projects",
      data: { projects: items },
      next: first === undefined
        ? [{ tool: "create_project", arguments: { name: "my-site" }, why: "no project exists yet" }]
        : [{
          tool: "status",
          arguments: { project: first.name },
          why: "to see what is live there",
        }],
    };
  },
});

export const explainFailure = defineTool({
  name: "explain_failure",
  title: "Explain a failure",
  description: "Shows the newest deployments, the end of the newest build log, and the errors " +
    "in functions and servers.",
  input: projectInput,
  output: {
    deployment: anyObject.nullable(),
    build: z.array(anyObject),
    errors: z.array(anyObject),
  },
  effect: "read",
  async run({ project: given }, around) {
    const { api, project } = await around.open(given);
    const params = { project: project.id };
    const [{ items: [deployment] }, { items: errors }] = await Promise.all([
      api.call(endpoints.listDeployments, { params, query: { limit: 1 } }),
      api.call(endpoints.listLogs, { params, query: { level: "error", limit: 20 } }),
    ]);
    const log = deployment === undefined ? undefined : await api.call(endpoints.getBuildLog, {
      params: { deployment: deployment.id },
    });
    const build = log?.lines.slice(-40) ?? [];
    const named = { project: project.name };
    return {
      text: [
        deployment === undefined ? "No deployments" : `Newest deployment: ${lineOf(deployment)}`,
        ...build.length === 0 ? [] : ["End of its build's log:"],
        ...build.map(({ text }) => `  ${text}`),
        ...build.length === 0 ? [] : [`Full log: svc://deployments/${deployment?.id}/build-log`],
        errors.length === 0 ? "No errors in the log" : "Errors, newest last:",
        ...errors.map((entry) => `  ${JSON.stringify(entry)}`),
      ].join("\n"),
      data: { deployment: deployment ?? null, build, errors },
      next: [
        { tool: "show_errors", arguments: named, why: "to see each error once, with its stack" },
        { tool: "rollback", arguments: named, why: "to restore the previous deployment" },
        { tool: "deploy", arguments: { production: true }, why: "once the cause is fixed" },
      ],
    };
  },
});

export const traffic = defineTool({
  name: "traffic",
  title: "Traffic",
  description: "Requests, visitors, pages, referrers, statuses and response times of production.",
  input: { ...projectInput, range: z.enum(["hour", "day", "90d"]).default("day") },
  output: { traffic: anyObject },
  effect: "read",
  async run({ project: given, range }, around) {
    const { api, project } = await around.open(given);
    const { steps: _steps, ...report } = await api.call(endpoints.getTraffic, {
      params: { project: project.id },
      query: { range },
    });
    return { text: JSON.stringify(report, null, 1), data: { traffic: report } };
  },
});
