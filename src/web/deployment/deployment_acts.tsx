/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The actions available for a deployment, as buttons and in its row's menu. */
import type { Build } from "../../contract/builds.ts";
import type { Deployment } from "../../contract/deployments.ts";
import type { Project } from "../../contract/projects.ts";
import { isUnderWay } from "../layout/board_pieces.tsx";
import { Form } from "../layout/pieces.tsx";

interface DeploymentAct {
  readonly action: string;
  readonly word: string;
  readonly asks?: boolean;
  /** Whether people are most likely to choose this action. */
  readonly isMain?: boolean;
}

/** Returns whether a deployment can be visited at its URLs. */
export const isServed = ({ status }: Pick<Deployment, "status">): boolean =>
  status === "LIVE" || status === "ROLLED_BACK";

/** Returns the actions available for the state of a deployment and of its build, if known. */
export function actsOf(
  deployment: Deployment,
  { build, project }: {
    readonly build?: Build | undefined;
    readonly project: Project;
  },
): DeploymentAct[] {
  const { status, isProduction, isPreview, fileCount } = deployment;
  const isBuilding = build?.state === "QUEUED" || build?.state === "RUNNING";
  const acts: readonly (DeploymentAct & { readonly isPossible: boolean })[] = [
    { action: "share", word: "Share", isPossible: isServed(deployment) },
    {
      action: "rollback",
      word: "Roll back",
      asks: true,
      isPossible: isServed(deployment) && isProduction && project.rollbackDeploymentId !== null,
    },
    {
      action: "restore",
      word: "Roll back to this deployment",
      asks: true,
      isPossible: isServed(deployment) && !isProduction && !isPreview,
    },
    {
      action: "promote",
      word: "Promote to production",
      asks: true,
      isMain: true,
      isPossible: status === "LIVE" && !isProduction && isPreview,
    },
    {
      action: "redeploy",
      word: "Redeploy",
      asks: !isPreview,
      isPossible: !isUnderWay(status) && fileCount > 0,
    },
    {
      action: "retry",
      word: "Retry",
      isMain: true,
      isPossible: build?.state === "FAILED" || build?.state === "CANCELLED",
    },
    { action: "cancel", word: "Cancel build", isPossible: isBuilding },
    {
      action: "stop",
      word: "Stop",
      asks: true,
      isPossible: !isBuilding && !isProduction && (isServed(deployment) || isUnderWay(status)),
    },
  ];
  return acts.filter(({ isPossible }) => isPossible);
}

export function ActButton({ act, deployment, csrf, inMenu = false }: {
  readonly act: DeploymentAct;
  readonly deployment: Deployment;
  readonly csrf: string;
  readonly inMenu?: boolean;
}) {
  const { action, word, asks = false, isMain = false } = act;
  return (
    <Form action={`/deployments/${deployment.id}/${action}`} csrf={csrf} asks={asks}>
      <button class={inMenu || isMain ? undefined : "quiet"} type="submit">{word}</button>
    </Form>
  );
}

/** Shows the menu of actions in a deployment's row. */
export function DeploymentMenu({ deployment, project, csrf, mayChange }: {
  readonly deployment: Deployment;
  readonly project: Project;
  readonly csrf: string;
  readonly mayChange: boolean;
}) {
  const { id, message, url } = deployment;
  return (
    <details class="menu">
      <summary>
        <span aria-hidden="true">⋯</span>
        <span class="hush">{`Actions for ${message ?? `deployment ${id.slice(0, 8)}`}`}</span>
      </summary>
      <div>
        {isServed(deployment) ? <a href={url} target="_blank" rel="noreferrer">Visit</a> : null}
        <a href={`/deployments/${id}/compare`}>Compare</a>
        {mayChange
          ? actsOf(deployment, { project }).map((act) => (
            <ActButton key={act.action} act={act} deployment={deployment} csrf={csrf} inMenu />
          ))
          : null}
      </div>
    </details>
  );
}
