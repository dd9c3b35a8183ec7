/** The worker that finds the apps in a commit. Its parent reads the files. @module */
import type { RepositoryApp } from "../../contract/repositories.ts";
import { findApps } from "./find_apps.ts";

export type ToAppsWorker =
  | { readonly type: "find"; readonly paths: readonly string[] }
  | { readonly type: "text"; readonly id: number; readonly text: string | undefined };

export type FromAppsWorker =
  | { readonly type: "read"; readonly id: number; readonly path: string }
  | { readonly type: "found"; readonly apps: readonly RepositoryApp[] };

interface WorkerScope {
  onmessage: ((event: MessageEvent<ToAppsWorker>) => void) | null;
  postMessage(message: FromAppsWorker): void;
}

const scope = globalThis as unknown as WorkerScope;

const reads = new Map<number, (text: string | undefined) => void>();
let count = 0;

function readText(path: string): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const id = count++;
  reads.set(id, resolve);
  scope.postMessage({ type: "read", id, path });
  return promise;
}

scope.onmessage = ({ data }) => {
  if (data.type === "find") {
    findApps({ paths: data.paths, readText })
      .then((apps) => scope.postMessage({ type: "found", apps }), reportError);
    return;
  }
  reads.get(data.id)?.(data.text);
  reads.delete(data.id);
};
