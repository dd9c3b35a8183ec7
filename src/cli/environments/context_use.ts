import { join } from "node:path";
import { CONTEXT_PATH, contextPath, ignoreContext, saveContext } from "../../config/context.ts";
import { defineCommand } from "../command/command.ts";
import { openProject, PROJECT_OPTION } from "../projects/resolve_project.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import { assertWritable } from "../session/paths.ts";
import type { Context } from "../session/context.ts";
import { environmentVariable, listEnvironments, pickEnvironment } from "./choose_environment.ts";

/** Throws if the environment cannot be stored in the checkout. */
async function assertCanKeepContext(ctx: Context, root: string): Promise<void> {
  const hint = "Make the folder writable, or set SVC_ENVIRONMENT";
  await assertWritable(ctx, contextPath(root), hint);
  await assertWritable(ctx, join(root, ".gitignore"), hint);
}

export default defineCommand({
  description:
    `Stores the choice in this checkout's ${CONTEXT_PATH} and adds that file to .gitignore. --environment and SVC_ENVIRONMENT take precedence.`,
  define: (command) =>
    command
      .argument("<name-or-id>", "environment")
      .option(...PROJECT_OPTION),
  offers: { "name-or-id": "environment" },
  examples: [["context use preview", "use preview in this checkout"]],
  async run({ args: [reference], flags }, ctx) {
    await assertCanKeepContext(ctx, (await openProjectFolder(ctx)).directory);
    const { client, project, folder } = await openProject(ctx, {
      given: flags.projectId,
      phase: "env",
    });
    const { id, name } = pickEnvironment(ctx, {
      environments: await listEnvironments(client, project),
      reference,
      project,
      from: "argument",
    });
    const root = folder.directory;
    const ignored = await ignoreContext(root);
    await saveContext(root, { projectId: project.id, environment: { id, name } });
    ctx.ui.done("env", `This checkout now uses environment ${name} of ${project.name}`);
    if (ignored) ctx.ui.log("env", "info", `Added ${CONTEXT_PATH} to .gitignore`);
    const variable = environmentVariable(ctx);
    if (variable !== undefined) {
      ctx.ui.log("env", "warn", "SVC_ENVIRONMENT is set and takes precedence over the context");
    }
    ctx.ui.result({
      environment: { id, name },
      project: { id: project.id, name: project.name },
      file: contextPath(root),
      gitignoreChanged: ignored,
    }, "");
  },
});
