import { getDeployment, promoteDeployment } from "../../contract/deployments.ts";
import { Option } from "@commander-js/extra-typings";
import { definedOnly } from "../command/defined_only.ts";
import { askOfNewerSchema } from "./newer_schema.ts";
import { reportRelease, rollingOf, rollingSteps, stepTime } from "./rolling.ts";
import { defineCommand } from "../command/command.ts";
import { deploymentId, wholeNumber } from "../command/option_values.ts";
import { reportRulesInEffect } from "../rules/published_rules.ts";
import { formatFacts } from "../terminal/table.ts";

export default defineCommand({
  description:
    "Nothing is rebuilt or uploaded. Production gets the deployment's files, functions and rules, with production's variables. Values that were read at build time do not change.",
  define: (command) =>
    command.argument("<id>", "ID of the deployment; `svc deployments` shows it", deploymentId)
      .addOption(
        new Option(
          "--share <percent>",
          "serve it to this percentage of visitors until you end the release",
        )
          .argParser(wholeNumber({ min: 1, max: 100 })),
      )
      .option("--rolling <shares>", "release in steps, such as 5,25,100", rollingSteps)
      .option("--every <time>", "duration of each step (default: 10m)", stepTime),
  offers: { id: "deployment" },
  examples: [
    ["promote 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11", "promote a preview to production"],
    [
      "promote 01997e7c-6a5b-7cc2-b7d0-2f8f6a1b9a11 --share 10",
      "first serve it to 10% of production's visitors",
    ],
  ],
  async run({ args: [id], flags }, ctx) {
    const rolling = rollingOf(flags);
    const client = ctx.client({ phase: "deploy" });
    const source = await client.call(getDeployment, { params: { deployment: id } });
    const newerSchema = source.isPreview || source.isProduction
      ? []
      : await askOfNewerSchema(ctx, client, { project: source.projectId, to: id, phase: "deploy" });
    const deployment = await client.call(promoteDeployment, {
      params: { deployment: id },
      body: definedOnly({ rolling }),
    });
    if (rolling !== undefined && !deployment.isProduction) {
      reportRelease(ctx, deployment, rolling);
      return ctx.ui.result(
        { deployment, rulesInEffect: null, newerSchema },
        deployment.urls.production,
      );
    }
    ctx.ui.done("deploy", `Promoted ${id} of ${deployment.project} to production`);
    ctx.ui.note(formatFacts([
      ["  deployment", deployment.id],
      ["  production", deployment.urls.production],
      ["  undo", ctx.lines.of("rollback", "--project-id", deployment.project)],
    ]));
    const rulesInEffect = await reportRulesInEffect(ctx, client, {
      project: deployment.projectId,
      phase: "deploy",
    });
    ctx.ui.result({ deployment, rulesInEffect, newerSchema }, deployment.urls.production);
  },
});
