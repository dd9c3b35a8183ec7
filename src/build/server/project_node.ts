/** @module The version of Node that a project's server runs on. */
import * as z from "zod";
import type { ProjectReader } from "../../manifest/mod.ts";
import { BuildError } from "../build_error.ts";
import { createFolderReader } from "../folder_reader.ts";
import { nodeVersion } from "../node_version.ts";
import type { BuildHost } from "../types.ts";
import { chooseNodeVersion, type NodeRequirement } from "./choose_node_version.ts";

const packageSchema = z.object({
  engines: z.object({ node: z.string() }).optional().catch(undefined),
  volta: z.object({ node: z.string() }).optional().catch(undefined),
});

function readPackage(text: string | undefined): z.infer<typeof packageSchema> {
  if (text === undefined) return {};
  try {
    return packageSchema.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

/** Reads the version requirements of a folder, in order of precedence. */
async function requirementsOf(reader: ProjectReader): Promise<readonly NodeRequirement[]> {
  const { engines, volta } = readPackage(await reader.readText("package.json"));
  const written: readonly (readonly [string, string | undefined])[] = [
    ["engines.node in package.json", engines?.node],
    [".nvmrc", await reader.readText(".nvmrc")],
    [".node-version", await reader.readText(".node-version")],
    ["volta.node in package.json", volta?.node],
  ];
  return written.flatMap(([source, text]) =>
    text === undefined || text.trim() === "" ? [] : [{ source, text }]
  );
}

export interface ProjectNode {
  /** The version of Node that runs the server. */
  readonly version: string;
  /** The version of Node that built the project, or `undefined` if there was no Node. */
  readonly built: string | undefined;
}

/**
 * Returns the Node version from the platform's setting, the project, its workspace, or the build.
 *
 * @throws {BuildError} If no version satisfies the requirement
 */
export async function projectNode(
  host: BuildHost,
  folders: {
    readonly project: string;
    readonly workspace: string;
    /** The version from the project's settings on the platform. */
    readonly setting: string | undefined;
  },
): Promise<ProjectNode> {
  const { project, workspace, setting } = folders;
  const readers = [...new Set([project, workspace])].map(createFolderReader);
  const [built, written] = await Promise.all([
    nodeVersion(host),
    Promise.all(readers.map(requirementsOf)),
  ]);
  const given = setting === undefined
    ? []
    : [{ source: "the project's Node version", text: setting }];
  const choice = chooseNodeVersion([...given, ...written.flat()], built);
  if (!choice.ok) throw new BuildError("server_invalid", choice.message);
  if (choice.warning !== undefined) host.say("build", "warn", choice.warning);
  return { version: choice.version, built };
}
