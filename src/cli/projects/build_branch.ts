/** @module Builds a branch on the platform, and prints its log until the deployment is live. */
import { ApiError } from "../../client/errors.ts";
import type { Client } from "../../client/client.ts";
import { followEvents } from "../../client/events.ts";
import {
  type Deployment,
  getDeployment,
  isDeploymentUnderWay,
} from "../../contract/deployments.ts";
import { startBuild } from "../../contract/builds.ts";
import { followBuildLog } from "../../contract/build_logs.ts";
import type { Project } from "../../contract/projects.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";

/** Interval at which to check whether a built deployment is live, in milliseconds. */
const LOOK_MS = 500;

/** Returns the command that starts the same build again. */
function againLine(
  { lines }: Context,
  { project, branch, commitSha, rebuild }: WantedBuild,
): string {
  return lines.of(
    "builds",
    "start",
    "--project-id",
    project.name,
    ...(branch === undefined ? [] : ["--branch", branch]),
    ...(commitSha === undefined ? [] : ["--commit", commitSha]),
    ...(rebuild === true ? ["--rebuild"] : []),
  );
}

interface WantedBuild {
  readonly project: Project;
  readonly branch?: string | undefined;
  readonly commitSha?: string | undefined;
  readonly rebuild?: boolean | undefined;
}

async function start(ctx: Context, client: Client, wanted: WantedBuild) {
  const { project, branch, commitSha, rebuild } = wanted;
  try {
    return await client.call(startBuild, {
      params: { project: project.id },
      body: { branch, commitSha, force: rebuild },
    });
  } catch (error) {
    const isUnconnected = error instanceof ApiError && error.code === "not_found" &&
      project.gitUrl === null && error.problems.some(({ path }) => path === "project");
    if (isUnconnected) {
      throw new CliError("not_found", `Project ${project.name} has no repository`, {
        hint:
          `Connect one with \`svc projects update ${project.name} --git-url <url>\`, or deploy this folder with \`svc deploy\``,
        cause: error,
      });
    }
    const isPrivate = project.gitUrl !== null && error instanceof ApiError &&
      error.code === "not_found";
    if (!isPrivate) throw error;
    const { name } = project;
    throw new CliError("not_found", error.message, {
      hint: `The project ${name} exists. A private repository needs credentials`,
      next: [
        ctx.lines.of("projects", "git-credentials", name, "--stdin"),
        againLine(ctx, wanted),
      ],
    });
  }
}

/**
 * Builds a branch and returns the resulting live deployment.
 *
 * @throws {CliError} `deployment_failed` if the deployment does not go live
 */
export async function buildBranch(
  ctx: Context,
  client: Client,
  wanted: WantedBuild,
): Promise<Deployment> {
  const build = await start(ctx, client, wanted);
  const params = { deployment: build.id };
  const what = `${build.commitSha.slice(0, 7)} of ${build.branch} for ${build.environment}`;
  ctx.ui.log("build", "info", printable(`Building ${what}`));
  const { signal } = ctx;
  for await (const part of followEvents(client, followBuildLog, { params, signal })) {
    for (const { level, text } of part.lines) {
      ctx.ui.log("build", level === "output" ? "info" : level, printable(text));
    }
    if (part.isComplete) break;
  }
  let deployment = await client.call(getDeployment, { params });
  while (isDeploymentUnderWay(deployment.status)) {
    await ctx.sleep(LOOK_MS);
    deployment = await client.call(getDeployment, { params });
  }
  if (deployment.status === "STOPPED" && deployment.error !== null) {
    ctx.ui.note(`${printable(deployment.error)}. --rebuild builds it anyway`);
    return deployment;
  }
  if (deployment.status === "LIVE" || deployment.status === "ROLLED_BACK") return deployment;
  const reason = deployment.error ?? `it is ${deployment.status}`;
  throw new CliError("deployment_failed", printable(`${what} is not live: ${reason}`), {
    details: { id: deployment.id, status: deployment.status },
    next: [
      ctx.lines.of("logs", "--build", deployment.id),
      againLine(ctx, wanted),
    ],
  });
}
