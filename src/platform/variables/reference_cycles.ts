/**
 * Finds projects whose variables refer to each other's URLs in a cycle. Each deployment gets the
 * URL that the other project has at that time. Unless one of the projects redeploys automatically,
 * no order of deploys gives all of them the current URLs.
 *
 * @module
 */
import type { ProjectRecord, ProjectStore } from "../projects/mod.ts";
import { projectsIn } from "./references.ts";

/** The values of variables, by name, with unresolved references. */
type Values = Readonly<Record<string, string>>;

export interface CycleParts {
  readonly projects: Pick<ProjectStore, "findByName">;
  /** Returns the variables that a project's environment sees. */
  open(projectId: string, environment: string): Promise<Values>;
}

/**
 * Returns why a project's variables cannot be used: one of them refers to a project whose own
 * variables refer back to this project. Names only projects to which this project refers directly.
 */
export async function describeCycle(
  { projects, open }: CycleParts,
  { project, environment, values }: {
    readonly project: ProjectRecord;
    readonly environment: string;
    readonly values: Values;
  },
): Promise<string | undefined> {
  if (project.autoRedeploy) return undefined;
  const seen = new Set<string>();
  const leadsBack = async (name: string): Promise<boolean> => {
    if (seen.has(name)) return false;
    seen.add(name);
    const other = await projects.findByName(project.workspaceId, name);
    if (other === undefined || other.autoRedeploy) return false;
    const names = projectsIn(Object.values(await open(other.id, environment)));
    if (names.includes(project.name)) return true;
    for (const each of names) if (await leadsBack(each)) return true;
    return false;
  };
  for (const [variable, value] of Object.entries(values)) {
    for (const name of projectsIn([value])) {
      if (name === project.name || !await leadsBack(name)) continue;
      return `Variable ${variable} of project "${project.name}" refers to \${{${name}.url}} in a ` +
        `cycle: variables of "${name}" lead back to "${project.name}". Whichever is deployed ` +
        "first gets an outdated URL for the other. Remove one of the references, or run " +
        `svc projects update ${project.name} --auto-redeploy true`;
    }
  }
  return undefined;
}
