/** @module Lists the files of a deployment before they are processed. */
import { basename, join, sep } from "node:path";
import { formatCount, printableName } from "../lib/format.ts";
import { ifMissing } from "../lib/missing_files.ts";
import {
  type OutputFile,
  type PackagesFolder,
  parseRelativePath,
  type Placement,
  walkOutput,
  type WalkResult,
} from "../manifest/mod.ts";
import { BuildError } from "./build_error.ts";
import { emptyReport, type IgnoreReport, readIgnoredFiles } from "./ignored_files.ts";
import { refusePrivateFiles, shortList } from "./private_files.ts";
import type { BuildHost } from "./types.ts";

type Identity = Pick<Deno.FileInfo, "dev" | "ino">;

const identityOf = ({ dev, ino }: Identity): string => `${dev}:${ino}`;

/** Returns the identities of the regular files that standard output and standard error write to. */
function ownOutputs(): ReadonlySet<string> {
  const found = new Set<string>();
  for (const descriptor of [1, 2]) {
    try {
      const info = Deno.statSync(`/dev/fd/${descriptor}`);
      if (info.isFile && info.ino !== null) found.add(identityOf(info));
    } catch { /* the descriptor is closed, or the system has no such folder */ }
  }
  return found;
}

/**
 * Separates the files to deploy from those that this program is writing to, as in `svc deploy >
 * deploy.log`. Files of the second kind change until the program exits, and are not deployed.
 */
function withoutOwnOutput(files: readonly OutputFile[]): {
  readonly files: readonly OutputFile[];
  readonly own: readonly string[];
} {
  const outputs = ownOutputs();
  if (outputs.size === 0) return { files, own: [] };
  const isOwn = ({ info }: OutputFile) => outputs.has(identityOf(info));
  return {
    files: files.filter((file) => !isOwn(file)),
    own: files.filter(isOwn).map(({ path }) => path),
  };
}

/** Files and package folders, keyed by their paths in the deployment. */
export interface Listing {
  readonly files: readonly OutputFile[];
  /** Folders named `node_modules` that have not been read yet. */
  readonly packages: readonly PackagesFolder[];
  /** Number of files and whole folders that the project's patterns excluded. */
  readonly ignored: number;
}

/** The entries of a folder, before svc decides which ones to deploy. */
export interface Survey extends WalkResult {
  /** Absolute path of the project's folder. */
  readonly projectRoot: string;
  /** Counts the files that the project's patterns exclude or include. */
  readonly report: IgnoreReport;
}

/** Lists an output folder. If it is the project's own folder, leaves out ignored files. */
export async function surveyFolder(folder: string, projectRoot: string): Promise<Survey> {
  const isProject = await Deno.realPath(folder) === await Deno.realPath(projectRoot);
  const ignored = isProject ? await readIgnoredFiles(projectRoot) : undefined;
  const walked = await walkOutput(folder, {
    projectRoot,
    packagesApart: true,
    ignored,
  });
  return { ...walked, projectRoot, report: ignored?.report ?? emptyReport() };
}

function mergeReports(reports: readonly IgnoreReport[]): IgnoreReport {
  const merged = emptyReport();
  for (const { leftOut, restored } of reports) {
    for (const file of [".svcignore", ".gitignore"] as const) {
      merged.leftOut[file] += leftOut[file];
    }
    merged.restored.push(...restored);
  }
  return merged;
}

/** Lists the files that placements add, keyed by their paths in the deployment. */
export async function surveyPlacements(
  projectRoot: string,
  placements: readonly Placement[],
): Promise<Survey> {
  const surveys: Survey[] = [];
  for (const placement of placements) {
    const survey = await surveyPlacement(projectRoot, placement);
    if (survey !== undefined) surveys.push(survey);
  }
  const files = new Map(surveys.flatMap((survey) => survey.files).map((file) => [file.path, file]));
  const packages = new Map(
    surveys.flatMap((survey) => survey.packages).map((folder) => [folder.path, folder]),
  );
  return {
    files: [...files.values()].sort((left, right) => left.path < right.path ? -1 : 1),
    packages: [...packages.values()],
    problems: surveys.flatMap(({ problems }) => problems),
    secrets: [...new Set(surveys.flatMap(({ secrets }) => secrets))],
    ignored: surveys.reduce((sum, { ignored }) => sum + ignored, 0),
    projectRoot,
    report: mergeReports(surveys.map(({ report }) => report)),
  };
}

