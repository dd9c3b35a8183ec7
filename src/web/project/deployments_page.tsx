/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A project's deployments, including the current production deployment. */
import {
  type Deployment,
  DEPLOYMENT_STATES,
  type DeploymentFilter,
} from "../../contract/deployments.ts";
import type { ProjectHealth } from "../../contract/health.ts";
import {
  Ago,
  Branch,
  Commit,
  CopiedLink,
  DeploymentStateMark,
  deploymentWord,
  Empty,
  HealthMark,
  Pager,
} from "../layout/board_pieces.tsx";
import { Card, Form, Moment } from "../layout/pieces.tsx";
import { DeploymentMenu } from "../deployment/deployment_acts.tsx";
import { canChange, cursorOf, type ProjectVisit } from "./open_project.ts";
import { projectPage } from "./project_page.tsx";

function DeploymentRow({ deployment, parts }: {
  readonly deployment: Deployment;
  readonly parts: ProjectVisit;
}) {
  const { csrf, now } = parts.context;
  const { id, message, branch, commitSha, author, environment, createdAt } = deployment;
  return (
    <li>
      <DeploymentStateMark deployment={deployment} />
      <div class="main">
        <a class="whole" href={`/deployments/${id}`}>
          {message ?? <span class="soft">No message</span>}
        </a>
        <span class="dots soft">
          <Branch name={branch} />
          {commitSha === null ? null : <Commit sha={commitSha} />}
          {author === null ? null : <span>{author}</span>}
        </span>
      </div>
      <div class="meta end">
        <span>{environment}</span>
        <Ago at={createdAt} now={now} />
        <DeploymentMenu
          deployment={deployment}
          project={parts.project}
          csrf={csrf}
          mayChange={canChange(parts)}
        />
      </div>
    </li>
  );
}

function Production({ parts, deployment, health }: {
  readonly parts: ProjectVisit;
  readonly deployment: Deployment;
  readonly health: ProjectHealth;
}) {
  const { context, path } = parts;
  const { message, author, branch, commitSha, liveAt, createdAt, url } = deployment;
  return (
    <Card
      title="In production"
      id="production"
      lead={<a href={`/deployments/${deployment.id}`}>{message ?? "No message"}</a>}
    >
      <div class="body">
        <dl class="facts two">
          {health.state === "none" ? null : (
            <div>
              <dt>Health</dt>
              <dd>
                <HealthMark state={health.state} />
                {health.reason === null ? null : <p class="small soft">{health.reason}</p>}
              </dd>
            </div>
          )}
          <div>
            <dt>Live since</dt>
            <dd>
              <Moment at={liveAt ?? createdAt} />
            </dd>
          </div>
          <div>
            <dt>From</dt>
            <dd class="dots">
              <Branch name={branch} />
              {commitSha === null ? null : <Commit sha={commitSha} />}
              {author === null ? null : <span>{author}</span>}
            </dd>
          </div>
          <div>
            <dt>Deployment URL</dt>
            <dd>
              <CopiedLink url={url} />
            </dd>
          </div>
        </dl>
        {parts.project.rollbackDeploymentId !== null && canChange(parts)
          ? (
            <Form action={path("rollback")} csrf={context.csrf} asks>
              <div>
                <button class="quiet little" type="submit">
                  Roll back to the previous deployment
                </button>
              </div>
            </Form>
          )
          : null}
      </div>
    </Card>
  );
}

function Choice<T extends string>({ name, label, all, values, wordOf, chosen }: {
  readonly name: string;
  readonly label: string;
  /** The label for the option that disables a filter. */
  readonly all: string;
  readonly values: readonly T[];
  wordOf?(value: T): string;
  readonly chosen: string | undefined;
}) {
  return (
    <div class="field small-field">
      <label for={name}>{label}</label>
      <select id={name} name={name} autocomplete="off">
        <option value="">{all}</option>
        {values.map((value) => (
          <option key={value} value={value} selected={value === chosen}>
            {wordOf?.(value) ?? value}
          </option>
        ))}
      </select>
    </div>
  );
}

function Filters({ path, filter, environments }: {
  readonly path: string;
  readonly filter: DeploymentFilter;
  readonly environments: readonly string[];
}) {
  return (
    <form method="get" action={path} class="line-form">
      <div class="field">
        <label for="branch">Branch</label>
        <input id="branch" name="branch" value={filter.branch ?? ""} autocomplete="off" />
      </div>
      <Choice
        name="environment"
        label="Environment"
        all="All"
        values={environments}
        chosen={filter.environment}
      />
      <Choice
        name="status"
        label="Status"
        all="Any"
        values={DEPLOYMENT_STATES}
        wordOf={deploymentWord}
        chosen={filter.status}
      />
      <button class="quiet" type="submit">Filter</button>
    </form>
  );
}

export function deploymentsPage(parts: ProjectVisit, shown: {
  readonly deployments: readonly Deployment[];
  readonly filter: DeploymentFilter;
  readonly environments: readonly string[];
  readonly nextCursor: string | null;
  readonly production: Deployment | undefined;
  readonly health: ProjectHealth;
}): Response {
  const { path, project } = parts;
  const { deployments, nextCursor, filter, environments, production, health } = shown;
  const cursor = cursorOf(parts);
  const isFiltered = Object.keys(filter).length > 0;
  return projectPage(
    parts,
    {
      here: "",
      about: "deployments",
      acts: canChange(parts) ? <a class="button" href={path("deploy")}>Deploy</a> : undefined,
    },
    <>
      {production === undefined || cursor !== null || isFiltered ? null : (
        <Production
          parts={parts}
          deployment={production}
          health={health}
        />
      )}
      {deployments.length === 0 && !isFiltered && cursor === null
        ? (
          <section class="card" aria-label="Deployments">
            <Empty
              title="No deployments yet"
              command={`svc link --project-id ${project.name}\nsvc deploy --prod`}
            >
              In your project folder, run:
            </Empty>
          </section>
        )
        : (
          <Card title="Deployments" id="deployments">
            <div class="body">
              <Filters path={path()} filter={filter} environments={environments} />
            </div>
            {deployments.length === 0
              ? <Empty title={nextCursor === null ? "No matching deployments" : "None so far"} />
              : (
                <ol class="rows" id="deployment-rows" data-live="">
                  {deployments.map((each) => (
                    <DeploymentRow
                      key={each.id}
                      deployment={each}
                      parts={parts}
                    />
                  ))}
                </ol>
              )}
          </Card>
        )}
      <Pager path={path()} cursor={cursor} nextCursor={nextCursor} query={filter} />
    </>,
  );
}
