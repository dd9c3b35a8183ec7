/** @module Chooses the package to deploy when the given folder is the root of a workspace. */
import { join, relative } from "node:path";
import { detectProject } from "../../manifest/mod.ts";
import { BuildError } from "../build_error.ts";
import { createFolderReader } from "../folder_reader.ts";
import type { BuildHost } from "../types.ts";
import { type Member, readMembers } from "./members.ts";

interface WorkspaceApp {
  /** The app's folder, relative to the root, with `/` as the separator. */
  readonly path: string;
  /** A readable description of the kind of project. */
  readonly kind: string;
}

/** Maximum number of apps to list in an error. */
const MAX_LISTED = 20;

/**
 * Returns what makes a folder an app, such as its framework or "a start script". Returns
 * `undefined` for a package that is not an app.
 */
async function kindOf(directory: string, member?: Member): Promise<string | undefined> {
  const reader = createFolderReader(directory);
  const { framework, server } = await detectProject(reader);
  const hasPage = await reader.exists("index.html");
  // Vite is also often used to build libraries.
  if (framework !== undefined && (framework.id !== "vite" || hasPage)) return framework.name;
  if (server !== undefined) return "a server";
  if (member?.scripts.has("start") === true) return "a start script";
  if (await reader.exists("svc.toml") && member !== undefined) return "svc.toml";
  return hasPage ? "a page" : undefined;
}

/** Finds the apps in a workspace, sorted by path. */
async function findApps(
  root: string,
  members: readonly Member[],
): Promise<readonly WorkspaceApp[]> {
  const kinds = await Promise.all(
    members.map((member) => kindOf(join(root, member.path), member)),
  );
  return members.flatMap(({ path }, index) => {
    const kind = kinds[index];
    return kind === undefined ? [] : [{ path, kind }];
  });
}

function undecided(apps: readonly WorkspaceApp[]): BuildError {
  const lines = apps.slice(0, MAX_LISTED).map(({ path, kind }) => `  ${path} (${kind})`);
  const more = apps.length > MAX_LISTED ? [`  and ${apps.length - MAX_LISTED} more`] : [];
  return new BuildError(
    "app_undecided",
    `Choose the app to deploy: this folder is a workspace with ${apps.length} apps\n` +
      [...lines, ...more].join("\n"),
    {
      hint:
        `Deploy one app by its folder, for example: svc deploy ${apps[0]?.path}. For builds from ` +
        `git: svc projects update <project> --root-directory ${apps[0]?.path}`,
      details: { apps },
    },
  );
}

/**
 * Returns the folder of the only app in a workspace, or of the app that contains `standing`.
 * Returns the given folder if it is not a workspace, or is itself an app.
 *
 * @throws {BuildError} if there are several apps.
 */
export async function chooseApp(
  host: BuildHost,
  { directory, standing }: {
    /** Absolute path of the folder that the user named. */
    readonly directory: string;
    /** Absolute path of the user's current folder, if any. */
    readonly standing: string | undefined;
  },
): Promise<string> {
  const members = await readMembers(directory);
  if (members === undefined || await kindOf(directory) !== undefined) return directory;
  const apps = await findApps(directory, members);
  const here = standing === undefined
    ? undefined
    : relative(directory, standing).replaceAll("\\", "/");
  const chosen = apps.length === 1
    ? apps[0]
    : apps.find(({ path }) => here === path || here?.startsWith(`${path}/`) === true);
  if (chosen === undefined && apps.length > 1) throw undecided(apps);
  if (chosen === undefined) return directory;
  const why = apps.length === 1 ? "the only app in this workspace" : "the app in this folder";
  host.say("detect", "info", `Using ${chosen.path} (${chosen.kind}): ${why}`);
  return join(directory, chosen.path);
}
