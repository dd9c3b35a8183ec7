/**
 * The output as it will be deployed: its files, and the manifest that says
 * what they are.
 *
 * @module
 */
import { join } from "node:path";
import {
  type DetectedProject,
  formatManifestProblems,
  generateStaticManifest,
  type Manifest,
  MANIFEST_PATH,
  type ManifestProblem,
  type OutputFile,
  outputFilesOf,
  parseManifestJson,
  validateManifest,
  walkOutput,
} from "../manifest/mod.ts";
import { printable } from "../lib/format.ts";
import { BuildError } from "./build_error.ts";
import type { OutputContent } from "./hash_files.ts";
import { readOptionalText } from "./read_rules_file.ts";
import type { BuildHost } from "./types.ts";

export interface OutputFacts {
  /** Absolute path of the output directory. */
  readonly output: string;
  /** Absolute path of the project's folder. */
  readonly projectRoot: string;
  readonly detected: DetectedProject;
  /** True to take the manifest as it is; the platform judges it anyway. */
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

function generate({ detected }: OutputFacts): Manifest {
  if (detected.server !== undefined) {
    throw new BuildError(
      "manifest_invalid",
      `Add ${MANIFEST_PATH} to the output: this build makes a server (${detected.server.reason})`,
      { hint: "docs/manifest.md shows a manifest with a COMPUTE layer" },
    );
  }
  const { framework } = detected;
  if (framework === undefined) return generateStaticManifest();
  const { name, version } = framework;
  return generateStaticManifest({
    framework: version === undefined ? { name } : { name, version },
  });
}

async function readManifest(output: string): Promise<unknown> {
  const text = await readOptionalText(join(output, MANIFEST_PATH));
  if (text === undefined) return undefined;
  const parsed = parseManifestJson(text);
  if (!parsed.ok) throw manifestError(parsed.problems);
  return parsed.value;
}

function validated(value: unknown, files: readonly OutputFile[]): Manifest {
  const result = validateManifest(value, outputFilesOf(files.map(({ path }) => path)));
  if (!result.ok) throw manifestError(result.problems);
  return result.manifest;
}

/**
 * Lists the files, takes the output's manifest or makes one for a site of
 * plain files, and validates it. Throws with all problems at once.
 */
export async function prepareOutput(host: BuildHost, facts: OutputFacts): Promise<PreparedOutput> {
  const { output, projectRoot } = facts;
  const { files, problems } = await walkOutput(output, { projectRoot });
  if (problems.length > 0) {
    const lines = problems.map(({ path, message }) => `${printable(path)}: ${message}`);
    throw new BuildError("output_invalid", `Correct the output:\n${lines.join("\n")}`, {
      details: { problems },
    });
  }
  if (files.length === 0) {
    throw new BuildError(
      "output_missing",
      `Deploy at least one file: ${host.showPath(output)} is empty`,
    );
  }
  const written = await readManifest(output);
  const generated = written === undefined;
  const manifest = written ?? generate(facts);
  return {
    files: files.map(({ path, absolutePath, size }) => ({ path, content: absolutePath, size })),
    generated,
    manifest: facts.skipValidation === true ? manifest : validated(manifest, files),
  };
}
