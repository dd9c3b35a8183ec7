/** @module `/deployments/{id}`: a deployment's page. Notifications also link to it. */
import type { Build } from "../../contract/builds.ts";
import type { DeploymentComparison } from "../../contract/deployment_comparison.ts";
import { endpoints } from "../../contract/endpoints.ts";
import { ENVIRONMENT_PRODUCTION } from "../../contract/environment_names.ts";
import { productionQuestion } from "../asking/production_question.tsx";
import type { Question } from "../layout/question.tsx";
import { QUESTIONS } from "../asking/questions.ts";
import { goTo } from "../layout/document.tsx";
import { projectPath } from "../layout/bar.tsx";
import { type BoardServices, openBoard } from "../visit/board_context.ts";
import type { PageApi } from "../visit/page_api.ts";
import type { PageBinder, PersonVisit } from "../visit/page_binder.tsx";
import { Failure } from "../../platform/core/http/mod.ts";
import type { DeploymentRecord, DeploymentStore } from "../../platform/deployments/mod.ts";
import { comparisonPage } from "./comparison_page.tsx";
import { originOf } from "./deployment_origin.ts";
import { deploymentPage, type DeploymentView } from "./deployment_page.tsx";

export interface DeploymentPageServices extends BoardServices {
  readonly deployments: Pick<DeploymentStore, "owner" | "find">;
}

/** Number of build log lines on the page. */
const SHOWN_LINES = 500;
/** Number of deployments that the comparison page offers. */
const COMPARABLE = 30;
/** Maximum length of the text to search for. */
const MAX_SEARCH = 200;

/** Compares two deployments, or returns the reason why they cannot be compared. */
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

export function bindDeploymentPages(bind: PageBinder, services: DeploymentPageServices): void {
  const { authenticator, deployments } = services;

  /**
   * Finds the deployment in the path. A deployment in a workspace to which the person does not
   * belong counts as unknown.
   */
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
    return { record, slug: workspace.slug, role: workspace.role };
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

  // Notifications about errors link here.
  bind.personal("GET", "/deployments/:deployment/errors/:error", async (visit) => {
    const { record, slug } = await open(visit);
    return goTo(projectPath(slug, record.projectName, `errors/${visit.params.error}`));
  });

  // Notifications about forms link here.
  bind.personal("GET", "/deployments/:deployment/forms/:form", async (visit) => {
    const { record, slug } = await open(visit);
    const form = visit.params.form ?? "";
    const shown = new URLSearchParams({ environment: record.environment, form });
    return goTo(`${projectPath(slug, record.projectName, "forms")}?${shown}`);
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

  /** Binds a deployment's actions and their confirmations. */
  const act = (name: string, { ask, run }: {
    ask?(
      api: PageApi,
      record: DeploymentRecord,
    ): Question | undefined | Promise<Question | undefined>;
    /** Runs the action and returns the path of the page that shows the result. */
    run(api: PageApi, record: DeploymentRecord): Promise<string>;
  }) =>
    bind.asking(`/deployments/:deployment/${name}`, {
      ask: async (visit) => {
        const { record, slug, role } = await open(visit);
        if (role !== "viewer") return ask?.(visit.api(slug), record);
        throw new Failure("forbidden", "Viewers cannot change anything in this workspace");
      },
      run: async (visit) => {
        const { record, slug } = await open(visit);
        return goTo(await run(visit.api(slug), record));
      },
    });
  const done = (id: string, what: string) => `/deployments/${id}?done=${what}`;
  const projectOf = (api: PageApi, { projectId: project }: DeploymentRecord) =>
    api.call(endpoints.getProject, { params: { project } });
  /** Adds the previous production deployment to the path, so the change can be undone. */
  const undoable = (path: string, before: string | null) =>
    before === null ? path : `${path}&undo=${before}`;

  act("promote", {
    ask: async (api, record) =>
      productionQuestion(api, {
        project: await projectOf(api, record),
        to: record.id,
        now: services.now(),
        word: "Promote to production",
        lines: ["Nothing is rebuilt. The deployment gets production's variables."],
      }),
    run: async (api, record) => {
      const { productionDeploymentId: before } = await projectOf(api, record);
      const params = { deployment: record.id };
      const { id, isProduction } = await api.call(endpoints.promoteDeployment, {
        params,
        body: {},
      });
      return undoable(done(id, "promoted"), isProduction ? before : null);
    },
  });
  act("redeploy", {
    ask: async (api, record) =>
      record.environment !== ENVIRONMENT_PRODUCTION ? undefined : productionQuestion(api, {
        project: await projectOf(api, record),
        to: record.id,
        now: services.now(),
        word: "Redeploy to production",
        lines: ["The same files are deployed again, with the current variables."],
      }),
    run: async (api, record) => {
      const { productionDeploymentId: before } = await projectOf(api, record);
      const params = { deployment: record.id };
      const { id, isProduction } = await api.call(endpoints.redeployDeployment, { params });
      return undoable(done(id, "redeployed"), isProduction ? before : null);
    },
  });
  act("rollback", {
    ask: async (api, record) => {
      const project = await projectOf(api, record);
      if (project.productionDeploymentId !== record.id) return undefined;
      return productionQuestion(api, {
        project,
        to: undefined,
        now: services.now(),
        word: "Roll back",
      });
    },
    run: async (api, { id: deploymentId, projectId: project }) => {
      const params = { project };
      const answer = await api.call(endpoints.rollback, { params, body: { deploymentId } });
      return undoable(done(answer.deployment.id, "rolled-back"), deploymentId);
    },
  });
  act("restore", {
    ask: async (api, record) =>
      productionQuestion(api, {
        project: await projectOf(api, record),
        to: record.id,
        now: services.now(),
        word: "Roll back to this deployment",
        lines: ["Production gets back its files, functions, rules and variables."],
      }),
    run: async (api, { id: to, projectId: project }) => {
      const { rolledBack } = await api.call(endpoints.rollback, {
        params: { project },
        body: { to },
      });
      return undoable(done(to, "restored"), rolledBack.id);
    },
  });
  act("release-finish", {
    ask: () => QUESTIONS.finishRelease("the rolling release"),
    run: async (api, { projectId: project }) => {
      const release = await api.call(endpoints.finishRelease, { params: { project } });
      return done(release.new.deploymentId, "released");
    },
  });
  act("release-withdraw", {
    ask: () => QUESTIONS.withdrawRelease("the rolling release"),
    run: async (api, { projectId: project }) => {
      const release = await api.call(endpoints.withdrawRelease, { params: { project } });
      return done(release.new.deploymentId, "withdrawn");
    },
  });
  act("stop", {
    ask: (_, { message, id }) =>
      QUESTIONS.stop(message?.slice(0, 80) ?? `deployment ${id.slice(0, 8)}`),
    run: async (api, { id: deployment }) => {
      await api.call(endpoints.stopDeployment, { params: { deployment }, body: {} });
      return done(deployment, "stopped");
    },
  });
  act("retry", {
    run: async (api, { projectId: project, branch, commitSha }) => {
      if (commitSha === null) {
        throw new Failure("conflict", "Only builds of a commit can be retried");
      }
      const body = { branch, commitSha, force: true };
      const { id } = await api.call(endpoints.startBuild, { params: { project }, body });
      return done(id, "build-retried");
    },
  });
  act("cancel", {
    run: async (api, { id: build }) => {
      await api.call(endpoints.cancelBuild, { params: { build } });
      return done(build, "build-cancelled");
    },
  });
}
