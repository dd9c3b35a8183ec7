/** Reads the workflow from a GitHub Actions or GitLab CI token. Pure. @module */
import * as z from "zod";
import type { PublisherProvider } from "../../../contract/publishers.ts";

/** The branch, tag or pull request that triggered a workflow. */
interface WorkflowRef {
  readonly type: "branch" | "tag" | "pull request";
  readonly name: string;
}

export interface WorkflowRun {
  readonly repository: string;
  readonly repositoryId: string;
  readonly ref: WorkflowRef;
  readonly environment: string | null;
  /** The workflow's file; null if the workflow is not in a file in the repository. */
  readonly workflow: string | null;
  readonly subject: string;
  /** Number of the run or pipeline. */
  readonly run: string;
}

const text = z.string().min(1).max(1000);
const id = z.union([text, z.number()]).transform(String);
const optional = z.string().max(1000).nullish().transform((given) =>
  given === undefined || given === null || given === "" ? null : given
);

const githubClaims = z.object({
  sub: text,
  repository: text,
  repository_id: id,
  ref: text,
  event_name: text,
  environment: optional,
  workflow_ref: optional,
  run_id: id,
});

const gitlabClaims = z.object({
  sub: text,
  project_path: text,
  project_id: id,
  ref: text,
  ref_type: text,
  pipeline_source: text,
  environment: optional,
  ci_config_ref_uri: optional,
  pipeline_id: id,
});

/** Returns the file in `<before><file>@<ref>`. */
function fileIn(reference: string | null, before: string): string | null {
  if (reference === null || !reference.toLowerCase().startsWith(before.toLowerCase())) return null;
  return reference.slice(before.length).split("@", 1)[0]!;
}

function githubRef(ref: string, event: string): WorkflowRef | undefined {
  if (event === "pull_request") return { type: "pull request", name: ref };
  if (ref.startsWith("refs/heads/")) return { type: "branch", name: ref.slice(11) };
  if (ref.startsWith("refs/tags/")) return { type: "tag", name: ref.slice(10) };
  return ref.startsWith("refs/pull/") ? { type: "pull request", name: ref } : undefined;
}

function readGitHub(claims: z.infer<typeof githubClaims>): WorkflowRun | string {
  const { repository, event_name: event } = claims;
  // The ref is a pull request's target branch, but the workflow often runs the pull request's code.
  if (event === "pull_request_target") return "pull_request_target workflows cannot get keys";
  const ref = githubRef(claims.ref, event);
  if (ref === undefined) return `its ref "${claims.ref}" is not a branch, tag or pull request`;
  return {
    repository,
    ref,
    environment: claims.environment,
    subject: claims.sub,
    repositoryId: claims.repository_id,
    workflow: fileIn(claims.workflow_ref, `${repository}/.github/workflows/`),
    run: claims.run_id,
  };
}

/** In merge request pipelines, the ref is the source branch, which may be in a fork. */
const OF_MERGE_REQUESTS: ReadonlySet<string> = new Set([
  "merge_request_event",
  "external_pull_request_event",
]);

function readGitLab(claims: z.infer<typeof gitlabClaims>, issuer: string): WorkflowRun | string {
  const { project_path: repository, ref: name, ref_type: type } = claims;
  if (type !== "branch" && type !== "tag") {
    return `its ref_type "${type}" is neither a branch nor a tag`;
  }
  const place = issuer.replace(/^https?:\/\//, "");
  return {
    repository,
    environment: claims.environment,
    subject: claims.sub,
    ref: { type: OF_MERGE_REQUESTS.has(claims.pipeline_source) ? "pull request" : type, name },
    repositoryId: claims.project_id,
    workflow: fileIn(claims.ci_config_ref_uri, `${place}/${repository}//`),
    run: claims.pipeline_id,
  };
}

/** Reads a token's claims. Returns the reason as text if the token cannot be used. */
export function readWorkflowRun(
  provider: PublisherProvider,
  { claims, issuer }: { readonly claims: unknown; readonly issuer: string },
): WorkflowRun | string {
  const schema = provider === "github" ? githubClaims : gitlabClaims;
  const checked = schema.safeParse(claims);
  if (!checked.success) {
    const names = new Set(checked.error.issues.map(({ path }) => String(path[0])));
    return `its claims ${[...names].join(", ")} are not those of ${provider}`;
  }
  return "project_path" in checked.data
    ? readGitLab(checked.data, issuer)
    : readGitHub(checked.data);
}
