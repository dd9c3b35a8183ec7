import { type DeploymentState, isDeploymentUnderWay } from "../../contract/deployments.ts";
import type { TriggerAnswer } from "../../contract/hooks.ts";
import { defineCommand } from "../command/command.ts";
import { definedOnly } from "../command/defined_only.ts";
import { oldForce, wantsRebuild } from "../command/renamed_flag.ts";
import { wholeNumber } from "../command/option_values.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";
import { askProgress, sendTrigger } from "./send_trigger.ts";

/** Final states that make the command fail. */
const WITHOUT_RESULT: ReadonlySet<DeploymentState> = new Set(["FAILED", "STOPPED"]);

/** Pause between two polls, in milliseconds. It grows from the first value to the last. */
const FIRST_PAUSE_MS = 250;
const LAST_PAUSE_MS = 3000;

const DEFAULT_WAIT_SECONDS = 1800;

/** Waits until a deployment has finished. Reports each new state. */
async function waitUntilEnded(
  ctx: Context,
  first: TriggerAnswer,
  waitMs: number,
): Promise<TriggerAnswer> {
  const deadline = ctx.now() + waitMs;
  let current = first;
  let pause = FIRST_PAUSE_MS;
  while (isDeploymentUnderWay(current.status)) {
    if (ctx.now() >= deadline) {
      throw new CliError("deployment_failed", `Deployment ${first.id} is still ${current.status}`, {
        details: { id: first.id, status: current.status, statusUrl: first.statusUrl },
      });
    }
    await ctx.sleep(pause);
    pause = Math.min(pause * 1.5, LAST_PAUSE_MS);
    const next = await askProgress(ctx, first.statusUrl);
    const isNew = next.status !== current.status && !WITHOUT_RESULT.has(next.status);
    if (isNew) ctx.ui.log("deploy", "info", printable(next.message));
    current = next;
  }
  return current;
}

export default defineCommand({
  description:
    "Needs no login, only the URL. Use SVC_HOOK_URL to keep the URL out of the process list and the shell history.",
  define: (command) =>
    command
      .option("--url <url>", "the hook's URL (default: SVC_HOOK_URL)")
      .requiredOption("--commit <sha>", "commit to deploy, 7 to 40 hexadecimal digits")
      .requiredOption("--branch <branch>", "branch of the commit")
      .option("--message <text>", "the deployment's message (default: the commit's)")
      .option("--author <text>", "author of the deployment (default: the commit's)")
      .option("--rebuild", "deploy even if this commit is already deployed")
      .addOption(oldForce())
      .option(
        "--idempotency-key <key>",
        "return the same deployment for repeated calls with this key",
      )
      .option("--wait", "wait until it is live; fail if the deployment fails")
      .option(
        "--timeout <seconds>",
        "maximum time to wait",
        wholeNumber({ min: 1, max: 86_400 }),
        DEFAULT_WAIT_SECONDS,
      ),
  examples: [
    ["hooks trigger --commit 8f14e45 --branch main --wait", "deploy a commit and wait for it"],
    [
      "hooks trigger --commit $(git rev-parse HEAD) --branch main",
      "deploy the checked-out commit",
    ],
  ],
  async run({ flags }, ctx) {
    const url = flags.url ?? ctx.env.SVC_HOOK_URL;
    if (url === undefined || url === "") {
      throw new CliError("usage", "No hook URL: set SVC_HOOK_URL or use --url");
    }
    const { commit: commitSha, branch, message, author } = flags;
    const force = wantsRebuild(ctx, flags, "deploy");
    const answer = await sendTrigger(ctx, {
      url,
      body: definedOnly({ commitSha, branch, message, author, force }),
      idempotencyKey: flags.idempotencyKey,
    });
    ctx.ui.log("deploy", "info", printable(answer.message));
    const deployment = flags.wait === true
      ? await waitUntilEnded(ctx, answer, flags.timeout * 1000)
      : answer;
    const isSkipped = deployment.status === "STOPPED" && deployment.error !== null;
    if (isSkipped) ctx.ui.note(printable(deployment.message));
    else if (WITHOUT_RESULT.has(deployment.status)) {
      throw new CliError("deployment_failed", printable(deployment.message), {
        hint: `\`svc logs --build ${deployment.id}\` shows the build log`,
        details: { id: deployment.id, status: deployment.status },
      });
    }
    ctx.ui.result({ deployment }, deployment.url);
  },
});
