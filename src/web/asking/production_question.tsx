/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module Asks for confirmation before production serves another deployment, and lists what will
 * change.
 */
import type { Deployment } from "../../contract/deployments.ts";
import { type DeploymentComparison, differenceText } from "../../contract/deployment_comparison.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import {
  NEWER_SCHEMA_LIMIT,
  newerMigrations,
  newerSchemaText,
} from "../../contract/newer_schema.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { Project } from "../../contract/projects.ts";
import { Failure } from "../../platform/core/http/mod.ts";
import { agoText } from "../layout/board_pieces.tsx";
import type { PageApi } from "../visit/page_api.ts";
import type { Question } from "../layout/question.tsx";

/** Maximum length of a deployment's name in a question. */
const MAX_NAME = 80;

const nameOf = ({ message, commitSha, id }: Deployment): string =>
  (message ?? commitSha?.slice(0, 7) ?? `Deployment ${id.slice(0, 8)}`).slice(0, MAX_NAME);

/** Names a deployment in a question. */
function Side({ deployment, now }: { readonly deployment: Deployment; readonly now: number }) {
  const { branch, commitSha, createdAt } = deployment;
  const commit = commitSha === null ? "" : ` ${commitSha.slice(0, 7)}`;
  return (
    <>
      {nameOf(deployment)}
      <span class="small soft">
        {` ${branch}${commit}, ${agoText(Date.parse(createdAt), now)}`}
      </span>
    </>
  );
}

/** Compares two deployments, or returns the reason why they cannot be compared. */
async function compare(
  api: PageApi,
  deployment: string,
  base: string | undefined,
): Promise<DeploymentComparison | Failure> {
  try {
    return await api.call(endpoints.compareDeployments, {
      params: { deployment },
      query: base === undefined ? {} : { base },
    });
  } catch (error) {
    if (error instanceof Failure && error.code === "conflict") return error;
    throw error;
  }
}

/** Warns that restoring an earlier deployment does not undo migrations. */
async function newerSchemaLines(api: PageApi, { id, projectId }: Deployment): Promise<string[]> {
  const { items } = await api.call(endpoints.listDeployments, {
    params: { project: projectId },
    query: { environment: ENVIRONMENT_PRODUCTION, limit: NEWER_SCHEMA_LIMIT },
  });
  const { length } = newerMigrations(items, id);
  return length === 0 ? [] : [`${newerSchemaText(length)}.`];
}

/**
 * Asks before `to`, or the previous deployment, replaces the production deployment. There is no
 * question if production serves nothing yet or has no earlier deployment.
 */
export async function productionQuestion(api: PageApi, { project, to, now, word, lines = [] }: {
  readonly project: Project;
  /** ID of the deployment to serve in production; by default, the previous one. */
  readonly to: string | undefined;
  readonly now: number;
  readonly word: string;
  readonly lines?: readonly string[];
}): Promise<Question | undefined> {
  const live = project.productionDeploymentId;
  if (live === null) return undefined;
  const compared = to === undefined
    ? await compare(api, live, undefined)
    : await compare(api, to, live);
  if (compared instanceof Failure) {
    if (to === undefined) return undefined;
    return {
      title: "Replace production?",
      lines: [`Cannot compare them: ${compared.message}.`, ...lines],
      word,
      seen: `${live} ${to}`,
    };
  }
  // Without `to`, production will serve the previous deployment, which is the `base` of the
  // comparison.
  const [from, next] = to === undefined
    ? [compared.deployment, compared.base]
    : [compared.base, compared.deployment];
  const isSame = from.id === next.id;
  const schema = isSame || next.isPreview ? [] : await newerSchemaLines(api, next);
  return {
    title: isSame ? "Redeploy production?" : "Replace production?",
    facts: isSame ? [["Deployment", <Side key="side" deployment={from} now={now} />]] : [
      ["From", <Side key="side" deployment={from} now={now} />],
      ["To", <Side key="side" deployment={next} now={now} />],
    ],
    lines: isSame ? lines : [differenceText(compared), ...schema, ...lines],
    word,
    seen: `${from.id} ${next.id}`,
  };
}
