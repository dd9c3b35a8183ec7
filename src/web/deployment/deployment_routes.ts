/**
 * `/deployments/{id}`: the page of a deployment, which notifications link to as well.
 *
 * @module
 */
import type { Build } from "../../contract/builds.ts";
import type { DeploymentComparison } from "../../contract/deployment_comparison.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { goTo } from "../layout/document.tsx";
import { projectPath } from "../layout/bar.tsx";
import { type BoardServices, openBoard } from "../visit/board_context.ts";
import type { PageApi } from "../visit/page_api.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { Failure } from "../../platform/core/http/mod.ts";
import type { DeploymentRecord, DeploymentStore } from "../../platform/deployments/mod.ts";
import { comparisonPage } from "./comparison_page.tsx";
import { deploymentPage, type DeploymentView } from "./deployment_page.tsx";

export interface DeploymentPageServices extends BoardServices {
  readonly deployments: Pick<DeploymentStore, "owner" | "find">;
}

/** Lines of a build log that the page shows. */
const SHOWN_LINES = 500;
/** Deployments to choose from on the page that compares. */
const COMPARABLE = 30;
/** Longest text that is searched for. */
const MAX_SEARCH = 200;

const ORIGINS: Readonly<Record<DeploymentRecord["source"], string>> = {
  upload: "CLI upload",
  git: "Git push",
};

/** Compares two deployments, or returns the reason why that is impossible. */
async function compare(
  api: PageApi,
  input: Parameters<typeof api.call<typeof endpoints.compareDeployments>>[1],
): Promise<DeploymentComparison | string> {
  try {
    return await api.call(endpoints.compareDeployments, input);
  } catch (error) {
    if (error instanceof Failure && error.code === "conflict") return error.message;
    throw error;
  }
}

function originOf({ promotedFrom, redeployOf, source }: DeploymentRecord): string {
  if (redeployOf !== null) return `Redeploy of ${redeployOf.slice(0, 8)}`;
  return promotedFrom === null ? ORIGINS[source] : "Promoted from a preview";
}

