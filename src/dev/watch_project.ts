/** @module Watches a project's folder for changes. */
import { join, relative } from "node:path";
import { RULES_FILE } from "../build/mod.ts";
import type { Change } from "./site/project_site.ts";

/** Time within which all events of one save arrive, in milliseconds. */
const SETTLE_MS = 20;
/**
 * Maximum time to wait for the last event, in milliseconds. The limit matters if a file is written
 * to continuously, for example.
 */
const MAX_SETTLE_MS = 200;

/** Folders that change automatically, or contain files from other sources. */
const IGNORED =
  /(?:^|\/)(?:node_modules|\.git|\.svc|\.astro|\.nuxt|\.output|\.svelte-kit|\.next|\.nitro|\.vite|\.cache)(?:\/|$)/;

/** Classifies a changed path. Returns `undefined` if it is ignored. Pure. */
export function changeOf(path: string): Change | undefined {
  if (path === "" || IGNORED.test(path)) return undefined;
  if (path === RULES_FILE) return { rules: true, functions: false, files: false };
  return { rules: false, functions: /\.[cm]?[jt]sx?$|\.json$/.test(path), files: true };
}

/** The changes that a new folder, which is not watched yet, may contain. */
const NEW_FOLDER: Change = { rules: false, functions: true, files: true };

/** Merges two changes. */
function joinChanges(left: Change | undefined, right: Change): Change {
  return {
    rules: right.rules || left?.rules === true,
    functions: right.functions || left?.functions === true,
    files: right.files || left?.files === true,
  };
}

/** Returns the folders to watch. Ignored folders are often too large for the system to watch. */
function foldersOf(root: string): readonly string[] {
  try {
    return [...Deno.readDirSync(root)]
      .filter(({ name, isDirectory }) => isDirectory && !IGNORED.test(name))
      .map(({ name }) => join(root, name));
  } catch {
    return []; // the folder was removed in the meantime
  }
}

async function follow(
  watcher: Deno.FsWatcher,
  root: string,
  take: (path: string) => void,
): Promise<void> {
  for await (const { kind, paths } of watcher) {
    if (kind === "access") continue;
    for (const path of paths) take(relative(root, path).replaceAll("\\", "/"));
  }
}

/**
 * Calls `changed` after each save below a folder, until the returned function is called. Saving
 * several files counts as one change.
 */
export function watchProject(root: string, changed: (change: Change) => void): () => void {
  let pending: { change: Change; since: number } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watchers = new Map<string, Deno.FsWatcher>();
  const settle = () => {
    // The files in a new folder may be older than its watcher.
    const isNew = watchNew();
    const { change } = pending!;
    pending = undefined;
    changed(isNew ? joinChanges(change, NEW_FOLDER) : change);
  };
  const take = (path: string) => {
    const change = changeOf(path);
    if (change === undefined) return;
    const now = performance.now();
    const since = pending?.since ?? now;
    pending = { change: joinChanges(pending?.change, change), since };
    clearTimeout(timer);
    timer = setTimeout(settle, Math.min(SETTLE_MS, since + MAX_SETTLE_MS - now));
  };
  const watch = (path: string, recursive: boolean) => {
    try {
      const watcher = Deno.watchFs(path, { recursive });
      watchers.set(path, watcher);
      void follow(watcher, root, take).catch(() => {});
    } catch { /* it was deleted in the meantime */ }
  };
  const watchNew = (): boolean => {
    const added = foldersOf(root).filter((path) => !watchers.has(path));
    for (const path of added) watch(path, true);
    return added.length > 0;
  };
  watch(root, false);
  watchNew();
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}
