/** @module Tools for agents that check and explain a project's rules. */
import * as z from "zod";
import { anyObject, listOf, projectInput } from "../../../agents/tool.ts";
import { defineFolderTool, folderInput, projectFlag } from "../tool.ts";

export const checkRules = defineFolderTool({
  name: "check_rules",
  title: "Check the rules",
  description:
    "Validates a folder's svc.rules.toml. Each error includes its line and a suggestion.",
  input: folderInput,
  output: { rules: z.unknown(), diagnostics: z.array(anyObject) },
  effect: "read",
  async run({ folder }, around) {
    const answer = await around.svc(["rules", "check"], { folder });
    const diagnostics = listOf(answer, "diagnostics");
    const notes = diagnostics.map(({ path, message }) => `- ${path}: ${message}`);
    return {
      text: ["The rules are valid", ...notes].join("\n"),
      data: { rules: answer.rules ?? null, diagnostics },
      next: [
        {
          tool: "explain_request",
          arguments: { method: "GET", url: "/" },
          why: "to see their decisions",
        },
        {
          tool: "deploy",
          arguments: { production: true },
          why: "to publish them with the site",
        },
      ],
    };
  },
});

export const testRules = defineFolderTool({
  name: "test_rules",
  title: "Test the rules",
  description: "Runs svc.rules.test.toml: requests with their expected outcomes.",
  input: folderInput,
  output: { passed: z.number(), failed: z.number() },
  effect: "read",
  async run({ folder }, around) {
    const answer = await around.svc(["rules", "test"], { folder });
    const { passed, failed, unreached } = answer;
    return { text: `${passed} passed, ${failed} failed`, data: { passed, failed, unreached } };
  },
});

export const explainRequest = defineFolderTool({
  name: "explain_request",
  title: "Explain a request",
  description:
    "Shows which rules of a folder match a request and what they decide, without sending the request.",
  input: {
    ...folderInput,
    method: z.string().max(20).default("GET"),
    url: z.string().max(4096).describe("URL, or a path"),
    headers: z.record(z.string().max(200), z.string().max(4096)).default({}),
    ip: z.string().max(60).optional(),
    country: z.string().length(2).optional(),
    device: z.enum(["desktop", "mobile", "tablet", "bot"]).optional(),
  },
  output: { decision: z.unknown(), summary: z.unknown() },
  effect: "read",
  async run({ folder, method, url, headers, ...facts }, around) {
    const flags = Object.entries(facts).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${value}`]
    );
    const fields = Object.entries(headers).flatMap((
      [name, value],
    ) => ["--header", `${name}:${value}`]);
    const answer = await around.svc(
      ["rules", "explain", ...flags, ...fields, "--", method, url],
      { folder },
    );
    const { decision, summary, rules } = answer;
    return {
      text: typeof summary === "string" ? summary : JSON.stringify(summary ?? decision, null, 1),
      data: { decision, summary, rules },
    };
  },
});

export const publishRules = defineFolderTool({
  name: "publish_rules",
  title: "Publish the rules",
  description:
    "Publishes a folder's svc.rules.toml to production immediately, without a deployment.",
  input: { ...folderInput, ...projectInput },
  output: { revisionId: z.string() },
  effect: "destroy",
  isIdempotent: true,
  async run({ folder, project }, around) {
    const words = ["rules", "publish", ...projectFlag(project, around)];
    const { revisionId, publishedAt } = await around.svc(words, { folder });
    return {
      text: `Revision ${revisionId} is in effect`,
      data: { revisionId, publishedAt },
      next: [{
        tool: "search_logs",
        arguments: { level: "warn" },
        why: "to see visitors' errors",
      }],
    };
  },
});
