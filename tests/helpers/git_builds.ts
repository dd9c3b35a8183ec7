/**
 * A platform that builds projects from a real repository, with deploy hooks.
 *
 * @module
 */
import type { BuildLogLine } from "../../src/contract/build_logs.ts";
import type { PlatformOptions } from "../../src/serve/mod.ts";
import { makeRepository, type TestRepository } from "../../src/lib/_test_git.ts";
import { start, startInProcess, type TestPlatform } from "./platform.ts";
import type { ProgramOptions } from "./platform_process.ts";
import { until } from "../../src/lib/_test_until.ts";

export interface BuildPlatform extends TestPlatform {
  readonly folder: string;
  readonly repository: TestRepository;
  /**
   * Creates a project for a git URL, and a hook for the project. Returns the project's ID and the
   * hook's URL.
   */
  project(
    name: string,
    settings?: Readonly<Record<string, unknown>>,
  ): Promise<{ readonly id: string; readonly hook: string }>;
  /** Posts to a hook as curl would, with nothing but the hook's URL and a body. */
  trigger(hook: string, body: Readonly<Record<string, unknown>>): Promise<Triggered>;
  /** Commits files on a branch, triggers a build, and waits until the build has finished. */
  build(hook: string, files: Readonly<Record<string, string>>, branch?: string): Promise<Ended>;
  /** Waits until a deployment is live, has failed, or was stopped. */
  ended(id: string): Promise<Ended>;
  log(id: string): Promise<readonly BuildLogLine[]>;
}

export interface Triggered {
  readonly status: number;
  readonly id: string;
  readonly isPreview: boolean;
  readonly url: string;
}

export interface Ended {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly url: string;
  readonly isPreview: boolean;
}

const TERMINAL = ["LIVE", "FAILED", "STOPPED", "ROLLED_BACK"];

/** Maximum time to wait for a build, in milliseconds. npm may have to download packages. */
const PATIENCE_MS = 120_000;

/** Runs a test on a platform whose repositories are in their own folder. */
export const withBuilds = (
  run: (platform: BuildPlatform) => Promise<void>,
  options: Partial<ProgramOptions> = {},
): Promise<void> =>
  withRepository((folder, own) => start(`${folder}/data`, { ...own, ...options }), run);

/** Like {@link withBuilds}, but in the test's own process: see {@link startInProcess}. */
export const withBuildsInProcess = (
  run: (platform: BuildPlatform) => Promise<void>,
  options: Partial<PlatformOptions>,
): Promise<void> =>
  withRepository((folder, own) => startInProcess(`${folder}/data`, { ...own, ...options }), run);

async function withRepository(
  open: (
    folder: string,
    own: { readonly gitRoots: readonly string[]; readonly allowPrivateUpstreams: true },
  ) => Promise<TestPlatform>,
  run: (platform: BuildPlatform) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-builds-" });
  const repository = await makeRepository(folder);
  const platform = await open(folder, { gitRoots: [folder], allowPrivateUpstreams: true });
  const ended = (id: string): Promise<Ended> =>
    until(
      async () => (await platform.api("GET", `/v1/deployments/${id}`)).json,
      ({ status }) => TERMINAL.includes(status),
      PATIENCE_MS,
    );
  const trigger = async (hook: string, body: unknown): Promise<Triggered> => {
    const response = await fetch(hook, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { ...await response.json(), status: response.status };
  };
  try {
    await run({
      ...platform,
      folder,
      repository,
      ended,
      trigger,
      async project(name, settings = {}) {
        const { json: project } = await platform.api("POST", "/v1/projects", {
          json: { name, gitUrl: repository.path, ...settings },
        });
        const { json: hook } = await platform.api("POST", "/v1/deploy-hooks", {
          json: { projectId: project.id, name: "test", branch: "main", scope: "All" },
        });
        const { pathname } = new URL(hook.url);
        return { id: project.id, hook: `http://127.0.0.1:${platform.port}${pathname}` };
      },
      async build(hook, files, branch = "main") {
        const commitSha = await repository.commit(branch, files);
        const { id, ...answer } = await trigger(hook, { branch, commitSha });
        if (answer.status !== 200) throw new Error(JSON.stringify(answer));
        return await ended(id);
      },
      async log(id) {
        const { json } = await platform.api("GET", `/v1/deployments/${id}/build-log`);
        return json.lines;
      },
    });
  } finally {
    await platform.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns the log's lines as one string. */
export const textOf = (lines: readonly BuildLogLine[]): string =>
  lines.map(({ text }) => text).join("\n");
