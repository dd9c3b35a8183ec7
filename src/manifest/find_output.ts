/** @module Finds the output folder of a project's build. */
import { DEFAULT_OUTPUT_DIRS } from "./detect/detect_project.ts";
import { parseRelativePath } from "./relative_path.ts";

/** Checks which paths exist in the project's folder. */
export interface OutputProbe {
  isDirectory(path: string): Promise<boolean>;
  isFile(path: string): Promise<boolean>;
}

export interface OutputCandidates {
  /** `build.output_dirs` in svc.toml. If set, no other folders are tried. */
  readonly configured?: readonly string[];
  /** `outputDirs` of the detected project. */
  readonly detected?: readonly string[];
  /**
   * Whether the project has a server. If so, the project's folder can be the output even if it
   * contains no index.html.
   */
  readonly hasServer?: boolean;
}

type FindOutputResult =
  | {
    readonly ok: true;
    /** Path relative to the project, with `/`. `.` is the project's own folder. */
    readonly directory: string;
  }
  | { readonly ok: false; readonly tried: readonly string[]; readonly message: string };

function notFound(tried: readonly string[], configured: boolean): FindOutputResult {
  const list = tried.map((path) => JSON.stringify(path)).join(", ");
  const advice = configured
    ? 'Run the build, or correct "build.output_dirs" in svc.toml'
    : 'Run the build, or set "build.output_dirs" in svc.toml to the output folder ' +
      '("." for this one)';
  return {
    ok: false,
    tried,
    message: `Cannot find the output directory: tried ${list}. ${advice}`,
  };
}

/**
 * Picks the first folder that exists. Tries the configured folders if there are any, otherwise the
 * detected folders. If there are neither, tries the usual folders, and then the project's own
 * folder. That folder is used only if it has an index.html or a server. If folders have been
 * configured or detected, the usual folders are not tried, because `public` contains source files
 * in many frameworks. Configured paths must stay inside the project.
 */
export async function findOutput(
  probe: OutputProbe,
  candidates: OutputCandidates = {},
): Promise<FindOutputResult> {
  const configured = candidates.configured ?? [];
  if (configured.length > 0) return await findConfigured(probe, configured);
  const detected = candidates.detected ?? [];
  const paths = detected.length > 0 ? detected : [...DEFAULT_OUTPUT_DIRS, "."];
  const tried: string[] = [];
  for (const path of paths) {
    const directory = parseRelativePath(path);
    if (!directory.ok) continue;
    const own = directory.path === ".";
    tried.push(own ? "index.html" : directory.path);
    const found = own
      ? candidates.hasServer === true || await probe.isFile("index.html")
      : await probe.isDirectory(directory.path);
    if (found) return { ok: true, directory: directory.path };
  }
  return notFound(tried, false);
}

async function findConfigured(
  probe: OutputProbe,
  configured: readonly string[],
): Promise<FindOutputResult> {
  for (const path of configured) {
    const directory = parseRelativePath(path);
    if (!directory.ok) {
      const message = `Path ${JSON.stringify(path)} in "build.output_dirs" ${directory.reason}`
        .replace("the output directory", "the project");
      return { ok: false, tried: configured, message };
    }
    if (await probe.isDirectory(directory.path)) return { ok: true, directory: directory.path };
  }
  return notFound(configured, true);
}
