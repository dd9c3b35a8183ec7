/** @module Creates a project on the platform, and explains what to do if its name is taken. */
import { ApiError } from "../../client/errors.ts";
import type { Client } from "../../client/client.ts";
import { collectPages } from "../../client/collect_pages.ts";
import type { BodyInputOf } from "../../contract/endpoint.ts";
import { PAGE_LIMIT_MAX, PROJECT_NAME_MAX } from "../../contract/common.ts";
import {
  createProject as createProjectEndpoint,
  listProjects,
  type Project,
} from "../../contract/projects.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import type { Phase } from "../terminal/ui.ts";

/** Maximum number of projects to list. */
const MAX_LISTED = 200;

/** Lists the newest projects of the current workspace. */
export async function listNewestProjects(client: Client): Promise<Project[]> {
  const { items } = await collectPages(
    (query) => client.call(listProjects, { query }),
    { limit: MAX_LISTED, pageSize: PAGE_LIMIT_MAX },
  );
  return items;
}

/** Appends the first number that makes the name unique among `taken`. */
function numberedName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2;; number++) {
    const suffix = `-${number}`;
    const numbered = name.slice(0, PROJECT_NAME_MAX - suffix.length).replace(/-+$/, "") + suffix;
    if (!taken.has(numbered)) return numbered;
  }
}

async function nameTaken(
  ctx: Context,
  client: Client,
  { name, cause, hasNameFlag }: {
    readonly name: string;
    readonly cause: ApiError;
    readonly hasNameFlag: boolean;
  },
): Promise<CliError> {
  const own = new Set((await listNewestProjects(client)).map((project) => project.name));
  const other = numberedName(name, own);
  const { lines } = ctx;
  return new CliError("conflict", cause.message, {
    hint: own.has(name)
      ? "The project is in this workspace. To use it, link the folder: " +
        lines.of("link", "--project-id", name)
      : "Project names are part of URLs. A name can be reserved, or belong to a project in another workspace",
    next: [
      hasNameFlag
        ? lines.again({ "--name": other })
        : lines.of("projects", "create", "--name", other, "--link"),
    ],
    cause,
  });
}

/** Creates a project. The name may come from the `--name` flag of this run. */
export async function createProject(
  ctx: Context,
  client: Client,
  { body, phase, hasNameFlag }: {
    readonly body: BodyInputOf<typeof createProjectEndpoint>;
    readonly phase: Phase;
    readonly hasNameFlag: boolean;
  },
): Promise<Project> {
  try {
    const project = await client.call(createProjectEndpoint, { body });
    ctx.ui.done(phase, `Created project ${project.name}`);
    return project;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
    throw await nameTaken(ctx, client, { name: body.name, cause: error, hasNameFlag });
  }
}
