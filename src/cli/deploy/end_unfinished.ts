/** @module Stops an interrupted deployment, or explains how to undo it if it is live. */
import { ApiError, UnreachableError } from "../../client/errors.ts";
import type { Client } from "../../client/client.ts";
import { type Deployment, getDeployment, stopDeployment } from "../../contract/deployments.ts";
import type { Project } from "../../contract/projects.ts";
import { CliError } from "../errors/cli_error.ts";
import { formatChecks } from "./format_checks.ts";
import type { Context } from "../session/context.ts";

/** Maximum time for the platform to stop the deployment, in milliseconds. */
const STOP_PATIENCE = 3000;

/** The final state of an interrupted deployment. */
export type Ending =
  | { readonly type: "stopped" }
  | { readonly type: "live"; readonly deployment: Deployment }
  /** The deployment had already failed, or someone else had stopped it. */
  | { readonly type: "ended"; readonly deployment: Deployment }
  /** The platform could not be reached. */
  | { readonly type: "unknown"; readonly reason: string };

export interface Unfinished {
  readonly id: string;
  readonly project: Project;
  /** True once the platform has been asked to activate the deployment. */
  readonly isActivating: boolean;
}

/**
 * Stops a deployment unless it is live. `client` must still work after the user has stopped the
 * command.
 */
export async function endUnfinished(client: Client, id: string): Promise<Ending> {
  const call = { params: { deployment: id }, signal: AbortSignal.timeout(STOP_PATIENCE) };
  try {
    try {
      await client.call(stopDeployment, {
        ...call,
        body: { unlessLive: true },
        idempotent: true,
      });
      return { type: "stopped" };
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
    }
    const deployment = await client.call(getDeployment, call);
    return { type: deployment.status === "LIVE" ? "live" : "ended", deployment };
  } catch (error) {
    return { type: "unknown", reason: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Returns the commands that undo a deployment that went live. There are none for a project's first
 * production deployment.
 */
function waysBack({ lines }: Context, { id, isProduction }: Deployment, project: Project) {
  if (!isProduction) return [lines.of("stop", id)];
  if (project.productionDeploymentId === null) return [];
  return [lines.of("rollback", "--deployment-id", id, "--project-id", project.id)];
}

function listLine({ lines }: Context, { project }: Unfinished): string {
  return lines.of("deployments", "--project-id", project.id);
}

/**
 * Creates the error for a command that the user has stopped. The error includes the state of the
 * deployment.
 */
export function explainStop(ctx: Context, ending: Ending, unfinished: Unfinished): CliError {
  const { id, project, isActivating } = unfinished;
  switch (ending.type) {
    case "live": {
      const { deployment } = ending;
      const where = deployment.isProduction ? deployment.urls.production : deployment.url;
      const message = `Interrupted too late: deployment ${id} is live at ${where}`;
      const next = waysBack(ctx, deployment, project);
      const hint = next.length === 0
        ? "This is the project's first production deployment"
        : "To undo it, run the command below";
      return new CliError("interrupted", message, { hint, next, details: { deployment } });
    }
    case "stopped":
    case "ended":
      return new CliError(
        "interrupted",
        `Interrupted: deployment ${id} was stopped before it went live`,
        {
          hint: "Uploaded files are kept for a day. The next deployment resumes from there",
          details: { deployment: { id, status: "STOPPED" } },
        },
      );
    case "unknown":
      return new CliError(
        "interrupted",
        isActivating
          ? `Interrupted: deployment ${id} may have gone live (${ending.reason})`
          : `Interrupted: deployment ${id} is not live, and could not be stopped (${ending.reason})`,
        {
          ...(isActivating
            ? {}
            : { hint: "The platform closes it after 5 minutes without uploads" }),
          next: [listLine(ctx, unfinished)],
          details: { deployment: { id, status: null } },
        },
      );
  }
}

/** Adds the deployment's state to the error from a failed deploy, if the state is not obvious. */
export function explainFailure(
  ctx: Context,
  { error, ending, unfinished }: {
    readonly error: unknown;
    readonly ending: Ending;
    readonly unfinished: Unfinished;
  },
): unknown {
  const { id, project, isActivating } = unfinished;
  const reason = error instanceof Error ? error.message : String(error);
  if (ending.type === "live") {
    const { deployment } = ending;
    return new CliError(
      "deployment_failed",
      `Deployment ${id} is live, but the command failed: ${reason}`,
      { next: waysBack(ctx, deployment, project), details: { deployment }, cause: error },
    );
  }
  if (ending.type === "unknown" && isActivating && error instanceof UnreachableError) {
    return new CliError("unreachable", `${reason}: deployment ${id} may have gone live`, {
      next: [listLine(ctx, unfinished)],
      cause: error,
    });
  }
  const { error: failure = null, serverOutput = [], checks } = ending.type === "ended"
    ? ending.deployment
    : {};
  if (failure === null || !(error instanceof ApiError) || error.status !== 409) return error;
  if (checks?.state === "FAILED") {
    return new CliError("deployment_failed", failure, {
      hint: "Fix the cause and deploy again. Production has not changed",
      excerpt: formatChecks(checks).split("\n"),
      next: [ctx.lines.again()],
      details: { deployment: { id, status: "FAILED" }, checks },
      cause: error,
    });
  }
  return new CliError("deployment_failed", failure, {
    hint: serverOutput.length === 0
      ? "Fix the cause and deploy again"
      : "See more in the server log",
    excerpt: serverOutput.length === 0
      ? []
      : ["The server's last lines:", ...serverOutput.map((line) => `  ${line}`)],
    next: [ctx.lines.of("logs", "--deployment-id", id), ctx.lines.again()],
    details: { deployment: { id, status: "FAILED" }, serverOutput },
    cause: error,
  });
}
