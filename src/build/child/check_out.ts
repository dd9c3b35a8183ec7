/** @module Checks out the commit of a build. Hostile content can affect only that build. */
import { join, sep } from "node:path";
import { BuildError } from "../build_error.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import type { BuildJobFile } from "./wire.ts";

/**
 * These settings prevent the machine's and the repository's configuration from making git run other
 * programs.
 */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "submodule.recurse=false",
  "protocol.allow=never",
  "advice.detachedHead=false",
  // By default, git refuses repositories that belong to other users. This one may belong to the
  // platform's user.
  "safe.directory=*",
];

/** Writes the files of a commit that is in the repository. */
async function checkOut(
  repository: string,
  commitSha: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const { success, stderr } = await runProgram("git", {
    args: [
      "-C",
      repository,
      ...SETTINGS.flatMap((setting) => ["-c", setting]),
      "checkout",
      "--quiet",
      "--detach",
      "--force",
      commitSha,
    ],
    env: { ...env, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null", LC_ALL: "C.UTF-8" },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  });
  if (success) return;
  const reason = new TextDecoder().decode(stderr).trim().slice(-1000);
  throw new BuildError("build_failed", `Cannot check out commit ${commitSha}: ${reason}`);
}

/** Replaces Git LFS pointers with their files. */
async function placeLargeFiles(
  repository: string,
  files: BuildJobFile["largeFiles"],
): Promise<void> {
  const last = new Map(files.map(({ object, path }) => [object, path]));
  for (const file of files) {
    const [path, object] = [join(repository, file.path), join(repository, file.object)];
    const { mode } = await Deno.lstat(path);
    await Deno.remove(path);
    // Several files can have the same content.
    if (last.get(file.object) === file.path) await Deno.rename(object, path);
    else await Deno.copyFile(object, path);
    if (mode !== null) await Deno.chmod(path, mode & 0o777);
  }
}

/**
 * Writes all files of a job's commit: the commit's own files, and those of submodules and Git LFS.
 */
export async function checkOutAll(
  { repository, commitSha, submodules, largeFiles }: Pick<
    BuildJobFile,
    "repository" | "commitSha" | "submodules" | "largeFiles"
  >,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await checkOut(repository, commitSha, env);
  for (const { path, commitSha } of submodules) {
    await checkOut(join(repository, path), commitSha, env);
  }
  await placeLargeFiles(repository, largeFiles);
}

/** Returns the project's folder in the checkout. No link points outside it. */
export async function projectDirectory(
  repository: string,
  rootDirectory: string | null,
): Promise<string> {
  if (rootDirectory === null) return repository;
  const wanted = join(repository, rootDirectory);
  const [root, real] = await Promise.all([
    Deno.realPath(repository),
    Deno.realPath(wanted).catch(() => undefined),
  ]);
  const isInside = real !== undefined && (real === root || real.startsWith(root + sep));
  if (isInside && (await Deno.stat(real)).isDirectory) return real;
  throw new BuildError(
    "build_failed",
    `The root directory must be a folder in the repository: this commit has no "${rootDirectory}"`,
  );
}
