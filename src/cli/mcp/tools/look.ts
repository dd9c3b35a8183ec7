/**
 * Tools that show what there is.
 *
 * @module
 */
import { z } from "zod";
import {
  type Answer,
  CommandFailure,
  defineTool,
  listOf,
  type NextCall,
  partOf,
  projectFlag,
  projectInput,
} from "../tool.ts";

/** Members of a list that an agent is shown. */
const MAX_LISTED = 20;

const anyObject = z.record(z.string(), z.unknown());

function lineOf(deployment: Answer): string {
  const { id, status, environment, branch, message, createdAt } = deployment;
  const live = deployment.isProduction === true && status === "LIVE" ? " *" : "";
  return `${id} ${status}${live} ${environment} ${branch ?? "-"} ${createdAt} ${message ?? ""}`
    .trimEnd();
}

const HAS_FAILED = new Set(["FAILED", "ERROR", "CANCELLED"]);

function nextOf(deployments: readonly Answer[]): NextCall[] {
  const [newest] = deployments;
  if (newest === undefined) {
    return [{ tool: "deploy", arguments: { production: true }, why: "nothing is deployed yet" }];
  }
  return HAS_FAILED.has(String(newest.status))
    ? [{ tool: "explain_failure", arguments: {}, why: "the newest deployment failed" }]
    : [{
      tool: "search_logs",
      arguments: { level: "warn" },
      why: "to see whether visitors met errors",
    }];
}

/** Nothing for a folder that is linked to no project; any other failure is one. */
function whereLinked(error: unknown): undefined {
  if (error instanceof CommandFailure && error.code === "action_required") return undefined;
  throw error;
}

export const status = defineTool({
  name: "status",
  title: "What is live",
  description: "Who is logged in, the project, what production shows, its domains and the newest " +
    "deployments. Call it first.",
  input: projectInput,
  output: { credential: anyObject, project: anyObject.nullable(), deployments: z.array(anyObject) },
  effect: "read",
  async run({ project: given }, around) {
    const who = await around.svc(["whoami"]);
    const { credential = {} } = who;
    const workspace = partOf(who, "workspace").slug ?? "";
    const flag = projectFlag(given, around);
    const list = await around.svc(["deployments", "list", "--limit", "5", ...flag])
      .catch(whereLinked);
    if (list === undefined) {
      return {
        text: `Logged in to workspace ${workspace}. The folder is linked to no project.`,
        data: { credential, project: null, deployments: [] },
        next: [
          { tool: "list_projects", arguments: {}, why: "to find an existing project" },
          { tool: "create_project", arguments: {}, why: "to begin a new one in this folder" },
        ],
      };
    }
    const deployments = listOf(list, "deployments");
    const name = String(deployments[0]?.project ?? given ?? around.project ?? "");
    const found = name === "" ? {} : await around.svc(["projects", "info", "--", name]);
    const domains = listOf(await around.svc(["domains", "list", ...flag]), "domains");
    const project = { ...partOf(found, "project"), health: found.health ?? null };
    return {
      text: [
        `Project ${name || "of this folder"} in workspace ${workspace}`,
        ...domains.map(({ hostname, status: state }) => `Domain ${hostname}: ${state}`),
        deployments.length === 0 ? "No deployments" : "Newest deployments (* is live):",
        ...deployments.map(lineOf),
      ].join("\n"),
      data: { credential, project, deployments },
      next: nextOf(deployments),
    };
  },
});

export const listProjects = defineTool({
  name: "list_projects",
  title: "List projects",
  description: "The projects of the workspace, by name.",
  input: {},
  output: { projects: z.array(anyObject) },
  effect: "read",
  leavesProject: true,
  async run(_input, around) {
    const projects = listOf(await around.svc(["projects", "list"]), "projects");
    const [first] = projects;
    return {
      text: projects.length === 0
        ? "No projects"
        : projects.slice(0, MAX_LISTED).map(({ name, url }) => `${name} ${url}`).join("\n"),
      data: { projects: projects.slice(0, MAX_LISTED) },
      next: first === undefined
        ? [{ tool: "create_project", arguments: {}, why: "there is none yet" }]
        : [{ tool: "status", arguments: { project: first.name }, why: "for what is live there" }],
    };
  },
});

