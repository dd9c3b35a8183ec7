/** @module Prepares the final output: its files, its manifest, and its servers. */
import { dirname, join, relative } from "node:path";
import { describeUtf8Fault, NotUtf8Error } from "../lib/utf8.ts";
import {
  type BuiltOutput,
  type DetectedProject,
  findBuilt,
  findFramework,
  formatManifestProblems,
  type Found,
  type FoundServer,
  generateManifest,
  type ImageSettings,
  type Manifest,
  MANIFEST_PATH,
  type ManifestProblem,
  mergeImageSettings,
  type OutputFile,
  outputFilesOf,
  parseManifestJson,
  type Placement,
  validateManifest,
} from "../manifest/mod.ts";
import { BuildError } from "./build_error.ts";
import { createFolderReader } from "./folder_reader.ts";
import { contentOf, type OutputContent } from "./hash_files.ts";
import { readIgnoredFiles } from "./ignored_files.ts";
import { acceptSurvey, type Listing, surveyFolder, surveyPlacements } from "./list_files.ts";
import { readOptionalText } from "./read_rules_file.ts";
import { prepareServers } from "./server/prepare_servers.ts";
import type { ServerFacts, ServerReport, ServerSettings } from "./server/types.ts";
import { isServerFolder } from "./server_packages.ts";
import type { BuildHost } from "./types.ts";

interface OutputFacts {
  /** Absolute path of the output directory. */
  readonly output: string;
  /** Absolute path of the project's folder. */
  readonly projectRoot: string;
  readonly detected: DetectedProject;
  readonly settings: ServerSettings;
  /** Whether the output directory was set explicitly instead of detected. */
  readonly isNamed?: boolean;
  /** Image settings from `svc.toml`, if there are any. */
  readonly images?: ImageSettings;
  /** True to skip validation of the manifest and servers. The platform validates them anyway. */
  readonly skipValidation?: boolean;
}

