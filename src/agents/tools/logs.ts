import * as z from "zod";
import { endpoints } from "../../contract/endpoints.ts";
import { LOG_LEVELS } from "../../contract/logs.ts";
import { anyObject, defineTool, projectInput, ToolFailure } from "../tool.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Parses a date, or how long ago a time was, such as `15m`. Returns a timestamp. */
function parseSince(text: string, now: number): string {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (unit !== undefined) return new Date(now - Number(count) * UNIT_MS[unit]!).toISOString();
  const time = Date.parse(text);
  if (!Number.isNaN(time) && /^\d{4}-/.test(text)) return new Date(time).toISOString();
  throw new ToolFailure({
    error: "Set `since` to a duration such as 15m, or to a date and time",
    code: "usage",
  });
}

export const searchLogs = defineTool({
  name: "search_logs",
  title: "Search the logs",
  description: "Requests and the output of functions and servers, oldest first.",
  input: {
    ...projectInput,
    query: z.string().max(200).optional().describe("Only entries that contain this text"),
    level: z.enum(LOG_LEVELS).optional(),
    since: z.string().max(40).optional().describe("15m, 2h, 1d or an ISO date"),
    deployment: z.string().max(64).optional().describe("Only entries from this deployment"),
    limit: z.int().min(1).max(100).default(30),
  },
  output: { entries: z.array(anyObject), missingNodes: z.array(anyObject).optional() },
  effect: "read",
  async run({ project: given, query, level, since, deployment, limit }, around) {
    const { api, project } = await around.open(given);
    const { items: entries, missingNodes } = await api.call(endpoints.listLogs, {
      params: { project: project.id },
      query: {
        limit,
        search: query,
        level,
        ...since === undefined ? {} : { since: parseSince(since, around.now()) },
        ...deployment === undefined ? {} : { deploymentId: deployment },
      },
    });
    const failed = entries.some((entry) => entry.type === "request" && entry.status >= 500);
    const named = { project: project.name };
    return {
      text: entries.map((entry) => JSON.stringify(entry)).join("\n") || "No entries",
      data: { entries, missingNodes },
      next: !failed ? [] : [
        { tool: "explain_failure", arguments: named, why: "visitors got a server error" },
        { tool: "show_errors", arguments: named, why: "to see each error once, with its stack" },
        {
          tool: "rollback",
          arguments: named,
          why: "to roll back, if the newest deployment introduced it",
        },
      ],
    };
  },
});