export const listDeployments = defineTool({
  name: "list_deployments",
  title: "List deployments",
  description: "The newest deployments with state, environment, branch and message.",
  input: { ...projectInput, limit: z.int().min(1).max(MAX_LISTED).default(10) },
  output: { deployments: z.array(anyObject) },
  effect: "read",
  async run({ project, limit }, around) {
    const words = [
      "deployments",
      "list",
      "--limit",
      String(limit),
      ...projectFlag(project, around),
    ];
    const deployments = listOf(await around.svc(words), "deployments");
    return {
      text: deployments.map(lineOf).join("\n") || "No deployments",
      data: { deployments },
      next: nextOf(deployments),
    };
  },
});

export const searchLogs = defineTool({
  name: "search_logs",
  title: "Search the logs",
  description: "Requests of visitors and what functions and servers wrote, newest last.",
  input: {
    ...projectInput,
    query: z.string().max(200).optional().describe("Only entries that contain this text"),
    level: z.enum(["debug", "info", "warn", "error"]).optional(),
    since: z.string().max(40).optional().describe("15m, 2h, 1d or an ISO date"),
    deployment: z.string().max(64).optional().describe("Only entries of this deployment"),
    limit: z.int().min(1).max(100).default(30),
  },
  output: { entries: z.array(anyObject) },
  effect: "read",
  async run({ project, query, level, since, deployment, limit }, around) {
    const answer = await around.svc([
      "logs",
      "--limit",
      String(limit),
      ...query === undefined ? [] : [`--search=${query}`],
      ...level === undefined ? [] : [`--level=${level}`],
      ...since === undefined ? [] : [`--since=${since}`],
      ...deployment === undefined ? [] : [`--deployment-id=${deployment}`],
      ...projectFlag(project, around),
    ]);
    const entries = listOf(answer, "entries");
    const failed = entries.find(({ status: code }) => typeof code === "number" && code >= 500);
    return {
      text: entries.map((entry) => JSON.stringify(entry)).join("\n") || "No entries",
      data: { entries },
      next: failed === undefined ? [] : [
        { tool: "explain_failure", arguments: {}, why: "visitors met a server error" },
        {
          tool: "rollback",
          arguments: {},
          why: "if the newest deployment brought it, to make the one before live again",
        },
      ],
    };
  },
});

export const explainFailure = defineTool({
  name: "explain_failure",
  title: "Why did it fail",
  description: "The newest deployments with the end of the newest build's log and the errors of " +
    "functions and servers, together.",
  input: projectInput,
  output: {
    deployment: anyObject.nullable(),
    build: z.array(anyObject),
    errors: z.array(anyObject),
  },
  effect: "read",
  async run({ project }, around) {
    const flag = projectFlag(project, around);
    const [deployment] = listOf(
      await around.svc(["deployments", "list", "--limit", "1", ...flag]),
      "deployments",
    );
    const errors = listOf(
      await around.svc(["logs", "--level", "error", "--limit", "20", ...flag]),
      "entries",
    );
    // A deployment that was built elsewhere has no log of a build.
    const log = await around.svc(["logs", "--build", ...flag]).catch(() => ({}));
    const build = listOf(log, "lines").slice(-40);
    return {
      text: [
        deployment === undefined ? "No deployments" : `Newest deployment: ${lineOf(deployment)}`,
        ...build.length === 0 ? [] : ["End of its build's log:"],
        ...build.map(({ message, text }) => `  ${message ?? text ?? ""}`),
        errors.length === 0 ? "No errors in the log" : "Errors, newest last:",
        ...errors.map((entry) => `  ${JSON.stringify(entry)}`),
      ].join("\n"),
      data: { deployment: deployment ?? null, build, errors },
      next: [
        { tool: "rollback", arguments: {}, why: "to make what was live before live again" },
        { tool: "deploy", arguments: { production: true }, why: "once the cause is mended" },
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
  async run({ project, range }, around) {
    const answer = await around.svc(["traffic", "--range", range, ...projectFlag(project, around)]);
    const { steps: _steps, ...report } = partOf(answer, "traffic");
    return { text: JSON.stringify(report, null, 1), data: { traffic: report } };
  },
});

export const explainCode = defineTool({
  name: "explain_code",
  title: "Explain an error's code",
  description: "What the code of an error means, and how to mend it.",
  input: { code: z.string().max(60).describe("Such as rules_invalid") },
  output: { meaning: z.string(), remedy: z.string(), commands: z.array(z.string()) },
  effect: "read",
  async run({ code }, around) {
    const { meaning, remedy, commands, guide } = await around.svc(["explain", "--", code]);
    return {
      text: `${code}: ${meaning}\n${remedy}`,
      data: { meaning, remedy, commands, guide },
    };
  },
});
