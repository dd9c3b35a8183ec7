/**
 * Whether the Node of the machine is one that a framework runs on: the most
 * usual reason for a build that fails at once.
 *
 * @module
 */
import { z } from "zod";
import { type DetectedProject, findFramework } from "../manifest/mod.ts";
import { createFolderReader } from "./folder_reader.ts";
import type { BuildHost } from "./types.ts";
import { runProgram } from "../lib/spawn_program.ts";

type Version = readonly [number, number, number];

const packageSchema = z.object({ engines: z.object({ node: z.string() }) });

function parseVersion(text: string): Version | undefined {
  const [, major, minor = 0, patch = 0] = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

function isAtLeast(version: Version, least: Version): boolean {
  const at = version.findIndex((part, index) => part !== least[index]);
  return at === -1 || version[at]! > least[at]!;
}

/**
 * Whether a version is in a range such as `^20.19.0 || >=22.12.0`. What is
 * written in another way counts as met: this only explains failures.
 */
export function meetsRange(version: string, range: string): boolean {
  const own = parseVersion(version);
  if (own === undefined) return true;
  return range.split("||").some((part) => {
    const [, sign, rest = ""] = /^\s*(>=|\^|~)\s*(\S+)\s*$/.exec(part) ?? [];
    const least = parseVersion(rest);
    if (sign === undefined || least === undefined) return true;
    const kept = sign === ">=" ? 0 : sign === "^" ? 1 : 2;
    return isAtLeast(own, least) && own.slice(0, kept).every((part, at) => part === least[at]);
  });
}

async function nodeVersion(host: BuildHost): Promise<string | undefined> {
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

/** Which Node the installed framework asks for, where the machine has another; a clause. */
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
    return `${framework?.name} asks for Node ${range}, and "node --version" says ${version}`;
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
