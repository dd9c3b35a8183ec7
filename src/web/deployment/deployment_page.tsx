/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module A deployment's page: the state, the reason for a failure, the build log, and the
 * available actions.
 */
import { formatBytes } from "../../lib/format.ts";
import type { Child } from "hono/jsx";
import type { Build } from "../../contract/builds.ts";
import type { BuildLogLine } from "../../contract/build_logs.ts";
import type { Deployment } from "../../contract/deployments.ts";
import { FORGE_NAMES, type Project } from "../../contract/projects.ts";
import type { ForgeReport } from "../../contract/forge_reports.ts";
import type { BoardContext } from "../layout/page_context.ts";
import {
  Branch,
  Commit,
  CopiedLink,
  DeploymentStateMark,
  durationText,
  isUnderWay,
  renewed,
} from "../layout/board_pieces.tsx";
import { Card, Moment, Notice } from "../layout/pieces.tsx";
import { ActButton, actsOf, isServed } from "./deployment_acts.tsx";
import type { Release } from "../../contract/releases.ts";
import { References } from "./references_card.tsx";
import { ReleaseCard } from "./release_card.tsx";
import { ProjectFrame } from "../layout/board_frame.tsx";
import { projectPath } from "../layout/bar.tsx";
import { showBoard } from "../layout/show_board.ts";

const CHECK_LEADS = {
  RUNNING: "Running",
  PASSED: "All passed",
  FAILED: "Production did not change",
} as const;

export interface DeploymentView {
  readonly deployment: Deployment;
  readonly project: Project;
  /** The build that created the deployment; `undefined` if the CLI uploaded the deployment. */
  readonly build: Build | undefined;
  /** The latest status that was reported to the forge. */
  readonly report: ForgeReport | null;
  /** The latest rolling release that includes the deployment, if any. */
  readonly release: Release | undefined;
  readonly origin: string;
  /** The last lines of the build log. */
  readonly lines: readonly BuildLogLine[];
  readonly search: string;
  /** A new share link. Its URL is shown only once. */
  readonly share?: { readonly url: string; readonly endsAt: string } | undefined;
}

