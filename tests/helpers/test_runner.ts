/**
 * A build runner that a test can delay and that counts parallel builds.
 *
 * @module
 */
import {
  type BuildJob,
  type BuildOutcome,
  type BuildRunner,
  type OpenBuilds,
  openBuilds,
} from "../../src/serve/mod.ts";
import { FAILS, HANGS, type HeldBuilds, MAKES_PAGE } from "./deploy_hooks.ts";
import { fileList, sha256, STATIC_MANIFEST } from "./platform.ts";

/** Builds as the project's command specifies: immediately, or when `open()` is called. */
export class TestRunner implements HeldBuilds {
  /** The jobs that have been started, in order. */
  readonly jobs: BuildJob[] = [];
  /** The result of the next builds, which is a page by default. */
  outcomes: BuildOutcome[] = [];
  /** The highest number of builds that have run at the same time. */
  busiest = 0;
  #running = 0;
  #gate: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  /** Makes builds wait. */
  shut(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.#gate, this.#release] = [promise, resolve];
  }

  /** Allows builds to continue. */
  open(): void {
    this.#release();
    this.#gate = Promise.resolve();
  }

  readonly opener: OpenBuilds = (parts) => {
    const opened = openBuilds(parts);
    const runner: BuildRunner = {
      removeLeftovers: (build) => opened.runner.removeLeftovers(build),
      forgetProject: (projectId) => opened.runner.forgetProject(projectId),
      run: async (job, signal) => {
        this.jobs.push(job);
        this.busiest = Math.max(this.busiest, ++this.#running);
        const aborted = new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          else signal.addEventListener("abort", () => resolve(), { once: true });
        });
        const project = await parts.projects.find(job.workspaceId, job.projectId);
        const command = project?.buildCommand ?? MAKES_PAGE;
        await Promise.race(command === HANGS ? [aborted] : [this.#gate, aborted]);
        this.#running--;
        if (signal.aborted) return { type: "cancelled" };
        if (command.endsWith(FAILS)) {
          return { type: "failed", reason: `Build failed: \`${command}\` exited with code 3` };
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
