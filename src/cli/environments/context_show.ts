import { CONTEXT_PATH, contextPath } from "../../config/context.ts";
import { defineCommand } from "../command/command.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import { environmentVariable, readContext } from "./choose_environment.ts";

export default defineCommand({
  description:
    "Shows the default environment for commands in this checkout, and where it comes from. Does not contact the platform.",
  define: (command) => command,
  examples: [["context show", "show this checkout's environment"]],
  async run(_, ctx) {
    const { directory } = await openProjectFolder(ctx);
    const variable = environmentVariable(ctx);
    const context = await readContext(ctx, directory);
    const environment = variable ?? context?.environment.name ?? null;
    if (environment === null) {
      ctx.ui.note("No environment chosen. Choose one with `svc context use <name-or-id>`");
    } else {
      const source = variable === undefined ? CONTEXT_PATH : "SVC_ENVIRONMENT";
      ctx.ui.log("env", "info", `Environment ${environment} (from ${source})`);
    }
    ctx.ui.result({
      environment,
      environmentSource: variable === undefined
        ? (context === undefined ? null : "context")
        : "variable",
      context: context ?? null,
      file: contextPath(directory),
    }, environment ?? "");
  },
});
