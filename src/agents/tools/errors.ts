/** @module A tool for agents that lists errors in functions and servers. */
import * as z from "zod";
import { endpoints } from "../../contract/endpoints.ts";
import type { ErrorSummary } from "../../contract/errors.ts";
import {
  anyObject,
  defineTool,
  type NextCall,
  type OpenedProject,
  projectInput,
  type ToolAnswer,
} from "../tool.ts";

/** Maximum number of errors in a result. */
const MAX_SHOWN = 50;
/** Maximum number of occurrences of one error in the text. */
const MAX_OCCURRENCES = 10;

const lineOf = ({ id, kind, source, count, lastSeen, title }: ErrorSummary): string =>
  `${id} ${count}x, last ${lastSeen}, ${source === null ? kind : `${kind} ${source}`}: ${title}`;

/** Returns the calls to suggest after errors were shown. */
function nextOf(project: string): NextCall[] {
  const named = { project };
  return [
    {
      tool: "search_logs",
      arguments: { ...named, level: "error" },
      why: "to see the " +
        "surrounding log lines",
    },
    {
      tool: "rollback",
      arguments: named,
      why: "to roll back, if the newest deployment introduced it",
    },
  ];
}

async function showOne({ api, project }: OpenedProject, error: string): Promise<ToolAnswer> {
  const details = await api.call(endpoints.getError, { params: { project: project.id, error } });
  const seen = details.occurrences.slice(0, MAX_OCCURRENCES).map(
    ({ time, status, method, path, message, deploymentId }) =>
      `  ${time} ${status ?? "-"} ${method ?? ""} ${path ?? message} (deployment ${deploymentId})`,
  );
  return {
    text: [
      lineOf(details),
      `First seen in deployment ${details.broughtBy}`,
      details.stack ?? "No stack",
      "Latest occurrences:",
      ...seen,
    ].join("\n"),
    data: { errors: [details] },
    next: nextOf(project.name),
  };
}

export const showErrors = defineTool({
  name: "show_errors",
  title: "Show errors",
  description:
    "Errors in functions and servers, grouped by kind, most recent first. With `error`, one error with its stack and latest occurrences.",
  input: {
    ...projectInput,
    error: z.string().max(64).optional().describe("ID of an error"),
    deployment: z.uuid().optional().describe("Only errors first seen in this deployment"),
    limit: z.int().min(1).max(MAX_SHOWN).default(20),
  },
  output: { errors: z.array(anyObject), missingNodes: z.array(anyObject).optional() },
  effect: "read",
  async run({ project: given, error, deployment, limit }, around) {
    const opened = await around.open(given);
    if (error !== undefined) return await showOne(opened, error);
    const { api, project } = opened;
    const { items: errors, missingNodes } = await api.call(endpoints.listErrors, {
      params: { project: project.id },
      query: { limit, deploymentId: deployment },
    });
    const [newest] = errors;
    return {
      text: errors.map(lineOf).join("\n") || "No errors",
      data: { errors, missingNodes },
      next: newest === undefined ? [] : [{
        tool: "show_errors",
        arguments: { project: project.name, error: newest.id },
        why: "to see the stack and occurrences of the newest error",
      }],
    };
  },
});
