/**
 * The platform as a git remote of a checkout, and the tool as what git asks for its key.
 *
 * @module
 */
import type { Project } from "../../contract/mod.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import { CliError } from "../errors/mod.ts";
import { type Context, showPath } from "../session/mod.ts";

/** Name of the remote. */
const REMOTE = "svc";

/** Address of a project's repository on a platform. */
export function remoteUrl(apiUrl: string, { workspace, name }: Project): string {
  return `${new URL(apiUrl).origin}/git/${workspace}/${name}.git`;
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The line by which git runs this very program as its helper (git-credential, "!"). */
function helperLine(): string {
  const program = shellQuoted(Deno.execPath());
  if (Deno.build.standalone) return `!${program} git-credential`;
  return `!${program} run --quiet --allow-all --no-check ${
    shellQuoted(Deno.mainModule)
  } git-credential`;
}

/** Runs git in a directory; `undefined` where it fails. */
async function git(directory: string, args: readonly string[]): Promise<string | undefined> {
  const { success, stdout } = await runProgram("git", {
    args: ["-C", directory, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  });
  return success ? new TextDecoder().decode(stdout).trim() : undefined;
}

/** @throws {CliError} where a directory belongs to no checkout of git */
export async function assertCheckout(ctx: Context, directory: string): Promise<void> {
  if (await git(directory, ["rev-parse", "--git-dir"]) !== undefined) return;
  throw new CliError("usage", `Run \`git init\`: ${showPath(directory, ctx)} is no repository yet`);
}

/** Makes a project a remote of a checkout, and the tool the helper for its credentials. */
export async function addGitRemote(
  ctx: Context,
  directory: string,
  project: Project,
): Promise<string> {
  const url = remoteUrl(ctx.apiUrl, project);
  const section = `credential.${new URL(ctx.apiUrl).origin}`;
  const isThere = await git(directory, ["remote", "get-url", REMOTE]) !== undefined;
  const steps = [
    ["remote", isThere ? "set-url" : "add", REMOTE, url],
    // An empty helper removes those of the user's own settings, which would store the key.
    ["config", "--local", "--replace-all", `${section}.helper`, ""],
    ["config", "--local", "--add", `${section}.helper`, helperLine()],
    // With its path, the workspace says which of several keys is meant.
    ["config", "--local", `${section}.useHttpPath`, "true"],
  ];
  for (const step of steps) {
    if (await git(directory, step) !== undefined) continue;
    throw new CliError(
      "usage",
      `Make ${showPath(directory, ctx)} writable: \`git ${step.slice(0, 2).join(" ")}\` failed`,
    );
  }
  ctx.ui.done("link", `Added git remote ${REMOTE}: ${url}`);
  return url;
}