export function bindDeploymentPages(bind: PageBinder, services: DeploymentPageServices): void {
  const { authenticator, deployments } = services;

  /** Finds the deployment that the path names. One of another workspace is as unknown as none. */
  async function open(visit: PersonVisit) {
    const id = (visit.params.deployment ?? "").slice(0, 64);
    const owner = await deployments.owner(id);
    const workspace = owner === undefined
      ? undefined
      : await authenticator.memory.workspaceOf(visit.person.user.id, owner.workspaceId);
    const record = owner === undefined || workspace === undefined
      ? undefined
      : await deployments.find(owner.projectId, id);
    if (record === undefined || workspace === undefined) {
      throw new Failure("not_found", `Deployment ${id} does not exist`);
    }
    return { record, slug: workspace.slug };
  }

  const buildOf = async (api: PageApi, record: DeploymentRecord): Promise<Build | undefined> => {
    if (record.source !== "git") return undefined;
    try {
      return await api.call(endpoints.getBuild, { params: { build: record.id } });
    } catch (error) {
      if (error instanceof Failure && error.code === "not_found") return undefined;
      throw error;
    }
  };

  const show = async (visit: PersonVisit, share?: DeploymentView["share"]) => {
    const { record, slug } = await open(visit);
    const { context, api } = await openBoard(visit, slug, services);
    const params = { deployment: record.id };
    const [deployment, project, build, log, { report }, releases] = await Promise.all([
      api.call(endpoints.getDeployment, { params }),
      api.call(endpoints.getProject, { params: { project: record.projectId } }),
      buildOf(api, record),
      api.call(endpoints.getBuildLog, { params }),
      api.call(endpoints.getForgeReport, { params }),
      api.call(endpoints.listReleases, { params: { project: record.projectId } }),
    ]);
    const release = releases.items.find((each) =>
      each.new.deploymentId === record.id ||
      (each.state === "RUNNING" && each.old.deploymentId === record.id)
    );
    const search = (visit.query.get("search") ?? "").slice(0, MAX_SEARCH);
    const wanted = search.toLowerCase();
    const lines = log.lines.filter(({ text }) => text.toLowerCase().includes(wanted));
    return deploymentPage(context, {
      deployment,
      project,
      build,
      search,
      report,
      release,
      origin: originOf(record),
      lines: lines.slice(-SHOWN_LINES),
      share,
    });
  };

  bind.personal("GET", "/deployments/:deployment", (visit) => show(visit));

  bind.personal("POST", "/deployments/:deployment/share", async (visit) => {
    const { record, slug } = await open(visit);
    const params = { deployment: record.id };
    return show(visit, await visit.api(slug).call(endpoints.createShare, { params, body: {} }));
  });

  // Notifications about errors lead here.
  bind.personal("GET", "/deployments/:deployment/errors/:error", async (visit) => {
    const { record, slug } = await open(visit);
    return goTo(projectPath(slug, record.projectName, `errors/${visit.params.error}`));
  });

  bind.personal("GET", "/deployments/:deployment/compare", async (visit) => {
    const { record, slug } = await open(visit);
    const { context, api } = await openBoard(visit, slug, services);
    const params = { deployment: record.id };
    const base = /^[0-9a-f-]{36}$/.exec(visit.query.get("base") ?? "")?.[0];
    const [deployment, others, comparison] = await Promise.all([
      api.call(endpoints.getDeployment, { params }),
      api.call(endpoints.listDeployments, {
        params: { project: record.projectId },
        query: { limit: COMPARABLE },
      }),
      compare(api, { params, query: base === undefined ? {} : { base } }),
    ]);
    const shown = typeof comparison === "string" ? base : comparison.base.id;
    const choices = others.items.filter(({ id }) => id !== record.id);
    if (typeof comparison !== "string" && choices.every(({ id }) => id !== shown)) {
      choices.push(comparison.base);
    }
    return comparisonPage(context, {
      deployment,
      comparison,
      others: choices,
      base: shown ?? "",
    });
  });

  /** Binds what can be done with a deployment; `run` answers with the id of the page to show. */
  const act = (
    name: string,
    done: string,
    run: (api: PageApi, record: DeploymentRecord) => Promise<string>,
  ) =>
    bind.personal("POST", `/deployments/:deployment/${name}`, async (visit) => {
      const { record, slug } = await open(visit);
      const id = await run(visit.api(slug), record);
      return goTo(`/deployments/${id}?done=${done}`);
    });
  act("promote", "promoted", async (api, { id: deployment }) => {
    return (await api.call(endpoints.promoteDeployment, { params: { deployment }, body: {} })).id;
  });
  act("redeploy", "redeployed", async (api, { id: deployment }) => {
    return (await api.call(endpoints.redeployDeployment, { params: { deployment } })).id;
  });
  act("rollback", "rolled-back", async (api, { id: deploymentId, projectId: project }) => {
    const params = { project };
    const answer = await api.call(endpoints.rollback, { params, body: { deploymentId } });
    return answer.deployment.id;
  });
  act("release-finish", "released", async (api, { projectId: project }) => {
    return (await api.call(endpoints.finishRelease, { params: { project } })).new.deploymentId;
  });
  act("release-withdraw", "withdrawn", async (api, { projectId: project }) => {
    return (await api.call(endpoints.withdrawRelease, { params: { project } })).new.deploymentId;
  });
  act("stop", "stopped", async (api, { id: deployment }) => {
    await api.call(endpoints.stopDeployment, { params: { deployment }, body: {} });
    return deployment;
  });
  act("retry", "build-retried", async (api, { projectId: project, branch, commitSha }) => {
    if (commitSha === null) throw new Failure("conflict", "Only builds of a commit can be retried");
    const body = { branch, commitSha, force: true };
    return (await api.call(endpoints.startBuild, { params: { project }, body })).id;
  });
  act("cancel", "build-cancelled", async (api, { id: build }) => {
    await api.call(endpoints.cancelBuild, { params: { build } });
    return build;
  });
}
