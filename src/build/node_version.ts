/** @module Checks whether a build failed because the machine's Node cannot run the framework. */
import { satisfies, valid, validRange } from "semver";
import * as z from "zod";
import { type DetectedProject, findFramework } from "../manifest/mod.ts";
import { createFolderReader } from "./folder_reader.ts";
import type { BuildHost } from "./types.ts";
import { runProgram } from "../lib/spawn_program.ts";

const packageSchema = z.object({ engines: z.object({ node: z.string() }) });

/**
 * Returns whether a version is in a range such as `^20.19.0 || >=22.12.0`. A string that is not a
 * range counts as satisfied, because the result is used only to explain failures.
 */
export function meetsRange(version: string, range: string): boolean {
  return validRange(range) === null || valid(version) === null || satisfies(version, range);
}

/**
 * Runs `node --version` in the host's environment. Returns `undefined` if Node is not installed.
 */
export async function nodeVersion(host: BuildHost): Promise<string | undefined> {
  try {
    const env = { PATH: host.env.PATH ?? "" };
    const { stdout, success } = await runProgram("node", {
      args: ["--version"],
      env,
      clearEnv: true,
      stderr: "null",
    });
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Returns a clause about the Node version that the installed framework requires, if the machine's
 * version does not satisfy the requirement.
 */
export async function wrongNode(
  host: BuildHost,
  { directory, detected }: { readonly directory: string; readonly detected: DetectedProject },
): Promise<string | undefined> {
  const { framework } = detected;
  const packages = findFramework(framework?.id)?.packages ?? [];
  const reader = createFolderReader(directory);
  for (const name of packages) {
    const text = await reader.readText(`${detected.packagesFolder}/${name}/package.json`);
    const range = text === undefined ? undefined : readRange(text);
    if (range === undefined) continue;
    const version = await nodeVersion(host);
    if (version === undefined || meetsRange(version, range)) return undefined;
    return `${framework?.name} requires Node ${range}, but "node --version" prints ${version}`;
  }
  return undefined;
}

function readRange(text: string): string | undefined {
  try {
    return packageSchema.safeParse(JSON.parse(text)).data?.engines.node;
  } catch {
    return undefined;
  }
}
