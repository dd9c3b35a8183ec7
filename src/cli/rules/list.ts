import { getRules, listRuleCounters } from "../../contract/rules.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { describeActive } from "./published_rules.ts";

/** Summarizes the condition of a rule: `path`, `host`, and the names of other fields. */
function describeCondition(value: unknown): string {
  const condition = (value ?? {}) as Record<string, unknown>;
  const path = condition.path as { type?: string; value?: string } | undefined;
  const parts = Object.keys(condition).map((field) => {
    if (field === "path") return `${path?.value} (${path?.type})`;
    return field === "host" ? `host ${condition.host}` : field;
  });
  return parts.length === 0 ? "every request" : parts.join(", ");
}

export default defineCommand({
  define: (command) => command.option(...PROJECT_OPTION),
  examples: [["rules list", "show production's active rules with their counters"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const params = { project: project.id };
    const [{ body: active, etag }, { items: counters }] = await Promise.all([
      client.send(getRules, { params }),
      client.call(listRuleCounters, { params }),
    ]);
    const matches = new Map(counters.map((counter) => [counter.ruleId, counter.matches]));
    ctx.ui.note(describeActive(active));
    const rows = (active.ruleSet?.rules ?? []).map((rule) => {
      const action = rule.action as { type?: string } | undefined;
      const id = String(rule.id);
      return [
        id,
        action?.type ?? "",
        rule.enabled === false ? "no" : "yes",
        String(matches.get(id) ?? 0),
        describeCondition(rule.condition),
      ];
    });
    ctx.ui.result(
      { ...active, etag: etag ?? null, counters },
      ctx.ui.table(["ID", "ACTION", "ENABLED", "MATCHES", "REQUESTS"], rows),
    );
  },
});
