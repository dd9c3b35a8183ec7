/** Wires up forms: submissions by a site's visitors, stored per environment. @module */
import type { FormKeeper, SiteDirectory } from "../../edge/mod.ts";
import { formatCount } from "../../lib/format.ts";
import type { ObjectStore } from "../blobs/mod.ts";
import type { Capability } from "../core/capability.ts";
import type { Foundation } from "../core/foundation.ts";
import type { FormSettings } from "../../manifest/mod.ts";
import { deleteKeys } from "../core/store/mod.ts";
import { type EnvironmentStore, latestLabel } from "../environments/mod.ts";
import type { ProjectStore } from "../projects/mod.ts";
import { FormStore } from "./form_store.ts";
import { type FormSender, retentionOf, SubmissionKeeper } from "./keep_submission.ts";
import { bindFormRoutes } from "./routes.ts";
import type { SubmissionRecord } from "./submission_record.ts";

interface FormParts {
  readonly projects: ProjectStore;
  readonly environments: EnvironmentStore;
  readonly objects: ObjectStore;
  /** Returns the sites, which are wired up later. */
  sites(): Pick<SiteDirectory, "resolve">;
}

interface ProjectForms {
  /** Stores the submissions to a deployment's forms. */
  readonly formsOf: (deployment: FormSender) => FormKeeper;
  readonly capability: Capability;
}

export function createForms(foundation: Foundation, parts: FormParts): ProjectForms {
  const { kv, publicOrigin, now, random, addresses, events, onTrouble } = foundation;
  const { projects, environments, objects, sites } = parts;
  const store = new FormStore(kv, objects);
  const raise = events.raise;
  /** Returns a form's settings in the live deployment, if that deployment has the form. */
  async function liveForm({ workspaceId, projectId, environment, form }: SubmissionRecord) {
    const project = await projects.find(workspaceId, projectId);
    if (project === undefined) return undefined;
    return (await formsAt(projectId, latestLabel(project, environment))).get(form);
  }

  async function formsAt(
    projectId: string,
    label: string,
  ): Promise<ReadonlyMap<string, FormSettings>> {
    const site = await sites().resolve(addresses.hostname(label));
    return site?.projectId === projectId ? site.forms?.byName ?? new Map() : new Map();
  }

  const keeper = new SubmissionKeeper({ store, objects, raise, publicOrigin, now, random });
  return {
    formsOf: (deployment) => ({
      keep: (form, submission) => keeper.keep(deployment, form, submission),
    }),
    capability: {
      name: "forms",
      bindRoutes: (router) =>
        bindFormRoutes(router, {
          projects,
          environments,
          store,
          declaredAt: async (projectId, label) => [...(await formsAt(projectId, label)).keys()],
        }),
      async cleanUp(signal) {
        const count = await store.sweep(now(), signal, async (record) => {
          try {
            const form = await liveForm(record);
            return form === undefined ? undefined : retentionOf(form);
          } catch (error) {
            onTrouble(`Cannot read the live form ${record.form}: ${error}`);
            // The live form may have no limit, so nothing is removed.
            return null;
          }
        });
        return count === 0 ? [] : [`removed ${formatCount(count, "form submission")}`];
      },
      projectKeys: (projectId) => store.keysOf(projectId),
      removeEnvironment: ({ projectId, name }) => deleteKeys(kv, store.keysOf(projectId, name)),
    },
  };
}
