/**
 * Deploy hooks in Deno KV, found by id or by the hash of their token.
 *
 * @module
 */
import * as z from "zod";
import { RecentMap } from "../../lib/memo.ts";
import { commitWithRetries, keys, type Page, readAll, readRecord } from "../core/store/mod.ts";
import { type HookRecord, hookRecord } from "./hook.ts";
import type { RecordStore } from "../../store/mod.ts";

const placeRecord = z.object({ workspaceId: z.string(), id: z.string() });

/** Tokens whose hooks are found without a look at their place. */
const MAX_PLACES = 5000;

export class HookStore {
  /** Where the hooks of tokens are. A hook that has another token by now is not found there. */
  readonly #places = new RecentMap<z.infer<typeof placeRecord>>(MAX_PLACES);

  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /** Stores a new hook; false where its project is gone. */
  async create(hook: HookRecord): Promise<boolean> {
    const key = keys.project(hook.workspaceId, hook.projectId);
    const { result } = await commitWithRetries(this.#kv, [], async () => {
      const project = await this.#kv.get(key);
      const operation = this.#kv.atomic();
      if (project.versionstamp === null) return { operation, result: false };
      const place = { workspaceId: hook.workspaceId, id: hook.id };
      operation.check(project)
        .set(keys.hook(hook.workspaceId, hook.id), hook)
        .set(keys.projectHook(hook.projectId, hook.id), place)
        .set(keys.hookByToken(hook.tokenHash), place);
      return { operation, result: true };
    }, { checked: [key] });
    return result;
  }

  async find(workspaceId: string, id: string): Promise<HookRecord | undefined> {
    return (await readRecord(this.#kv, keys.hook(workspaceId, id), hookRecord))?.value;
  }

  async findByToken(tokenHash: string): Promise<HookRecord | undefined> {
    const place = this.#places.get(tokenHash) ??
      (await readRecord(this.#kv, keys.hookByToken(tokenHash), placeRecord))?.value;
    if (place === undefined) return undefined;
    const hook = await this.find(place.workspaceId, place.id);
    if (hook?.tokenHash !== tokenHash) return undefined;
    this.#places.set(tokenHash, place);
    return hook;
  }

  /** One page of a workspace's hooks, or of one project's, newest first. */
  async list(
    workspaceId: string,
    page: {
      readonly limit: number;
      readonly cursor?: string | undefined;
      readonly projectId?: string | undefined;
    },
  ): Promise<Page<HookRecord>> {
    const prefix = keys.hooks(workspaceId);
    const selector = page.cursor === undefined
      ? { prefix }
      : { prefix, end: [...prefix, page.cursor] };
    const items: HookRecord[] = [];
    for await (const { value } of this.#kv.list(selector, { reverse: true })) {
      const hook = hookRecord.parse(value);
      if (page.projectId !== undefined && hook.projectId !== page.projectId) continue;
      if (items.length === page.limit) return { items, nextCursor: items.at(-1)!.id };
      items.push(hook);
    }
    return { items, nextCursor: null };
  }

  async countOf(projectId: string): Promise<number> {
    let count = 0;
    for await (const _ of this.#kv.list({ prefix: keys.projectHooks(projectId) })) count++;
    return count;
  }

  /** Changes a hook; a new token replaces the old one. `undefined` where the hook is gone. */
  async update(
    workspaceId: string,
    id: string,
    change: (hook: HookRecord) => HookRecord,
  ): Promise<HookRecord | undefined> {
    const key = keys.hook(workspaceId, id);
    const { result } = await commitWithRetries(this.#kv, [key], async () => {
      const current = await readRecord(this.#kv, key, hookRecord);
      const operation = this.#kv.atomic();
      if (current === undefined) return { operation, result: undefined };
      const next = change(current.value);
      operation.check({ key, versionstamp: current.versionstamp }).set(key, next);
      if (next.tokenHash !== current.value.tokenHash) {
        operation.delete(keys.hookByToken(current.value.tokenHash))
          .set(keys.hookByToken(next.tokenHash), { workspaceId, id });
      }
      return { operation, result: next };
    });
    return result;
  }

  /** Removes a hook; false where there is none. */
  async remove(workspaceId: string, id: string): Promise<boolean> {
    const key = keys.hook(workspaceId, id);
    const { result } = await commitWithRetries(this.#kv, [key], async () => {
      const current = await readRecord(this.#kv, key, hookRecord);
      const operation = this.#kv.atomic();
      if (current === undefined) return { operation, result: false };
      operation.check({ key, versionstamp: current.versionstamp })
        .delete(key)
        .delete(keys.projectHook(current.value.projectId, id))
        .delete(keys.hookByToken(current.value.tokenHash));
      return { operation, result: true };
    });
    if (result) await this.#removeTraces(id);
    return result;
  }

  /** Removes the hooks of a project that is gone. */
  async removeProject(projectId: string): Promise<void> {
    const prefix = keys.projectHooks(projectId);
    for await (const { key, value } of readAll(this.#kv, prefix, placeRecord)) {
      await this.remove(value.workspaceId, value.id);
      await this.#kv.delete(key);
    }
  }

  async #removeTraces(id: string): Promise<void> {
    for (const prefix of [keys.hookUses(id), keys.hookReplays(id)]) {
      for await (const { key } of this.#kv.list({ prefix })) await this.#kv.delete(key);
    }
  }
}
