/**
 * @module Creates the command that builds an app in a workspace after the packages that the app
 * needs.
 */
import { relative, resolve } from "node:path";
import {
  type DetectedProject,
  isModernYarn,
  type PackageManager,
  parsePackageFacts,
  runScript,
} from "../../manifest/mod.ts";
import { createFolderReader } from "../folder_reader.ts";
import { type Member, neededBy, readMembers } from "./members.ts";

/** Task runners that follow a workspace's dependency graph, each with its settings file. */
const RUNNERS: readonly {
  readonly file: string;
  readonly package: string;
  readonly command: (name: string) => string;
}[] = [
  {
    file: "turbo.json",
    package: "turbo",
    command: (name) => `turbo run build --filter=${name}...`,
  },
  {
    file: "turbo.jsonc",
    package: "turbo",
    command: (name) => `turbo run build --filter=${name}...`,
  },
  { file: "nx.json", package: "nx", command: (name) => `nx run ${name}:build` },
];

/**
 * Commands with which package managers, called in a member's folder, run a program that is
 * installed in the workspace's root.
 */
const PROGRAM: Readonly<Record<PackageManager, string>> = {
  npm: "npx",
  pnpm: "pnpm -w exec",
  yarn: "yarn run",
  bun: "bunx",
  deno: "deno run -A",
};

/** Names that a shell reads as a single word. */
const PLAIN_NAME = /^[@\w./-]+$/;

/** Returns the command with which each package manager builds the packages in the given order. */
const ORDERED: Readonly<Record<PackageManager, (members: readonly Member[]) => string>> = {
  npm: (members) => `npm run build${members.map(({ name }) => ` --workspace=${name}`).join("")}`,
  pnpm: (members) => `pnpm --filter=${members.at(-1)?.name}... run build`,
  yarn: (members) => members.map(({ name }) => `yarn workspace ${name} run build`).join(" && "),
  bun: (members) => members.map(({ name }) => `bun run --filter=${name} build`).join(" && "),
  deno: () => runScript("deno", "build"),
};

/** Finds a workspace's task runner, which must have a settings file and be a dependency. */
async function runnerAt(root: string) {
  const reader = createFolderReader(root);
  const facts = parsePackageFacts(await reader.readText("package.json"));
  for (const runner of RUNNERS) {
    if (facts?.dependencies.has(runner.package) !== true) continue;
    if (await reader.exists(runner.file)) return runner;
  }
  return undefined;
}

/** Returns the name that Nx uses for a project. */
async function nxName(directory: string, name: string): Promise<string> {
  const text = await createFolderReader(directory).readText("project.json") ?? "";
  const written = /"name"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? name;
  return PLAIN_NAME.test(written) ? written : name;
}

/**
 * Returns the build command for the app in `directory`. The command uses Turborepo or Nx if the
 * workspace does, otherwise the package manager. Returns `undefined` if the app is not part of a
 * workspace, has no `build` script, or depends on nothing that needs a build.
 */
export async function workspaceBuild(
  directory: string,
  { installsIn, packageManager, manager }: DetectedProject,
): Promise<string | undefined> {
  if (installsIn === "" || packageManager === undefined) return undefined;
  const root = resolve(directory, installsIn);
  const members = await readMembers(root) ?? [];
  const path = relative(root, directory).replaceAll("\\", "/");
  const app = members.find((each) => each.path === path);
  if (app?.name === undefined || !app.scripts.has("build")) return undefined;
  const needed = neededBy(members, path).filter(({ scripts }) => scripts.has("build"));
  if (![...needed, app].every(({ name = "" }) => PLAIN_NAME.test(name))) return undefined;
  const runner = await runnerAt(root);
  if (runner !== undefined) {
    const name = runner.package === "nx" ? await nxName(directory, app.name) : app.name;
    const isModern = manager?.name === "yarn" &&
      await isModernYarn(createFolderReader(directory), manager);
    return `${PROGRAM[packageManager]}${isModern ? " -T" : ""} ${runner.command(name)}`;
  }
  return needed.length === 0 ? undefined : ORDERED[packageManager]([...needed, app]);
}