function Fact({ name, children }: { readonly name: string; children?: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const filesText = (count: number): string => count === 1 ? "1 file" : `${count} files`;

/**
 * Describes how long the build took or, if there is no finished build, how long the deployment took
 * to go live.
 */
function tookOf({ deployment, build }: DeploymentView): string | undefined {
  const { startedAt = null, finishedAt = null } = build ?? {};
  if (startedAt !== null && finishedAt !== null) {
    return `${durationText(Date.parse(finishedAt) - Date.parse(startedAt))} to build`;
  }
  const { createdAt, liveAt } = deployment;
  if (liveAt === null) return undefined;
  return `${durationText(Date.parse(liveAt) - Date.parse(createdAt))} to go live`;
}

function Facts({ view }: { readonly view: DeploymentView }) {
  const { deployment, build, origin, report } = view;
  const { id, status, environment, branch, commitSha, author, urls } = deployment;
  const took = tookOf(view);
  const refresh = renewed(isUnderWay(status), { id: "facts", path: `/deployments/${id}` });
  return (
    <section
      class="card"
      id="facts"
      aria-labelledby="facts-title"
      data-state={status}
      {...refresh}
    >
      <header>
        <h2 id="facts-title">Status</h2>
      </header>
      <div class="body">
        <dl class="facts two">
          <Fact name="State">
            <DeploymentStateMark deployment={deployment} />
            {build?.state === "QUEUED" && build.ahead !== null
              ? <span class="soft">{` ${build.ahead} builds ahead`}</span>
              : null}
          </Fact>
          <Fact name="Environment">{environment}</Fact>
          <Fact name="Branch">
            <Branch name={branch} />
          </Fact>
          {commitSha === null ? null : (
            <Fact name="Commit">
              <span class="mono">{commitSha}</span>
            </Fact>
          )}
          {author === null ? null : <Fact name="Author">{author}</Fact>}
          <Fact name="Trigger">{origin}</Fact>
          {report === null || report.state === null ? null : (
            <Fact name={FORGE_NAMES[report.forge]}>
              {`Commit marked as ${report.state}${
                report.isCommented ? ", comment posted on the pull request" : ""
              }`}
            </Fact>
          )}
          <Fact name="Created">
            <Moment at={deployment.createdAt} />
          </Fact>
          {took === undefined ? null : <Fact name="Took">{took}</Fact>}
          <Fact name="Content">
            {`${filesText(deployment.fileCount)}, ${formatBytes(deployment.totalBytes)}`}
          </Fact>
          {deployment.functions.length === 0
            ? null
            : <Fact name="Functions">{deployment.functions.join(", ")}</Fact>}
          <Fact name="Deployment URL">
            <CopiedLink url={urls.unique} />
          </Fact>
          <Fact name="Branch URL">
            <CopiedLink url={urls.branch} />
          </Fact>
        </dl>
      </div>
    </section>
  );
}

function BuildLog({ view, slug }: { readonly view: DeploymentView; readonly slug: string }) {
  const { deployment: { id, status }, project, build, lines, search } = view;
  if (build === undefined && lines.length === 0) return null;
  const isRunning = status === "PENDING" || status === "BUILDING";
  const live = {
    "data-stream": `/v1/deployments/${id}/build-log/stream?workspace=${slug}`,
    "data-kind": "build-log",
  };
  return (
    <Card
      title="Build log"
      id="log"
      lead={isRunning ? <span class="live">Live</span> : status === "DEPLOYING"
        ? (
          <>
            Build finished. The deployment is starting:{" "}
            <a href={`${projectPath(slug, project.name)}/logs?deployment=${id}`}>server logs</a>
          </>
        )
        : "Oldest first · UTC"}
    >
      <div class="body">
        <form method="get" action={`/deployments/${id}`} class="line-form">
          <div class="field">
            <label for="search">Search</label>
            <input
              id="search"
              name="search"
              type="search"
              maxlength={200}
              value={search}
              autocomplete="off"
            />
          </div>
          <button class="quiet" type="submit">Search</button>
        </form>
        {lines.length === 0 && search !== "" ? <p class="soft">No matching lines.</p> : null}
        <ol
          class="log"
          tabindex={0}
          aria-label="Build log lines"
          {...(isRunning && search === "" ? live : {})}
        >
          {lines.map(({ number, time, level, text }) => (
            <li key={number}>
              <time datetime={time}>{time.slice(11, 19)}</time>
              <span class={level}>{text}</span>
            </li>
          ))}
        </ol>
      </div>
    </Card>
  );
}

/** Shows the last lines that a server printed before it failed to start. */
function ServerOutput({ lines }: { readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <Card title="Last server output" id="server-output">
      <div class="body">
        <ol class="log plain" tabindex={0} aria-label="Last server output">
          {lines.map((line, index) => (
            <li key={index}>
              <span>{line}</span>
            </li>
          ))}
        </ol>
      </div>
    </Card>
  );
}

/** Lists the checks that must pass before the deployment goes live in production. */
function Checks({ checks }: { readonly checks: Deployment["checks"] }) {
  if (checks === undefined) return null;
  const { state, results } = checks;
  return (
    <Card title="Checks" id="checks" lead={CHECK_LEADS[state]}>
      <div class="scroll" tabindex={0} role="region" aria-label="Check results">
        <table>
          <thead>
            <tr>
              <th>Check</th>
              <th>Result</th>
              <th class="num">Time</th>
              <th class="num">Attempts</th>
            </tr>
          </thead>
          <tbody>
            {results.map(({ name, passed, durationMs, attempts, problem }, index) => (
              <tr key={index}>
                <td>{name}</td>
                <td>{passed ? "Passed" : problem ?? "Failed"}</td>
                <td class="num">{durationText(durationMs)}</td>
                <td class="num">{attempts}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

/** Shows the actions that are available for a deployment. */
function Acts({ view, context }: {
  readonly view: DeploymentView;
  readonly context: BoardContext;
}) {
  const { deployment } = view;
  const { csrf, workspace } = context;
  return (
    <>
      {isServed(deployment)
        ? <a class="button quiet" href={deployment.url} target="_blank" rel="noreferrer">Visit</a>
        : null}
      <a class="button quiet" href={`/deployments/${deployment.id}/compare`}>Compare</a>
      {workspace.role === "viewer"
        ? null
        : actsOf(deployment, view).map((act) => (
          <ActButton key={act.action} act={act} deployment={deployment} csrf={csrf} />
        ))}
    </>
  );
}

/** Shows a new share link, whose URL is shown only once. */
function ShareCard({ share }: { readonly share: NonNullable<DeploymentView["share"]> }) {
  return (
    <Card title="Share link" id="share">
      <div class="body">
        <Notice kind="care">
          <p>
            Copy it now. You won't see it again. Anyone with the link can see this deployment until
            {" "}
            <Moment at={share.endsAt} />.
          </p>
        </Notice>
        <code class="secret" id="share-url">{share.url}</code>
        <div class="actions">
          <button class="quiet" type="button" data-copy="share-url">Copy link</button>
        </div>
      </div>
    </Card>
  );
}

export function deploymentPage(context: BoardContext, view: DeploymentView): Response {
  const { deployment, project } = view;
  const { slug } = context.workspace;
  const title = deployment.message ?? `Deployment ${deployment.id.slice(0, 8)}`;
  return showBoard(
    <ProjectFrame
      context={context}
      project={project.name}
      here=""
      title={title}
      lead={
        <>
          <a href={projectPath(slug, project.name)}>All deployments</a>
          {deployment.isProduction ? <span>In production</span> : null}
          <Branch name={deployment.branch} />
          <Commit sha={deployment.commitSha} />
        </>
      }
      acts={<Acts view={view} context={context} />}
    >
      {deployment.error === null
        ? null
        : (
          <Notice kind={deployment.status === "STOPPED" ? "care" : "bad"}>
            {deployment.error.split("\n").map((line) => <p key={line}>{line}</p>)}
          </Notice>
        )}
      {view.share === undefined ? null : <ShareCard share={view.share} />}
      <ServerOutput lines={deployment.serverOutput ?? []} />
      {view.report === null || view.report.problem === null ? null : (
        <Notice kind="care">
          {`Could not report the status to ${
            FORGE_NAMES[view.report.forge]
          }: ${view.report.problem}`}
        </Notice>
      )}
      {deployment.variablesChanged
        ? (
          <Notice kind="care">
            This environment's variables have changed since this deployment. Redeploy to apply them.
          </Notice>
        )
        : null}
      <Facts view={view} />
      <References deployment={deployment} />
      <ReleaseCard
        release={view.release}
        csrf={context.csrf}
        mayEnd={context.workspace.role !== "viewer"}
      />
      <Checks checks={deployment.checks} />
      <BuildLog view={view} slug={slug} />
    </ProjectFrame>,
    { isChanging: isUnderWay(deployment.status), title: `${project.name}: deployment` },
  );
}
