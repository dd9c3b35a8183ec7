import { regenerateHook } from "../../contract/hooks.ts";
import { defineCommand } from "../command/command.ts";
import { openProject } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { findHook } from "./project_hooks.ts";

export default defineCommand({
  description: "Prints the new URL once. The old one stops working at once: give the new one to " +
    "everything that uses it.",
  define: (command) =>
    command
      .argument("<hook>", "id or name of the hook")
      .option("--project-id <id>", "id or name of the project"),
  offers: { hook: "hook" },
  examples: [["hooks regenerate cms", "give the hook cms a new URL"]],
  async run({ args: [reference], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { id } = await findHook(ctx, client, { project, reference });
    const { url, secret, ...hook } = await client.call(regenerateHook, {
      params: { hook: id },
    });
    ctx.ui.done(
      "deploy",
      `Deploy hook ${printable(hook.name)} has a new URL; the old one no longer works`,
    );
    ctx.ui.note("The URL is a secret, and is shown only this once");
    ctx.ui.result({ hook, url, secret }, secret === null ? url : `${url}\nsecret ${secret}`);
  },
});
