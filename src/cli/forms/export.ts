import { Option } from "@commander-js/extra-typings";
import { submissionsToCsv } from "../../contract/form_export.ts";
import { type FormSubmission, listFormSubmissions } from "../../contract/forms.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { ENVIRONMENT_OPTION, SPAM_OPTION, stateOf } from "./form_options.ts";

const PAGE = 100;
/** Maximum number of pages in an export. No project has more. */
const MAX_PAGES = 250;

export default defineCommand({
  description:
    "Prints to stdout, newest first. In CSV, cells that a spreadsheet would run as a formula " +
    "start with an apostrophe.",
  define: (command) =>
    command
      .argument("<form>", "name of the form")
      .addOption(
        new Option("--format <format>", "format of the export").choices(["csv", "json"] as const)
          .default("csv" as const),
      )
      .option(...SPAM_OPTION)
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [
    ["forms export contact > contact.csv", "export for a spreadsheet"],
    ["forms export contact --format json", "export as JSON"],
  ],
  async run({ args: [form], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const submissions: FormSubmission[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const { items, nextCursor } = await client.call(listFormSubmissions, {
        params: { project: project.id, form },
        query: {
          environment: flags.environment,
          state: stateOf(flags),
          limit: PAGE,
          cursor,
        },
      });
      submissions.push(...items);
      if (nextCursor === null) break;
      cursor = nextCursor;
    }
    const text = flags.format === "csv"
      ? submissionsToCsv(submissions)
      : `${JSON.stringify(submissions, null, 2)}\n`;
    ctx.ui.bytes({ submissions }, new TextEncoder().encode(text));
  },
});
