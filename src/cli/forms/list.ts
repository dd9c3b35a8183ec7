import { listForms } from "../../contract/forms.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatAge, printable } from "../terminal/format.ts";
import { ENVIRONMENT_OPTION } from "./form_options.ts";

const NO_ROOM = "No space left: new submissions are rejected. Delete some with svc forms delete";
const HEADINGS = ["FORM", "DEPLOYED", "SUBMISSIONS", "SPAM", "LATEST"] as const;

export default defineCommand({
  description: "A form is a <form> on your site whose action is /_svc/forms/<name>.",
  define: (command) => command.option(...ENVIRONMENT_OPTION).option(...PROJECT_OPTION),
  examples: [["forms list", "show the forms of production"]],
  async run({ flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { items: forms, hasRoom } = await client.call(listForms, {
      params: { project: project.id },
      query: { environment: flags.environment },
    });
    if (forms.length === 0) {
      ctx.ui.note('No forms. Deploy a page with <form action="/_svc/forms/contact" method="post">');
    }
    if (!hasRoom) ctx.ui.note(NO_ROOM);
    const rows = forms.map(({ name, isDeclared, inbox, spam, lastAt }) => [
      printable(name),
      isDeclared ? "yes" : "no",
      String(inbox),
      String(spam),
      lastAt === null ? "-" : formatAge(lastAt, ctx.now()),
    ]);
    ctx.ui.result({ forms, hasRoom }, ctx.ui.table(HEADINGS, rows));
  },
});
