import { getRules, putRules } from "../../contract/rules.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatFacts } from "../terminal/table.ts";
import { findPlatform } from "./platform_facts.ts";
import { describeActive, explainConflict, undoLine } from "./published_rules.ts";
import { loadValidRules, readRulesSource, reportWarnings } from "./rules_file.ts";

export default defineCommand({
  description:
    "Published rules take effect without a deployment and override the deployment's rules until you remove them. If someone else publishes at the same time, one of you gets an error.",
  define: (command) =>
    command
      .argument("[file]", "rules file (default: the project's svc.rules.toml)")
      .option(...PROJECT_OPTION)
      .option(
        "--if-match <etag>",
        "only if this is still the active version (from svc rules list --json)",
      ),
  examples: [
    ["rules publish", "publish svc.rules.toml to production"],
    ["rules publish edge.toml --project-id blog", "publish another file to another project"],
  ],
  async run({ args: [given], flags }, ctx) {
    const file = await readRulesSource(ctx, given);
    const { ruleSet, diagnostics } = loadValidRules(file, await findPlatform(ctx, file.source));
    reportWarnings(ctx, file, diagnostics);
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const params = { project: project.id };
    const before = await client.send(getRules, { params });
    const known = flags.ifMatch ?? before.etag;
    try {
      const { body: active, etag } = await client.send(putRules, {
        params,
        body: ruleSet,
        ifMatch: known,
      });
      ctx.ui.done("deploy", `${describeActive(active)}, now used by ${project.url}`);
      ctx.ui.note(formatFacts([["  undo", undoLine(ctx, before.body)]]));
      ctx.ui.result({ ...active, etag: etag ?? null }, "");
    } catch (error) {
      throw explainConflict(ctx, error);
    }
  },
});
