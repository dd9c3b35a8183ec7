/**
 * The tool that explains the code of an error.
 *
 * @module
 */
import * as z from "zod";
import { defineFolderTool } from "../tool.ts";

export const explainCode = defineFolderTool({
  name: "explain_code",
  title: "Explain an error's code",
  description: "What the code of an error means, and how to mend it.",
  input: { code: z.string().max(60).describe("Such as rules_invalid") },
  output: { meaning: z.string(), remedy: z.string(), commands: z.array(z.string()) },
  effect: "read",
  async run({ code }, around) {
    const { meaning, remedy, commands, guide } = await around.svc(["explain", "--", code]);
    return {
      text: `${code}: ${meaning}\n${remedy}`,
      data: { meaning, remedy, commands, guide },
    };
  },
});
