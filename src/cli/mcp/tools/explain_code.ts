/** @module A tool for agents that explains an error code. */
import * as z from "zod";
import { defineFolderTool } from "../tool.ts";

export const explainCode = defineFolderTool({
  name: "explain_code",
  title: "Explain an error code",
  description: "The meaning of an error code and how to fix it.",
  input: { code: z.string().max(60).describe("For example rules_invalid") },
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
