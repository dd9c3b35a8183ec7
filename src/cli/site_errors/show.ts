import { endpoints, type ErrorDetails } from "../../contract/mod.ts";
import { defineCommand, warnOfMissingNodes } from "../command/mod.ts";
import { openProject } from "../projects/mod.ts";
import { formatFacts, printable } from "../terminal/mod.ts";

/** Text of several lines that cannot control the terminal. */
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
      ["brought by", broughtBy],
    ]),
    ...(stack === null ? [] : [lines(stack)]),
    `Latest occurrences:\n${seen.join("\n")}`,
  ].join("\n\n");
}

export default defineCommand({
  description: "With --json, the answer includes the lines of the log.",
  define: (command) =>
    command
      .argument("<error>", "id of the error, as `svc errors list` shows it")
      .option("--project-id <id>", "id or name of the project"),
  examples: [["errors show 5f3a9c1e0b7d2a44", "show one error"]],
  async run({ args: [id], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const params = { project: project.id, error: id };
    const found = await client.call(endpoints.getError, { params });
    warnOfMissingNodes(ctx, found.missingNodes);
    ctx.ui.result({ details: found }, formatError(found));
  },
});
