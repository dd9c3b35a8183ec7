import { defineCommand } from "../command.ts";

/** Asked by the scripts of `svc completion`, not by people. */
export default defineCommand({
  define: (command) => command.argument("[words...]", "words of the command line so far"),
  examples: [["complete -- pro", "what a shell asks when one types svc pro"]],
  async run({ args: [words] }, ctx) {
    const answer = await ctx.complete(words);
    ctx.ui.result({ answer: answer.split("\n") }, answer);
  },
});
