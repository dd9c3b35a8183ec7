import { deleteFormSubmission, purgeForm } from "../../contract/forms.ts";
import { confirm } from "../command/confirm.ts";
import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatCount, printable } from "../terminal/format.ts";
import { ENVIRONMENT_OPTION, stateOf } from "./form_options.ts";

/** Maximum number of requests in one run. A run deletes at most 20,000 submissions. */
const MAX_REQUESTS = 100;

export default defineCommand({
  description: "Deletes one submission, all of them, or all spam.",
  define: (command) =>
    command
      .argument("<form>", "name of the form")
      .argument("[id]", "ID of the submission")
      .option("--all", "delete all submissions that are not spam")
      .option("--spam", "delete all spam")
      .option("--force", "skip the confirmation")
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [["forms delete contact --spam --force", "delete a form's spam"]],
  async run({ args: [form, id], flags }, ctx) {
    const { all, spam, force, environment, projectId } = flags;
    if ([id, all, spam].filter((each) => each !== undefined).length !== 1) {
      throw new CliError("usage", "Name one submission, or use --all or --spam");
    }
    const { client, project } = await openProject(ctx, { given: projectId, phase: "deploy" });
    const params = { project: project.id, form };
    const shown = `the form ${printable(form)}`;
    const what = id === undefined
      ? `all ${spam === true ? "spam" : "submissions"} of ${shown}`
      : `submission ${printable(id)} of ${shown}`;
    await confirm(ctx, {
      force,
      question: `Delete ${what} in ${printable(environment)}?`,
      wanted: `Confirm the deletion of ${what}`,
      declined: "Nothing deleted",
    });
    let removed = 0;
    if (id !== undefined) {
      await client.call(deleteFormSubmission, {
        params: { ...params, submission: id },
        query: { environment },
      });
      removed = 1;
    } else {
      for (let request = 0; request < MAX_REQUESTS; request++) {
        const body = { environment, state: stateOf(flags) };
        const answer = await client.call(purgeForm, { params, body });
        removed += answer.removed;
        if (!answer.hasMore) break;
      }
    }
    ctx.ui.done("deploy", `Deleted ${formatCount(removed, "submission")} from ${printable(form)}`);
    ctx.ui.result({ form, removed }, "");
  },
});
