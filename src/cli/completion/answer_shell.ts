import { defineCommand } from "../command/command.ts";
import type { LookUp } from "../session/candidate.ts";
import { listCandidates } from "./candidates.ts";

/** Maximum time to wait for the platform while the user is typing. */
const LOOK_UP_MS = 2_000;

/** Called by the scripts of `svc completion`, not by people. */
export default defineCommand({
  define: (command) => command.argument("[words...]", "words of the command line so far"),
  examples: [["complete -- pro", "what a shell requests after you type svc pro"]],
  async run({ args: [words] }, ctx) {
    const lookUp: LookUp = async (kind, project) => {
      const limit = AbortSignal.timeout(LOOK_UP_MS);
      const late = new Promise<never[]>((resolve) => {
        limit.addEventListener("abort", () => resolve([]), { once: true });
      });
      return await Promise.race([listCandidates(ctx, kind, project).catch(() => []), late]);
    };
    const answer = await ctx.complete(words, lookUp);
    ctx.ui.result({ answer: answer.split("\n") }, answer);
  },
});
