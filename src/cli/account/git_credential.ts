import { defineCommand } from "../command/command.ts";
import { readPiped } from "../command/read_value.ts";
import type { Context } from "../session/context.ts";

/** Maximum size of git's request, in bytes. */
const MAX_QUESTION = 64 * 1024;

/** Path of a repository on a platform. It contains the workspace and project. */
const REPOSITORY = /^git\/([^/]+)\/([^/]+)\.git(?:\/|$)/;

/**
 * Parses git's request, which consists of lines of `name=value` (git-credential, "Input/output
 * format").
 */
function readQuestion(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split("\n").flatMap((line) => {
      const sign = line.indexOf("=");
      return sign === -1 ? [] : [[line.slice(0, sign), line.slice(sign + 1)] as const];
    }),
  );
}

/** Finds the key for a repository on a platform, or `undefined` if there is none. */
async function keyFor(
  ctx: Context,
  question: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const url = URL.parse(`${question.get("protocol")}://${question.get("host")}`);
  const [, workspace, project] = REPOSITORY.exec(question.get("path") ?? "") ?? [];
  if (url === null || workspace === undefined) return undefined;
  const isCurrent = new URL(ctx.apiUrl).origin === url.origin;
  // A key from the environment works only with the platform that the CLI uses.
  if (isCurrent && ctx.settings.token !== undefined) return ctx.settings.token;
  const apiUrl = isCurrent ? ctx.apiUrl : url.origin;
  const stored = ctx.credentials.find(apiUrl, workspace)?.token;
  if (stored !== undefined || !isCurrent) return stored;
  return await ctx.jobKey?.(workspace, project);
}

export default defineCommand({
  description:
    "Git runs this command after `svc link --git-remote`. It prints a key and stores nothing.",
  define: (command) => command.argument("<operation>", "git's operation: get, store or erase"),
  examples: [["git-credential get", "print the key for the repository described on stdin"]],
  async run({ args: [operation] }, ctx) {
    if (operation !== "get") return;
    const key = await keyFor(ctx, readQuestion(await readPiped(ctx, MAX_QUESTION)));
    if (key === undefined) {
      ctx.ui.note("svc has no key for this remote: run `svc login`\n");
      return;
    }
    ctx.ui.data(`username=svc\npassword=${key}\n`);
  },
});
