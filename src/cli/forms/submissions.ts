import { type FormSubmission, listFormSubmissions } from "../../contract/forms.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatAge, formatBytes, printable } from "../terminal/format.ts";
import { ENVIRONMENT_OPTION, SPAM_OPTION, stateOf } from "./form_options.ts";

/** Number of submissions to show. */
const SHOWN = 20;

/** Formats a submission: its ID and age, then its fields and files, on separate lines. */
function describe({ id, sentAt, spamReason, fields, files }: FormSubmission, now: number): string {
  return [
    `${id} · ${formatAge(sentAt, now)}${spamReason === null ? "" : ` · ${spamReason}`}`,
    ...fields.flatMap(({ name, value }) => {
      const [first = "", ...rest] = value.split("\n").map(printable);
      return [`  ${printable(name)}: ${first}`, ...rest.map((line) => `    ${line}`)];
    }),
    ...files.map(({ field, name, size, key }) => {
      const place = key === null ? "" : `, svc blobs get ${printable(key)}`;
      return `  ${printable(field)}: ${printable(name)} (${formatBytes(size)}${place})`;
    }),
  ].join("\n");
}

export default defineCommand({
  description: `Shows the newest ${SHOWN}. Files are in the environment's blob store.`,
  define: (command) =>
    command
      .argument("<form>", "name of the form")
      .option(...SPAM_OPTION)
      .option(...ENVIRONMENT_OPTION)
      .option(...PROJECT_OPTION),
  examples: [
    ["forms submissions contact", "show the newest submissions"],
    ["forms submissions contact --spam", "show the spam"],
  ],
  async run({ args: [form], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { items: submissions } = await client.call(listFormSubmissions, {
      params: { project: project.id, form },
      query: { environment: flags.environment, state: stateOf(flags), limit: SHOWN },
    });
    if (submissions.length === 0) ctx.ui.note("No submissions");
    const text = submissions.map((each) => describe(each, ctx.now())).join("\n\n");
    ctx.ui.result({ submissions }, text);
  },
});
