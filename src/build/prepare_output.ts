/**
 * The output as it will be deployed: its files, the manifest that says what
 * they are, and its servers bundled.
 *
 * @module
 */
import { join } from "node:path";
import { formatCount, printable } from "../lib/format.ts";
import { describeUtf8Fault, NotUtf8Error } from "../lib/utf8.ts";
import {
  type DetectedProject,
  formatManifestProblems,
  type Generated,
  generateManifest,
  type Launch,
  type Manifest,
  MANIFEST_PATH,
  type ManifestProblem,
  type OutputFile,
  outputFilesOf,
  parseManifestJson,
  validateManifest,
  walkOutput,
} from "../manifest/mod.ts";
import { BuildError } from "./build_error.ts";
import { bundleServers } from "./bundle_servers.ts";
import type { OutputContent } from "./hash_files.ts";
import { readIgnoredFiles } from "./ignored_files.ts";
import { readOptionalText } from "./read_rules_file.ts";
import { serverPackages } from "./server_packages.ts";
import type { BuildHost } from "./types.ts";

export interface OutputFacts {
  /** Absolute path of the output directory. */
  readonly output: string;
  /** Absolute path of the project's folder. */
  readonly projectRoot: string;
  readonly detected: DetectedProject;
  /** True to take the manifest as it is, and servers too; the platform judges it anyway. */
  readonly skipValidation?: boolean;
}

export interface PreparedOutput {
  readonly files: readonly OutputContent[];
  readonly manifest: unknown;
  /** True where the output has no manifest of its own. */
  readonly generated: boolean;
}

function manifestError(problems: readonly ManifestProblem[]): BuildError {
  return new BuildError("manifest_invalid", formatManifestProblems(problems), {
    details: { problems },
  });
}

async function readManifest(output: string): Promise<unknown> {
  const text = await readOptionalText(join(output, MANIFEST_PATH)).catch((error) => {
    if (!(error instanceof NotUtf8Error)) throw error;
    const { line, column } = error.fault.position;
    const message = `Line ${line}, column ${column}: ${describeUtf8Fault(error.fault)}`;
    throw manifestError([{ path: "", message }]);
  });
  if (text === undefined) return undefined;
  const parsed = parseManifestJson(text);
  if (!parsed.ok) throw manifestError(parsed.problems);
  return parsed.value;
}

/** Makes the manifest of an output that has none. */
async function generate(
  { output, detected }: OutputFacts,
  files: readonly OutputFile[],
): Promise<Exclude<Generated, { readonly type: "unusable" }>> {
  const generated = await generateManifest(detected, {
    paths: files.map(({ path }) => path),
    readText: (path) => readOptionalText(join(output, path), path),
  });
  if (generated.type !== "unusable") return generated;
  const { message, hint } = generated;
  throw new BuildError("manifest_invalid", message, hint === undefined ? {} : { hint });
}

function validated(value: unknown, files: readonly OutputFile[]): Manifest {
  const result = validateManifest(value, outputFilesOf(files.map(({ path }) => path)));
  if (!result.ok) throw manifestError(result.problems);
  return result.manifest;
}

function describeIgnored(count: number, file: string): string {
  const hint = file === ".gitignore"
    ? ": write an .svcignore, which then decides, to deploy them"
    : "";
  return `Left out ${formatCount(count, "item")} that ${file} names${hint}`;
}

async function listFiles(
  host: BuildHost,
  { output, projectRoot, detected }: OutputFacts,
  written: unknown,
): Promise<readonly OutputFile[]> {
  const leaveOut = serverPackages(detected.framework?.id, written);
  const ignored = output === projectRoot ? await readIgnoredFiles(projectRoot) : undefined;
  const walked = await walkOutput(output, {
    projectRoot,
    leaveOut,
    ...(ignored === undefined ? {} : { ignored }),
  });
  const { files, problems } = walked;
  if (problems.length > 0) {
    const lines = problems.map(({ path, message }) => `${printable(path)}: ${message}`);
    throw new BuildError("output_invalid", `Correct the output:\n${lines.join("\n")}`, {
      details: { problems },
    });
  }
  if (ignored !== undefined && walked.ignored > 0) {
    host.say("build", "info", describeIgnored(walked.ignored, ignored.file));
  }
  if (files.length > 0) return files;
  throw new BuildError(
    "output_missing",
    `Deploy at least one file: ${host.showPath(output)} is empty`,
  );
}

/**
 * Lists the files, takes the output's manifest or makes one, validates it, and
 * bundles the servers. Throws with all problems of a step at once.
 */
export async function prepareOutput(host: BuildHost, facts: OutputFacts): Promise<PreparedOutput> {
  const { output, skipValidation } = facts;
  const written = await readManifest(output);
  const files = await listFiles(host, facts, written);
  const made = written === undefined ? await generate(facts, files) : undefined;
  const generated = made !== undefined;
  if (skipValidation === true) {
    const contents = files.map(({ path, absolutePath, size }) => ({
      path,
      content: absolutePath,
      size,
    }));
    return { files: contents, generated, manifest: made?.manifest ?? written };
  }
  const manifest = validated(made?.manifest ?? written, files);
  const launch: Launch | undefined = made?.type === "server" ? made.launch : undefined;
  const framework = facts.detected.framework?.id;
  const contents = await bundleServers(host, files, { output, manifest, launch, framework });
  return { files: contents, generated, manifest: made?.manifest ?? written };
}
