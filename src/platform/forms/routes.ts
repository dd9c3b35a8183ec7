/** `/v1/projects/{project}/forms`. @module */
import { endpoints } from "../../contract/endpoints.ts";
import { FORM_STATES } from "../../contract/forms.ts";
import type { Caller } from "../core/access/mod.ts";
import { Failure, type Router } from "../core/http/mod.ts";
import { type EnvironmentStore, findEnvironmentName, latestLabel } from "../environments/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import type { FormStore } from "./form_store.ts";
import { type FormPlace, submissionToWire } from "./submission_record.ts";

/** Maximum number of submissions that one request can delete. */
const MAX_PURGED = 200;

interface FormRouteServices {
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly store: FormStore;
  /** Returns the names of the forms in the deployment that is live on a project's host. */
  declaredAt(projectId: string, label: string): Promise<readonly string[]>;
}

export function bindFormRoutes(router: Router, services: FormRouteServices): void {
  const { projects, environments, store, declaredAt } = services;

  async function find(caller: Caller, reference: string, environment: string) {
    const project = await findProject(projects, caller, reference);
    const name = await findEnvironmentName(environments, project, environment);
    const [declared, counts] = await Promise.all([
      declaredAt(project.id, latestLabel(project, name)),
      store.counts(project.id, name),
    ]);
    return { projectId: project.id, environment: name, declared, counts };
  }

  async function placeOf(
    caller: Caller,
    { project, form }: { readonly project: string; readonly form: string },
    environment: string,
  ): Promise<FormPlace> {
    const { declared, counts, ...place } = await find(caller, project, environment);
    if (declared.includes(form) || counts.has(form)) return { ...place, form };
    throw new Failure("not_found", `Environment ${place.environment} has no form "${form}"`);
  }

  router.guarded(endpoints.listForms, async (caller, { params, query }) => {
    const { projectId, declared, counts, environment } = await find(
      caller,
      params.project,
      query.environment,
    );
    const names = new Set([...declared, ...counts.keys()]);
    const items = [...names].sort().map((name) => {
      const { inbox = 0, spam = 0, lastAt = 0 } = counts.get(name) ?? {};
      return {
        ...{ name, environment, isDeclared: declared.includes(name), inbox, spam },
        lastAt: lastAt === 0 ? null : new Date(lastAt).toISOString(),
      };
    });
    return { items, hasRoom: await store.hasRoom(projectId) };
  });

  router.guarded(endpoints.listFormSubmissions, async (caller, { params, query }) => {
    const place = await placeOf(caller, params, query.environment);
    const { items, nextCursor } = await store.page(place, query.state, query);
    return { items: items.map(submissionToWire), nextCursor };
  });

  router.guarded(endpoints.deleteFormSubmission, async (caller, { params, query }) => {
    const place = await placeOf(caller, params, query.environment);
    for (const state of FORM_STATES) {
      if (await store.drop(place, state, params.submission)) return undefined;
    }
    throw new Failure("not_found", `Submission ${params.submission} does not exist`);
  });

  router.guarded(endpoints.purgeForm, async (caller, { params, body }) => {
    const place = await placeOf(caller, params, body.environment);
    const { items, nextCursor } = await store.page(place, body.state, { limit: MAX_PURGED });
    let removed = 0;
    for (const { id } of items) if (await store.drop(place, body.state, id)) removed++;
    return { removed, hasMore: nextCursor !== null };
  });
}
