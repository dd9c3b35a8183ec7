/**
 * Watching the folder of a project for what is saved.
 *
 * @module
 */
import { join, relative } from "node:path";
import { RULES_FILE } from "../build/mod.ts";
import type { Change } from "./site/mod.ts";

/** Time in which several events of one save come, in milliseconds. */
const SETTLE_MS = 20;

/** Folders that change by themselves, or hold what is not the project's own. */
const IGNORED =
  /(?:^|\/)(?:node_modules|\.git|\.svc|\.astro|\.nuxt|\.output|\.svelte-kit|\.next|\.nitro|\.vite|\.cache)(?:\/|$)/;

/** What a changed path of the project concerns; nothing where it is ignored. Pure. */
export function changeOf(path: string): Change | undefined {
  if (path === "" || IGNORED.test(path)) return undefined;
  if (path === RULES_FILE) return { rules: true, functions: false, files: false };
  return { rules: false, functions: /\.[cm]?[jt]sx?$|\.json$/.test(path), files: true };
}

/** Both changes. */
export function joinChanges(left: Change | undefined, right: Change): Change {
  return {
    rules: right.rules || left?.rules === true,
    functions: right.functions || left?.functions === true,
    files: right.files || left?.files === true,
  };
}

/** The folders to watch: ignored ones are often too large for the system. */
function foldersOf(root: string): { readonly flat: string; readonly deep: readonly string[] } {
  const deep = [...Deno.readDirSync(root)]
    .filter(({ name, isDirectory }) => isDirectory && !IGNORED.test(name))
    .map(({ name }) => join(root, name));
  return { flat: root, deep };
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
 * Calls `changed` after each save below a folder, until the returned function is called.
 * A save of several files is one change.
 */
export function watchProject(root: string, changed: (change: Change) => void): () => void {
  let pending: Change | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watchers = new Map<string, Deno.FsWatcher>();
  const take = (path: string) => {
    const change = changeOf(path);
    if (change === undefined) return;
    watchNew();
    pending = joinChanges(pending, change);
    clearTimeout(timer);
    timer = setTimeout(() => {
      const settled = pending!;
      pending = undefined;
      changed(settled);
    }, SETTLE_MS);
  };
  const watch = (path: string, recursive: boolean) => {
    try {
      const watcher = Deno.watchFs(path, { recursive });
      watchers.set(path, watcher);
      void follow(watcher, root, take).catch(() => {});
    } catch { /* it has gone meanwhile */ }
  };
  const watchNew = () => {
    for (const path of foldersOf(root).deep) if (!watchers.has(path)) watch(path, true);
  };
  watch(root, false);
  watchNew();
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}
