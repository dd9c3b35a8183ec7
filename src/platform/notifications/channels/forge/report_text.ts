/**
 * Text about a deployment for a forge. Anyone who can read the repository can read this text, so it
 * does not contain the causes of failures, which only the deployment's page shows. Pure.
 *
 * @module
 */
import { ENVIRONMENT_PRODUCTION } from "../../../../contract/environment_names.ts";
import { formatCount } from "../../../../lib/format.ts";
import { schemaLines } from "../../../../lib/schema_lines.ts";
import type { Protection } from "../../../../lib/protection.ts";
import type { Addresses } from "../../../core/addresses.ts";
import type { DeploymentRecord } from "../../../deployments/mod.ts";
import type { CommitState, CommitStatus } from "./dialect.ts";

export interface ReportContext {
  readonly addresses: Addresses;
  readonly publicOrigin: string;
}

const STATES: Readonly<Record<DeploymentRecord["status"], CommitState | undefined>> = {
  PENDING: "waiting",
  BUILDING: "building",
  DEPLOYING: "building",
  LIVE: "live",
  FAILED: "failed",
  STOPPED: "stopped",
  ROLLED_BACK: undefined,
};

const pageOf = ({ id }: DeploymentRecord, { publicOrigin }: ReportContext): string =>
  `${publicOrigin}/deployments/${id}`;

/** Returns the results of a release's checks, if the commit status is about them. */
function describeChecks(state: CommitState, { checks }: DeploymentRecord): string | undefined {
  if (checks === undefined || checks.state === "RUNNING") return undefined;
  const { results } = checks;
  const failed = results.filter(({ passed }) => !passed).length;
  if (state === "failed" && failed > 0) {
    return `${failed} of ${results.length} checks failed; production did not change`;
  }
  return state === "live" && failed === 0
    ? `Production is live; ${formatCount(results.length, "check")} passed`
    : undefined;
}

function describe(state: CommitState, deployment: DeploymentRecord): string {
  const checked = describeChecks(state, deployment);
  if (checked !== undefined) return checked;
  const { environment } = deployment;
  const place = environment === ENVIRONMENT_PRODUCTION ? "Production" : "The preview";
  return {
    waiting: `${place} is queued`,
    building: `${place} is being built`,
    live: `${place} is live`,
    failed: `${place} failed to build or start`,
    stopped: "The build was stopped",
  }[state];
}

/** Returns whether there was nothing to build, so the branch keeps its deployment. */
export const isSkipped = ({ status, error }: DeploymentRecord): boolean =>
  status === "STOPPED" && error !== null;

/** Returns the commit's new status; `undefined` to keep the current status. */
export function commitStatus(
  deployment: DeploymentRecord,
  context: ReportContext,
): CommitStatus | undefined {
  const state = STATES[deployment.status];
  const { commitSha, branch, projectName, environment, liveAt, uniqueLabel } = deployment;
  if (state === undefined || commitSha === null) return undefined;
  const name = `svc/${projectName}/${environment}`;
  const page = pageOf(deployment, context);
  if (isSkipped(deployment)) {
    const description = "Nothing to build";
    return { sha: commitSha, branch, description, state: "live", name, url: page };
  }
  // A deployment that has been live was built successfully. If it was removed, that is not the
  // commit's fault.
  if (state === "stopped" && liveAt !== null) return undefined;
  return {
    sha: commitSha,
    branch,
    state,
    name,
    description: describe(state, deployment),
    url: state === "live" ? context.addresses.url(uniqueLabel) : page,
  };
}

/** Returns a line that identifies the comment, and that pages do not show. */
export const markOf = (projectId: string): string => `[//]: # (svc preview ${projectId})`;

/** Instructions for getting access to a protected preview. */
const WAYS_IN: Readonly<Record<Protection, readonly string[]>> = {
  off: [],
  members: [
    "",
    "To see it, sign in as a member of the workspace, or ask one for a share link.",
  ],
  password: [
    "",
    "To see it, enter the password, sign in as a member of the workspace, or ask one for a share link.",
  ],
  all: [
    "",
    "To see it, sign in as a member of the workspace, or ask one for a share link.",
  ],
};

/** Formats text as code, even if it contains backquotes. */
const code = (text: string): string => `\`${text.replace(/[`\s]+/g, " ").trim()}\``;

/**
 * Lists the checks that had to pass before production was changed, without the causes of failures.
 */
function checkLines(checks: DeploymentRecord["checks"]): readonly string[] {
  if (checks === undefined || checks.results.length === 0) return [];
  const { results } = checks;
  const failed = results.filter(({ passed }) => !passed).length;
  const end = failed === 0
    ? "all passed."
    : `${failed} of ${results.length} failed. Production did not change.`;
  const lines = results.map(({ name, passed }) =>
    `- ${passed ? "Passed" : "Failed"}: ${code(name)}`
  );
  return ["", `Checks before production: ${end}`, "", ...lines];
}

/** Describes how the schema of the preview's database differs from the production schema. */
function schemaDifferenceLines({ status, schemaDifference }: DeploymentRecord): readonly string[] {
  const schema = status === "LIVE" ? schemaLines(schemaDifference) : undefined;
  if (schema === undefined) return [];
  return [
    "",
    `${schema.title.replace(/ to .*$/s, "")}:`,
    "",
    ...schema.lines.map((line) => `- ${code(line)}`),
  ];
}

/**
 * Returns the comment on a pull request, which describes the preview, and the checks of the
 * commit's release.
 */
export function commentText(
  deployment: DeploymentRecord,
  context: ReportContext & {
    readonly protection: Protection;
    readonly checks?: DeploymentRecord["checks"];
  },
): string {
  const { addresses } = context;
  const { status, commitSha, projectId, projectName, branchLabel, uniqueLabel, liveAt } =
    deployment;
  const commit = `\`${commitSha?.slice(0, 7) ?? ""}\``;
  const lines = {
    PENDING: [`The preview of ${commit} is queued.`],
    BUILDING: [`The preview of ${commit} is being built.`],
    DEPLOYING: [`The preview of ${commit} is being built.`],
    LIVE: [
      `The preview of ${commit} is live: ${addresses.url(branchLabel)}`,
      "",
      `Permanent URL of this commit: ${addresses.url(uniqueLabel)}`,
      ...WAYS_IN[deployment.protection ?? context.protection],
    ],
    ROLLED_BACK: [`The preview of ${commit} was rolled back.`],
    FAILED: [`The preview of ${commit} failed to build or start.`],
    STOPPED: liveAt === null
      ? [`The preview build for ${commit} was stopped.`]
      : [`The preview of ${commit} was removed.`],
  }[status];
  return [
    `**${projectName}**`,
    "",
    ...lines,
    ...schemaDifferenceLines(deployment),
    ...checkLines(context.checks),
    "",
    `[Deployment](${pageOf(deployment, context)})`,
    "",
    markOf(projectId),
  ].join("\n");
}
