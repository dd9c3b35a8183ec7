/**
 * Finds the apps in a commit in a separate thread. Files from outside can make the patterns that
 * recognize frameworks run for hours, and would block all requests to the platform.
 *
 * @module
 */
import type { RepositoryApp } from "../../contract/repositories.ts";
import { orAborted } from "../../lib/or_aborted.ts";
import { workerUrl } from "../../lib/worker_url.ts";
import { Failure } from "../core/http/mod.ts";
import type { CommitFiles } from "../git/mod.ts";
import type { FromAppsWorker, ToAppsWorker } from "./apps_worker.ts";

const WORKER = workerUrl("repository_apps.js", new URL("./apps_worker.ts", import.meta.url));

/** Time limit for a commit, in milliseconds. */
const LIMIT_MS = 30_000;

/** @throws {Failure} `conflict` if the files take too long to read */
export async function findAppsApart(
  { paths, readText }: CommitFiles,
  { signal, limitMs = LIMIT_MS }: { readonly signal: AbortSignal; readonly limitMs?: number },
): Promise<readonly RepositoryApp[]> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<readonly RepositoryApp[]>();
  const worker = new Worker(WORKER, { type: "module", name: "repository apps" });
  const send = (message: ToAppsWorker) => worker.postMessage(message);
  worker.onerror = (event) => {
    event.preventDefault();
    reject(new Error(`Cannot find the apps in a commit: ${event.message}`));
  };
  worker.onmessage = ({ data }: MessageEvent<FromAppsWorker>) => {
    if (data.type === "found") return resolve(data.apps);
    readText(data.path).then((text) => send({ type: "text", id: data.id, text }), reject);
  };
  const timer = setTimeout(() => {
    reject(
      new Failure("conflict", "Cannot inspect the repository: its files take too long to read"),
    );
  }, limitMs);
  try {
    send({ type: "find", paths });
    return await orAborted(promise, signal);
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}
