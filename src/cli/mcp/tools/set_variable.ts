/**
 * The tool that sets a variable without showing its value.
 *
 * @module
 */
import * as z from "zod";
import { projectInput, ToolFailure } from "../../../agents/tool.ts";
import { defineFolderTool, folderInput, projectFlag } from "../tool.ts";

/** Variables of the server's environment that say how svc itself acts. */
const OWN_VARIABLES = "SVC_";

export const setVariable = defineFolderTool({
  name: "set_variable",
  title: "Set a variable unseen",
  description: "Sets a variable from a file or from a variable of this server's environment, so " +
    "that its value never passes through the conversation. It counts from the next deploy.",
  input: {
    ...projectInput,
    ...folderInput,
    name: z.string().max(100).describe("Name of the variable"),
    fromFile: z.string().max(4096).optional().describe(
      "File of the project that holds the value alone",
    ),
    fromEnvironment: z.string().max(100).optional()
      .describe("Variable of this server's environment that holds the value"),
    isSecret: z.boolean().default(true),
    environment: z.string().max(100).optional()
      .describe("production, preview or another; without it, all"),
  },
  output: { variable: z.object({ key: z.string() }) },
  effect: "destroy",
  isIdempotent: true,
  async run(input, around) {
    const { name, fromFile, fromEnvironment, isSecret, environment, folder, project } = input;
    if (fromEnvironment?.startsWith(OWN_VARIABLES)) {
      throw new ToolFailure({
        error: `${fromEnvironment} is svc's own, and may be its key: it goes to no site`,
        code: "forbidden",
      });
    }
    const found = fromEnvironment === undefined ? undefined : around.env(fromEnvironment);
    if ((fromFile === undefined) === (found === undefined)) {
      throw new ToolFailure({
        error: fromEnvironment !== undefined && found === undefined
          ? `This server's environment has no variable ${fromEnvironment}`
          : "Give fromFile or fromEnvironment, one of them",
        code: "usage",
        hint: "A person can put the value into a file, or start the server with the variable",
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
      text: `${name} is set; it counts from the next deploy`,
      data: { variable: { key: name } },
      next: [{ tool: "deploy", arguments: { production: true }, why: "so that it counts" }],
    };
  },
});
