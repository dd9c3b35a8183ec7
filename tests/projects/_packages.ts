/**
 * Popular npm packages, each with a small server that uses it. The servers are the files in
 * `fixtures/packages/cases`, and the `package.json` next to that folder lists the packages'
 * versions.
 *
 * @module
 */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ROOT } from "../../scripts/_source_files.ts";

const FIXTURES = join(ROOT, "fixtures", "packages");

/** Matches the name of each package that a module imports or, according to a comment, loads. */
const NAMED = /(?:from |^import )"((?:@[^/"]+\/)?[^./"][^/"]*)|^\/\/ Loads (\S+) by its name/gm;

const versionsSchema = z.object({ dependencies: z.record(z.string(), z.string()) });

export interface PackageCase {
  readonly name: string;
  readonly code: string;
  /** Versions of the packages that the case needs, by name. */
  readonly dependencies: Readonly<Record<string, string>>;
}

function readCase(name: string, versions: Readonly<Record<string, string>>): PackageCase {
  const path = join(FIXTURES, "cases", `${name.replace("/", "+")}.js`);
  const code = Deno.readTextFileSync(path);
  const names = [...code.matchAll(NAMED)].map(([, imported, loaded]) => imported ?? loaded!);
  const dependencies = names.filter((each) => !each.startsWith("node:")).map((each) => {
    const version = versions[each];
    if (version === undefined) throw new Error(`package.json has no version for ${each}`);
    return [each, version] as const;
  });
  return { name, code, dependencies: Object.fromEntries(dependencies) };
}

/**
 * Returns the cases that `PACKAGES` selects: `all` or comma-separated names. By default, these are
 * a few that install quickly.
 */
export function readCases(wanted: string | undefined, usual: readonly string[]) {
  const text = Deno.readTextFileSync(join(FIXTURES, "package.json"));
  const { dependencies } = versionsSchema.parse(JSON.parse(text));
  const all = [...Deno.readDirSync(join(FIXTURES, "cases"))]
    .map(({ name }) => name.slice(0, -".js".length).replace("+", "/")).sort();
  const chosen = wanted === "all" ? all : wanted?.split(",") ?? usual;
  return chosen.map((name) => readCase(name, dependencies));
}

function packageJson(dependencies: Readonly<Record<string, string>>): string {
  const scripts = { start: "node server.js" };
  return JSON.stringify({ name: "app", private: true, type: "module", scripts, dependencies });
}

/** Writes the server for one case. Its `package.json` lists only the packages for that case. */
export async function writeCase(folder: string, { code, dependencies }: PackageCase) {
  await Deno.writeTextFile(join(folder, "case.js"), code);
  await Deno.writeTextFile(join(folder, "package.json"), packageJson(dependencies));
}

/**
 * Writes the files that all cases share, with one `package.json` for all of the cases' packages.
 */
export async function writeShared(folder: string, cases: readonly PackageCase[]): Promise<void> {
  for (const name of ["ask.js", "folder.js", "server.js", "worker_task.js"]) {
    await cp(join(FIXTURES, name), join(folder, name));
  }
  const dependencies = Object.assign({}, ...cases.map((each) => each.dependencies));
  await Deno.writeTextFile(join(folder, "package.json"), packageJson(dependencies));
  // Different cases' packages can need different versions of the same peer dependency.
  await Deno.writeTextFile(join(folder, ".npmrc"), "legacy-peer-deps=true\n");
}
