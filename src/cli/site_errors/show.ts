import { type ErrorDetails, getError } from "../../contract/errors.ts";
import { defineCommand } from "../command/command.ts";
import { warnOfMissingNodes } from "../command/missing_nodes.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { formatFacts } from "../terminal/table.ts";
import { printable } from "../terminal/format.ts";

/** Escapes characters of a multi-line text that could control the terminal. */
const lines = (text: string): string => text.split("\n").map(printable).join("\n");

function formatError(error: ErrorDetails): string {
  const { kind, source, count, firstSeen, lastSeen, broughtBy, stack, occurrences } = error;
  const seen = occurrences.map(({ time, status, method, path, requestId, message }) =>
    printable(
      [time, status, method ?? "", path ?? message, requestId].filter((part) => part).join(" "),
    )
  );
  return [
    printable(error.title),
    formatFacts([
      ["from", printable(source === null ? kind : `${kind} ${source}`)],
      ["seen", String(count)],
      ["first", firstSeen],
      ["last", lastSeen],
      ["first seen in", broughtBy],
    ]),
    ...(stack === null ? [] : [lines(stack)]),
    `Latest occurrences:\n${seen.join("\n")}`,
  ].join("\n\n");
}

export default defineCommand({
  description: "With --json, the output includes the log lines.",
  define: (command) =>
    command
      .argument("<error>", "ID of the error, from `svc errors list`")
      .option(...PROJECT_OPTION),
  examples: [["errors show 5f3a9c1e0b7d2a44", "show one error"]],
  async run({ args: [id], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const params = { project: project.id, error: id };
    const found = await client.call(getError, { params });
    warnOfMissingNodes(ctx, found.missingNodes);
    ctx.ui.result({ details: found }, formatError(found));
  },
});