/**
 * Validates a path of a placement, because a framework may have read it from the project's files.
 */
function checkedPath(path: string): string {
  const parsed = parseRelativePath(path);
  if (parsed.ok) return parsed.path;
  const reason = parsed.reason.replace("the output directory", "the project");
  throw new BuildError("output_invalid", `Path ${JSON.stringify(path)} ${reason}`);
}

async function surveyPlacement(
  projectRoot: string,
  placement: Placement,
): Promise<Survey | undefined> {
  const [from, to] = [checkedPath(placement.from), checkedPath(placement.to)];
  const absolutePath = await placedPath(projectRoot, from);
  if (absolutePath === undefined) {
    if (placement.optional === true) return undefined;
    throw new BuildError(
      "output_missing",
      `Part of the output is missing: ${from}`,
      { hint: "Run the build again, without --skip-build" },
    );
  }
  const info = await Deno.stat(absolutePath);
  const none = {
    files: [],
    problems: [],
    secrets: [],
    packages: [],
    ignored: 0,
    projectRoot,
    report: emptyReport(),
  };
  if (info.isFile) {
    const file = { path: to, absolutePath, size: info.size, info };
    return { ...none, files: [file] };
  }
  if (basename(from) === "node_modules") {
    return { ...none, packages: [{ path: to, absolutePath }] };
  }
  const survey = await surveyFolder(absolutePath, projectRoot);
  const moved = (path: string) => to === "." ? path : path === "" ? to : `${to}/${path}`;
  return {
    ...survey,
    files: survey.files.map((file) => ({ ...file, path: moved(file.path) })),
    packages: survey.packages.map((folder) => ({ ...folder, path: moved(folder.path) })),
    problems: survey.problems.map((found) => ({ ...found, path: moved(found.path) })),
    secrets: survey.secrets.map(moved),
  };
}

/** Resolves a path of the project. Returns `undefined` if it does not exist. */
async function placedPath(projectRoot: string, from: string): Promise<string | undefined> {
  const root = await Deno.realPath(projectRoot);
  const real = await Deno.realPath(join(root, from)).catch(ifMissing);
  if (real === undefined || real === root || real.startsWith(root + sep)) return real;
  throw new BuildError("output_invalid", `Keep ${from} inside the project: it links to ${real}`);
}

/** Reports what `.gitignore` and `.svcignore` excluded and included again. */
function reportIgnored(host: BuildHost, { leftOut, restored }: IgnoreReport): void {
  for (const file of [".svcignore", ".gitignore"] as const) {
    const count = leftOut[file];
    if (count === 0) continue;
    const hint = file === ".gitignore" ? ': list them in .svcignore with "!" to deploy them' : "";
    host.say("build", "info", `Skipped ${formatCount(count, "item")} that ${file} lists${hint}`);
  }
  if (restored.length === 0) return;
  host.say(
    "build",
    "warn",
    `Deploying ${shortList(restored)}, because .svcignore lists it with "!"`,
  );
}

/**
 * Decides which listed files to deploy. Reports files that are left out, and throws one error with
 * all problems.
 *
 * @throws {BuildError}
 */
export async function acceptSurvey(host: BuildHost, survey: Survey): Promise<Listing> {
  const { packages, problems, secrets, ignored, report, projectRoot } = survey;
  const { files, own } = withoutOwnOutput(survey.files);
  if (problems.length > 0) {
    const lines = problems.map(({ path, message }) => `${printableName(path)}: ${message}`);
    throw new BuildError("output_invalid", `Fix the output:\n${lines.join("\n")}`, {
      details: { problems },
    });
  }
  reportIgnored(host, report);
  if (own.length > 0) {
    host.say("build", "info", `Skipped ${shortList(own)}: this command writes its output there`);
  }
  if (secrets.length > 0) {
    host.say(
      "build",
      "info",
      `Skipped ${shortList(secrets)}: such files contain secrets. Set variables with ` +
        `"svc env set"`,
    );
  }
  await refusePrivateFiles(files, { projectRoot, signal: host.signal });
  return { files, packages, ignored };
}
