/**
 * Deploys a project as a push would, with a repository, a deploy hook, and a build on the platform.
 *
 * @module
 */
import assert from "node:assert/strict";
import { git } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import { callApi, hostOf, type Sandbox } from "../helpers/sandbox.ts";

/** Maximum time to wait for a build, in milliseconds. The build may have to fetch packages. */
const PATIENCE_MS = 300_000;

const ENDED = ["LIVE", "FAILED", "STOPPED"];

async function commitAll(folder: string): Promise<void> {
  await Deno.remove(`${folder}/.git`, { recursive: true }).catch(() => {});
  await git(folder, "init", "--quiet", "--initial-branch=main");
  await Deno.writeTextFile(`${folder}/.gitignore`, "node_modules\n.svc\ndist\n");
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "--message=First");
}

/** Returns a build's log as text. */
async function logOf(box: Sandbox, id: string): Promise<string> {
  const { lines } = await callApi(box, "GET", `/v1/deployments/${id}/build-log`);
  return lines.map(({ text }: { readonly text: string }) => text).join("\n");
}

interface GitDeployed {
  readonly id: string;
  readonly host: string;
}

/**
 * Commits the project's folder and deploys the branch with a hook. The platform must run with a git
 * root above the folder.
 */
export async function deployFromGit(
  box: Sandbox,
  { name, folder, rootDirectory }: {
    readonly name: string;
    readonly folder: string;
    readonly rootDirectory?: string;
  },
): Promise<GitDeployed> {
  await commitAll(folder);
  const project = await callApi(box, "POST", "/v1/projects", {
    name,
    gitUrl: folder,
    ...(rootDirectory === undefined ? {} : { rootDirectory }),
  });
  const hook = await callApi(box, "POST", "/v1/deploy-hooks", {
    projectId: project.id,
    name: "push",
    branch: "main",
    scope: "All",
  });
  const { id } = await callApi(box, "POST", new URL(hook.url).pathname, {
    branch: "main",
    commitSha: (await git(folder, "rev-parse", "HEAD")).trim(),
  });
  const ended = await until(
    () => callApi(box, "GET", `/v1/deployments/${id}`),
    ({ status }) => ENDED.includes(status),
    PATIENCE_MS,
  );
  assert.equal(ended.status, "LIVE", `${ended.error}\n${(await logOf(box, id)).slice(-4000)}`);
  return { id, host: hostOf(ended.url) };
}
