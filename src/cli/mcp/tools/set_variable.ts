/** @module A tool for agents that sets a variable without showing its value. */
import * as z from "zod";
import { projectInput, ToolFailure } from "../../../agents/tool.ts";
import { defineFolderTool, folderInput, projectFlag } from "../tool.ts";

/** Prefix of environment variables that configure svc itself. */
const OWN_VARIABLES = "SVC_";

export const setVariable = defineFolderTool({
  name: "set_variable",
  title: "Set a variable without revealing its value",
  description:
    "Sets a variable from a file or from this server's environment. The value never passes through the conversation. It takes effect with the next deployment.",
  input: {
    ...projectInput,
    ...folderInput,
    name: z.string().max(100).describe("Name of the variable"),
    fromFile: z.string().max(4096).optional().describe(
      "Project file that contains only the value",
    ),
    fromEnvironment: z.string().max(100).optional()
      .describe("This server's environment variable that contains the value"),
    isSecret: z.boolean().default(true),
    environment: z.string().max(100).optional()
      .describe("production, preview or a custom one (default: all)"),
  },
  output: { variable: z.object({ key: z.string() }) },
  effect: "destroy",
  isIdempotent: true,
  async run(input, around) {
    const { name, fromFile, fromEnvironment, isSecret, environment, folder, project } = input;
    if (fromEnvironment?.startsWith(OWN_VARIABLES)) {
      throw new ToolFailure({
        error: `${fromEnvironment} belongs to svc and may be its key, so it cannot be used`,
        code: "forbidden",
      });
    }
    const found = fromEnvironment === undefined ? undefined : around.env(fromEnvironment);
    if ((fromFile === undefined) === (found === undefined)) {
      throw new ToolFailure({
        error: fromEnvironment !== undefined && found === undefined
          ? `This server's environment has no variable ${fromEnvironment}`
          : "Set either fromFile or fromEnvironment",
        code: "usage",
        hint: "Ask the user to put the value into a file, or to start the server with the variable",
      });
    }
    const value = fromFile === undefined ? found : await around.readFile(fromFile, folder);
    const words = [
      "env",
      "set",
      isSecret ? "--secret" : "--plain",
      "--stdin",
      ...environment === undefined ? ["--all"] : [`--environment=${environment}`],
      ...projectFlag(project, around),
      "--",
      name,
    ];
    await around.svc(words, {
      folder,
      stdin: value,
    });
    return {
      text: `${name} is set. It takes effect with the next deployment`,
      data: { variable: { key: name } },
      next: [{ tool: "deploy", arguments: { production: true }, why: "to apply it" }],
    };
  },
});