interface PreparedOutput {
  readonly files: readonly OutputContent[];
  readonly manifest: unknown;
  /** True if the output has no separate manifest. */
  readonly generated: boolean;
  /** The engine of each server, with the reason for it. Empty if nothing was validated. */
  readonly servers: readonly ServerReport[];
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

type Usable = Exclude<Found, { readonly type: "unusable" }>;

/**
 * Returns the server of a project whose runtime in svc.toml is `command` and whose language was not
 * detected. The first file of the output is used as its entry. Returns `undefined` for other
 * projects, and for an empty output.
 */
function findProgram(
  { framework }: DetectedProject,
  { paths }: BuiltOutput,
  { runtime }: ServerSettings,
): FoundServer | undefined {
  const [entry] = paths;
  if (runtime !== "command" || findFramework(framework?.id)?.isLanguage === true) return undefined;
  if (entry === undefined) return undefined;
  return { type: "server", launch: {}, directory: ".", entry, clients: [] };
}

/** Lists the files of an output without a manifest, and finds out how to deploy them. */
async function findFiles(
  host: BuildHost,
  { output, projectRoot, detected, settings, isNamed = false }: OutputFacts,
): Promise<{ readonly found: Usable; readonly listing: Listing }> {
  const survey = await surveyFolder(output, projectRoot);
  const built: BuiltOutput = {
    directory: relative(projectRoot, output).replaceAll("\\", "/") || ".",
    paths: survey.files.map(({ path }) => path),
    readText: (path) => readOptionalText(join(output, path)),
    project: createFolderReader(projectRoot),
  };
  const found = findProgram(detected, built, settings) ??
    await findBuilt(detected, built, { isStatic: settings.isStatic === true, isNamed });
  if (found.type === "unusable") {
    const { message, hint, details } = found;
    throw new BuildError(details === undefined ? "manifest_invalid" : "server_invalid", message, {
      hint,
      details,
    });
  }
  const { placements } = found;
  if (placements === undefined) return { found, listing: await acceptSurvey(host, survey) };
  const placed = found.type === "server"
    ? await placeWithEntry(projectRoot, placements, found.entry)
    : await surveyPlacements(projectRoot, placements);
  return { found, listing: await acceptSurvey(host, placed) };
}

/**
 * Lists the files that placements add. A folder that git ignores is included if it contains the
 * server's entry.
 */
async function placeWithEntry(
  projectRoot: string,
  placements: readonly Placement[],
  entry: string,
) {
  const placed = await surveyPlacements(projectRoot, placements);
  const hasProject = placements.some(({ from, to }) => from === "." && to === ".");
  if (!hasProject || placed.files.some(({ path }) => path === entry)) return placed;
  const { isIgnored } = await readIgnoredFiles(projectRoot);
  const steps = entry.split("/");
  const folders = steps.slice(1).map((_, at) => steps.slice(0, at + 1).join("/"));
  const built = folders.find((folder) => isIgnored(folder, true)) ?? entry;
  return await surveyPlacements(projectRoot, [
    { from: ".", to: "." },
    { from: built, to: built, optional: true },
    ...placements,
  ]);
}

/** Adds the image settings from `svc.toml` to the manifest. */
function withImages(proposed: unknown, images: ImageSettings | undefined): unknown {
  if (images === undefined || typeof proposed !== "object" || proposed === null) return proposed;
  const declared = (proposed as { readonly images?: ImageSettings }).images;
  return { ...proposed, images: mergeImageSettings(declared, images) };
}

function validated(host: BuildHost, value: unknown, files: readonly OutputFile[]): Manifest {
  const result = validateManifest(value, outputFilesOf(files.map(({ path }) => path)));
  if (!result.ok) throw manifestError(result.problems);
  for (const { path, message } of result.warnings) {
    host.say("build", "warn", `${MANIFEST_PATH}: ${path}: ${message}`);
  }
  return result.manifest;
}

/** Adds the folders named `node_modules` that are part of a site. */
async function withSitePackages(
  host: BuildHost,
  { listing, manifest, projectRoot }: {
    readonly listing: Listing;
    readonly manifest: unknown;
    readonly projectRoot: string;
  },
): Promise<Listing> {
  const files = [...listing.files];
  const packages = [];
  for (const folder of listing.packages) {
    if (isServerFolder(folder.path, manifest)) {
      packages.push(folder);
      continue;
    }
    const survey = await surveyFolder(folder.absolutePath, projectRoot);
    for (const file of (await acceptSurvey(host, survey)).files) {
      files.push({ ...file, path: `${folder.path}/${file.path}` });
    }
  }
  return {
    ...listing,
    files: files.sort((left, right) => left.path < right.path ? -1 : 1),
    packages,
  };
}

/** The findings about a build output, before validation. */
interface Described {
  readonly listing: Listing;
  /** The output's manifest, or a generated one. */
  readonly proposed: unknown;
  readonly generated: boolean;
  readonly found: Usable | undefined;
}

/** Lists the files, and reads the output's manifest or creates one. */
async function describeOutput(host: BuildHost, facts: OutputFacts): Promise<Described> {
  const { output, projectRoot } = facts;
  const written = await readManifest(output);
  const generated = written === undefined;
  const made = generated ? await findFiles(host, facts) : {
    found: undefined,
    listing: await acceptSurvey(host, await surveyFolder(output, projectRoot)),
  };
  for (const note of made.found?.notes ?? []) host.say("build", "warn", note);
  const { framework, urls } = facts.detected;
  const from = { framework, urls };
  const { found } = made;
  const paths = made.listing.files.map(({ path }) => path);
  const proposed = withImages(
    found === undefined ? written : generateManifest(found, { paths, ...from }),
    facts.images,
  );
  const listing = await withSitePackages(host, {
    listing: made.listing,
    manifest: proposed,
    projectRoot,
  });
  if (listing.files.length === 0) {
    throw new BuildError(
      "output_missing",
      `The output folder ${host.showPath(output)} is empty`,
      {
        hint:
          "Check that the build writes its files to this folder, or set output_dirs under [build] in svc.toml",
      },
    );
  }
  return { listing, proposed, generated, found };
}

/** Collects the data needed to prepare the servers of an output. */
function serverFactsOf(
  host: BuildHost,
  facts: OutputFacts,
  { listing, proposed, found }: Described,
): ServerFacts {
  const { projectRoot, detected, settings } = facts;
  return {
    projectRoot,
    workspaceRoot: join(projectRoot, dirname(detected.packagesFolder)),
    hasLockFile: detected.manager?.lockFile !== undefined,
    listing,
    manifest: validated(host, proposed, listing.files),
    found: found?.type === "server" ? found : undefined,
    settings,
  };
}

/**
 * Lists the files, reads or creates the manifest, validates it, and prepares the servers. If a step
 * fails, throws one error with all of its problems.
 */
export async function prepareOutput(host: BuildHost, facts: OutputFacts): Promise<PreparedOutput> {
  const described = await describeOutput(host, facts);
  const { listing, proposed, generated } = described;
  if (facts.skipValidation === true) {
    const contents = listing.files.map(contentOf);
    return { files: contents, generated, manifest: proposed, servers: [] };
  }
  const prepared = await prepareServers(host, serverFactsOf(host, facts, described));
  return {
    files: prepared.contents,
    generated,
    manifest: prepared.servers.length === 0 ? proposed : prepared.manifest,
    servers: prepared.servers,
  };
}
