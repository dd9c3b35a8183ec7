import { regenerateHook } from "../../contract/hooks.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { printable } from "../terminal/format.ts";
import { findHook } from "./project_hooks.ts";

export default defineCommand({
  description:
    "Prints the new URL once. The old URL stops working immediately, so update everything that uses it.",
  define: (command) =>
    command
      .argument("<hook>", "ID or name of the hook")
      .option(...PROJECT_OPTION),
  offers: { hook: "hook" },
  examples: [["hooks regenerate cms", "regenerate the URL of the hook cms"]],
  async run({ args: [reference], flags }, ctx) {
    const { client, project } = await openProject(ctx, { given: flags.projectId, phase: "deploy" });
    const { id } = await findHook(ctx, client, { project, reference });
    const { url, secret, ...hook } = await client.call(regenerateHook, {
      params: { hook: id },
    });
    ctx.ui.done(
      "deploy",
      `Deploy hook ${printable(hook.name)} has a new URL. The old one no longer works`,
    );
    ctx.ui.note("Copy the URL now. It is a secret, and you won't see it again");
    ctx.ui.result({ hook, url, secret }, secret === null ? url : `${url}\nsecret ${secret}`);
  },
});
