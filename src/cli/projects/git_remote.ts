/** @module Adds the platform to a checkout as a git remote, with the CLI as credential helper. */
import type { Project } from "../../contract/projects.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { showPath } from "../session/paths.ts";
import { runProgram } from "../../lib/spawn_program.ts";

/** Name of the remote. */
const REMOTE = "svc";

/** Returns the URL of a project's repository on a platform. */
function remoteUrl(apiUrl: string, { workspace, name }: Project): string {
  return `${new URL(apiUrl).origin}/git/${workspace}/${name}.git`;
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Returns the setting that makes git run this program as a credential helper (git-credential, "!").
 */
function helperLine(): string {
  const program = shellQuoted(Deno.execPath());
  if (Deno.build.standalone) return `!${program} git-credential`;
  return `!${program} run --quiet --allow-all --no-check ${
    shellQuoted(Deno.mainModule)
  } git-credential`;
}

/** Runs git in a directory. Returns `undefined` if it fails. */
async function git(directory: string, args: readonly string[]): Promise<string | undefined> {
  const { success, stdout } = await runProgram("git", {
    args: ["-C", directory, ...args],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  });
  return success ? new TextDecoder().decode(stdout).trim() : undefined;
}

/**
 * Returns the folder of a project in its repository, such as `apps/web`. Returns `undefined` if the
 * project is the whole repository, or if there is no repository. A folder that git ignores is not
 * part of the repository.
 */
export async function rootDirectoryOf(directory: string): Promise<string | undefined> {
  const prefix = await git(directory, ["rev-parse", "--show-prefix"]).catch(() => undefined);
  const folder = prefix?.replace(/\/+$/, "") ?? "";
  if (folder === "") return undefined;
  const isIgnored = await git(directory, ["check-ignore", "-q", "."]) !== undefined;
  return isIgnored ? undefined : folder;
}

/** @throws {CliError} if a directory is not in a git checkout */
export async function assertCheckout(ctx: Context, directory: string): Promise<void> {
  if (await git(directory, ["rev-parse", "--git-dir"]) !== undefined) return;
  throw new CliError(
    "usage",
    `${showPath(directory, ctx)} is not a git repository. Run \`git init\``,
  );
}

/** Splits git's output into lines. Returns no lines if git failed. */
const linesOf = (output: string | undefined): string[] =>
  output?.split("\n").filter((line) => line !== "") ?? [];

/**
 * Returns the steps that add a URL to the remote. Each app in a monorepo adds its own URL, so one
 * push deploys every app that changed.
 */
async function remoteSteps(directory: string, url: string): Promise<string[][]> {
  const there = linesOf(await git(directory, ["remote", "get-url", "--push", "--all", REMOTE]));
  if (there.length === 0) return [["remote", "add", REMOTE, url]];
  if (there.includes(url)) return [];
  const platform = `${new URL(url).origin}/git/`;
  const isBeside = await rootDirectoryOf(directory) !== undefined &&
    there.every((each) => each.startsWith(platform));
  const key = `remote.${REMOTE}.pushurl`;
  const pushed = linesOf(await git(directory, ["config", "--local", "--get-all", key]));
  if (!isBeside) {
    const alone = pushed.length === 0 ? [] : [["config", "--local", "--unset-all", key]];
    return [...alone, ["remote", "set-url", REMOTE, url]];
  }
  const missing = pushed.length === 0 ? [...there, url] : [url];
  return missing.map((each) => ["config", "--local", "--add", key, each]);
}

/** Adds a project to a checkout as a git remote, with the CLI as its credential helper. */
export async function addGitRemote(
  ctx: Context,
  directory: string,
  project: Project,
): Promise<string> {
  const url = remoteUrl(ctx.apiUrl, project);
  const section = `credential.${new URL(ctx.apiUrl).origin}`;
  const steps = [
    ...await remoteSteps(directory, url),
    // An empty helper disables the helpers in the user's settings, which would store the key.
    ["config", "--local", "--replace-all", `${section}.helper`, ""],
    ["config", "--local", "--add", `${section}.helper`, helperLine()],
    // If there are several keys, the helper chooses one based on the workspace in the path.
    ["config", "--local", `${section}.useHttpPath`, "true"],
  ];
  for (const step of steps) {
    if (await git(directory, step) !== undefined) continue;
    throw new CliError(
      "usage",
      `\`git ${step.slice(0, 2).join(" ")}\` failed: make ${showPath(directory, ctx)} writable`,
    );
  }
  ctx.ui.done("link", `Added git remote ${REMOTE}: ${url}`);
  return url;
}
