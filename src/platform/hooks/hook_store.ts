/** Deploy hooks in Deno KV. A hook can be found by ID or by the hash of its token. @module */
import { MAX_HOOKS } from "../../contract/hooks.ts";
import { RecentMap } from "../../lib/memo.ts";
import {
  commitWithRetries,
  countBelow,
  deleteKeys,
  keys,
  keysBelow,
  type Page,
  pageOf,
  type PageRange,
  RecordType,
  Table,
} from "../core/store/mod.ts";
import { type HookRecord, hookRecord } from "./hook.ts";
import type { RecordStore } from "../../store/mod.ts";

const hooks = new RecordType({
  root: keys.allHooks(),
  schema: hookRecord,
  parts: ({ workspaceId, id }) => [workspaceId, id],
  indices: {
    project: {
      entries: ({ projectId, id }) => [keys.projectHook(projectId, id)],
      holds: ["workspaceId", "id"],
    },
    token: {
      entries: ({ tokenHash }) => [keys.hookByToken(tokenHash)],
      holds: ["workspaceId", "id"],
    },
  },
});

/** Maximum number of tokens whose hooks can be found without reading the index. */
const MAX_PLACES = 5000;

export class HookStore extends Table<HookRecord, readonly [string, string], "project" | "token"> {
  /**
   * The locations of hooks, by token hash. The hook at a location may have a new token, so its
   * token must be checked.
   */
  readonly #places = new RecentMap<readonly [string, string]>(MAX_PLACES);

  constructor(kv: RecordStore) {
    super(kv, hooks);
  }

  /** Stores a new hook. Returns `false` if the hook's project no longer exists. */
  async create(hook: HookRecord): Promise<boolean> {
    const key = keys.project(hook.workspaceId, hook.projectId);
    return await commitWithRetries(this.kv, [], async (operation) => {
      const project = await this.kv.get(key);
      if (project.versionstamp === null) return false;
      hooks.insert(operation.check(project), hook);
      return true;
    }, { checked: [key] });
  }

  async findByToken(tokenHash: string): Promise<HookRecord | undefined> {
    const place = this.#places.get(tokenHash);
    const hook = place === undefined
      ? await this.findBy("token", keys.hookByToken(tokenHash))
      : await this.find(...place);
    if (hook?.tokenHash !== tokenHash) return undefined;
    this.#places.set(tokenHash, [hook.workspaceId, hook.id]);
    return hook;
  }

  override async list(
    workspaceId: string,
    page: PageRange & { readonly projectId?: string | undefined },
  ): Promise<Page<HookRecord>> {
    const { projectId } = page;
    if (projectId === undefined) return await super.list(workspaceId, page);
    const ofProject = await Array.fromAsync(this.allBy("project", keys.projectHooks(projectId)));
    return pageOf(ofProject.filter((hook) => hook.workspaceId === workspaceId), page);
  }

  async countOf(projectId: string): Promise<number> {
    return await countBelow(this.kv, keys.projectHooks(projectId), MAX_HOOKS);
  }

  /** Removes a hook and the records of its triggers. */
  override async remove(place: readonly [string, string]): Promise<HookRecord | undefined> {
    const removed = await super.remove(place);
    if (removed === undefined) return undefined;
    for (const prefix of [keys.hookUses(removed.id), keys.hookReplays(removed.id)]) {
      await deleteKeys(this.kv, keysBelow(this.kv, prefix));
    }
    return removed;
  }

  /** Removes the hooks of a deleted project. */
  async removeProject(projectId: string): Promise<void> {
    const prefix = keys.projectHooks(projectId);
    for await (const { workspaceId, id } of this.allBy("project", prefix)) {
      await this.remove([workspaceId, id]);
    }
    await deleteKeys(this.kv, keysBelow(this.kv, prefix));
  }
}
