/**
 * Provides tests with deploy hooks and a real repository. A build creates one page that contains
 * the commit, or runs the project's build command, such as {@link HANGS} or {@link FAILS}. Tests
 * that delay builds or observe parallel builds pass {@link HeldBuilds} to a platform in their own
 * process.
 *
 * @module
 */
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import type { OpenBuilds } from "../../src/serve/mod.ts";
import { makeRepository, type TestRepository } from "../../src/lib/_test_git.ts";
import {
  type ApiAnswer,
  type ApiOptions,
  start,
  startInProcess,
  type TestPlatform,
} from "./platform.ts";
import type { ProgramOptions } from "./platform_process.ts";
import { until } from "../../src/lib/_test_until.ts";

/** A build command that creates a page that shows the commit being built. */
export const MAKES_PAGE =
  `mkdir out && printf '<p>%s %s</p>' "$SVC_BRANCH" "$SVC_COMMIT_SHA" > out/index.html`;
/** A build command that never exits by itself. */
export const HANGS = "sleep 600";
/** A build command that fails. It can follow another command. */
export const FAILS = "exit 3";

export interface HookPlatform extends TestPlatform {
  readonly folder: string;
  readonly repository: TestRepository;
  /** Posts to a hook's URL as its caller would. */
  trigger(url: string, body: unknown, options?: ApiOptions): Promise<ApiAnswer>;
  /** Creates a hook for the project `shop`. Returns the response. */
  hook(fields?: Readonly<Record<string, unknown>>): Promise<ApiAnswer["json"]>;
  /** Sets the build command for the next builds of the project `shop`. */
  setBuildCommand(command: string): Promise<void>;
  /** Waits until a triggered deployment's build reaches a state. */
  buildIs(answer: ApiAnswer, state: "RUNNING" | "CANCELLED"): Promise<void>;
  /** Waits until a host's front page is `text`. The edge follows the store with a short delay. */
  shows(host: string, text: string): Promise<void>;
  /** Waits until a triggered deployment has finished, according to its status URL. */
  ended(answer: ApiAnswer): Promise<ApiAnswer["json"]>;
}

/** Builds that a test delays. */
export interface HeldBuilds {
  readonly opener: OpenBuilds;
  /** Allows the builds to continue. */
  open(): void;
}

const ENDED = new Set(["LIVE", "FAILED", "STOPPED", "ROLLED_BACK"]);

/** A repository, and the folder that contains both it and the data directory. */
interface HookFolder {
  readonly folder: string;
  readonly repository: TestRepository;
}

/** Starts a platform on a folder's data, for the hooks of the project `shop`. */
export async function startHooks(
  { folder, repository }: HookFolder,
  options: Partial<ProgramOptions> = {},
): Promise<HookPlatform> {
  const platform = await start(`${folder}/data`, { gitRoots: [folder], ...options });
  return hookPlatform(platform, { folder, repository });
}

/** Maximum number of {@link HeldBuilds} that run at the same time. */
export const RUNNER_CONCURRENCY = 2;

/** Like {@link startHooks}, but in the test's own process and with builds by `runner`. */
async function startHooksWith(
  runner: HeldBuilds,
  { folder, repository }: HookFolder,
): Promise<HookPlatform> {
  const platform = await startInProcess(`${folder}/data`, {
    gitRoots: [folder],
    openBuilds: runner.opener,
    buildConcurrency: RUNNER_CONCURRENCY,
  });
  return hookPlatform(platform, { folder, repository });
}

function hookPlatform(platform: TestPlatform, { folder, repository }: HookFolder): HookPlatform {
  return {
    ...platform,
    folder,
    repository,
    trigger: (url, body, given = {}) =>
      platform.api("POST", new URL(url).pathname, { token: null, json: body, ...given }),
    async hook(fields = {}) {
      const { status, json } = await platform.api("POST", "/v1/deploy-hooks", {
        json: { projectId: "shop", name: "ci", branch: "main", scope: "All", ...fields },
      });
      if (status !== 201) throw new Error(JSON.stringify(json));
      return json;
    },
    async setBuildCommand(buildCommand) {
      const { status, json } = await platform.api("PATCH", "/v1/projects/shop", {
        json: { buildCommand },
      });
      if (status !== 200) throw new Error(JSON.stringify(json));
    },
    async buildIs({ json }, state) {
      await until(
        async () => (await platform.api("GET", `/v1/builds/${json.id}`)).json,
        (build) => build.state === state,
      );
    },
    async shows(host, text) {
      await until(() => platform.get(host, "/"), (answer) => answer.text === text);
    },
    async ended(answer) {
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.json));
      const path = new URL(answer.json.statusUrl).pathname;
      return await until(
        async () => (await platform.api("GET", path, { token: null })).json,
        ({ status }) => ENDED.has(status),
      );
    },
  };
}

/** Runs a test on a platform with the project `shop` from a fresh repository. */
export const withHooks = (
  run: (platform: HookPlatform) => Promise<void>,
  options: Partial<ProgramOptions> = {},
): Promise<void> => withShop((place) => startHooks(place, options), run);

/** Like {@link withHooks}, but with builds by `runner`: see {@link startHooksWith}. */
export const withHooksOf = (
  runner: HeldBuilds,
  run: (platform: HookPlatform) => Promise<void>,
): Promise<void> => withShop((place) => startHooksWith(runner, place), run, () => runner.open());

async function withShop(
  open: (place: HookFolder) => Promise<HookPlatform>,
  run: (platform: HookPlatform) => Promise<void>,
  beforeEnd: () => void = () => {},
): Promise<void> {
  const folder = await makeTestFolder("svc-hooks-");
  const repository = await makeRepository(folder);
  await repository.commit("main", { "index.html": "<p>one</p>" });
  const platform = await open({ folder, repository });
  try {
    const created = await platform.api("POST", "/v1/projects", {
      json: {
        name: "shop",
        gitUrl: repository.path,
        buildCommand: MAKES_PAGE,
        outputDirectory: "out",
      },
    });
    if (created.status !== 201) throw new Error(JSON.stringify(created.json));
    await run(platform);
  } finally {
    beforeEnd();
    await platform.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}
