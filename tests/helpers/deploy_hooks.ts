/**
 * Deploy hooks over a real repository. A build makes one page that names its
 * commit, or does as the project's build command says: {@link HANGS} and
 * {@link FAILS}. The compiled program runs these commands; in the process
 * `TestRunner` stands for them, so that a test is quick and may hold builds up.
 *
 * @module
 */
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import {
  type BuildJob,
  type BuildOutcome,
  type BuildRunner,
  type OpenBuilds,
  openBuilds,
} from "../../src/serve/mod.ts";
import { makeRepository, type TestRepository } from "../../src/lib/_test_git.ts";
import {
  type ApiAnswer,
  type ApiOptions,
  fileList,
  PROGRAM,
  sha256,
  start,
  STATIC_MANIFEST,
  type TestPlatform,
} from "./platform.ts";
import { until } from "../../src/lib/_test_until.ts";

/** A build command whose page names what was built. */
export const MAKES_PAGE =
  `mkdir out && printf '<p>%s %s</p>' "$SVC_BRANCH" "$SVC_COMMIT_SHA" > out/index.html`;
/** A build command that never ends by itself. */
export const HANGS = "sleep 600";
/** A build command that fails; another command may stand before it. */
export const FAILS = "exit 3";

/** Builds as the project's command says: at once, or when `open()` is called. */
export class TestRunner {
  /** Jobs that were begun, in order. */
  readonly jobs: BuildJob[] = [];
  /** What the next builds end with, in place of a page. */
  outcomes: BuildOutcome[] = [];
  /** Most builds that ran at the same time. */
  busiest = 0;
  private running = 0;
  private gate: Promise<void> = Promise.resolve();
  private release: () => void = () => {};

  /** Lets builds wait. */
  shut(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.gate, this.release] = [promise, resolve];
  }

  /** Lets builds go on. */
  open(): void {
    this.release();
    this.gate = Promise.resolve();
  }

  readonly opener: OpenBuilds = (parts) => {
    const opened = openBuilds(parts);
    const runner: BuildRunner = {
      forget: (build) => opened.runner.forget(build),
      forgetProject: (projectId) => opened.runner.forgetProject(projectId),
      run: async (job, signal) => {
        this.jobs.push(job);
        this.busiest = Math.max(this.busiest, ++this.running);
        const aborted = new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener("abort", () => resolve(), { once: true });
        });
        const project = await parts.projects.find(job.workspaceId, job.projectId);
        const command = project?.buildCommand ?? MAKES_PAGE;
        await Promise.race(command === HANGS ? [aborted] : [this.gate, aborted]);
        this.running--;
        if (signal.aborted) return { type: "cancelled" };
        if (command.endsWith(FAILS)) {
          return { type: "failed", reason: `Build failed with exit code 3: ${command}` };
        }
        const next = this.outcomes.shift();
        if (next !== undefined) return next;
        const page = `<p>${job.branch} ${job.commitSha}</p>`;
        await parts.vault.of(job.workspaceId).put(sha256(page), new TextEncoder().encode(page));
        return {
          type: "built",
          content: {
            manifest: STATIC_MANIFEST,
            files: fileList({ "index.html": page }),
            functions: [],
          },
        };
      },
    };
    return { git: opened.git, runner, close: () => opened.close() };
  };
}

/** In place of a runner that the compiled program has in another process: builds are real there. */
const OUT_OF_REACH = new Proxy(new TestRunner(), {
  get(_, name) {
    throw new TypeError(
      `Name this test in tests/integration/_in_process.ts: it controls builds (${String(name)})`,
    );
  },
});

export interface HookPlatform extends TestPlatform {
  readonly runner: TestRunner;
  readonly folder: string;
  readonly repository: TestRepository;
  /** Posts to a hook's URL as its caller would. */
  trigger(url: string, body: unknown, options?: ApiOptions): Promise<ApiAnswer>;
  /** Creates a hook of the project `shop` and returns its answer. */
  hook(fields?: Readonly<Record<string, unknown>>): Promise<ApiAnswer["json"]>;
  /** Sets what the next builds of the project `shop` do. */
  setBuildCommand(command: string): Promise<void>;
  /** Waits for a state of the build of a triggered deployment. */
  buildIs(answer: ApiAnswer, state: "RUNNING" | "CANCELLED"): Promise<void>;
  /** Waits until a host's front page is `text`: the edge follows the store a moment later. */
  shows(host: string, text: string): Promise<void>;
  /** Waits until a triggered deployment has ended, by its status URL. */
  ended(answer: ApiAnswer): Promise<ApiAnswer["json"]>;
}

const ENDED = new Set(["LIVE", "FAILED", "STOPPED", "ROLLED_BACK"]);

/** Starts a platform with the project `shop` of a fresh repository, or on one that is there. */
export async function startHooks(
  folder: string,
  repository: TestRepository,
  options: Parameters<typeof start>[1] = {},
): Promise<HookPlatform> {
  const runner = PROGRAM === undefined ? new TestRunner() : OUT_OF_REACH;
  const platform = await start(`${folder}/data`, {
    gitRoots: [folder],
    ...(PROGRAM === undefined ? { openBuilds: runner.opener } : {}),
    ...options,
  });
  return {
    ...platform,
    runner,
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

export async function withHooks(
  run: (platform: HookPlatform) => Promise<void>,
  options: Parameters<typeof start>[1] = {},
): Promise<void> {
  const folder = await makeTestFolder("svc-hooks-");
  const repository = await makeRepository(folder);
  await repository.commit("main", { "index.html": "<p>one</p>" });
  const platform = await startHooks(folder, repository, options);
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
    if (PROGRAM === undefined) platform.runner.open();
    await platform.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}
