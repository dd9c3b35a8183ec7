/** Manages deploy hooks. A hook's URL is shown only when it is created or rotated. @module */
import type { BodyOf } from "../../contract/endpoint.ts";
import { type DeployHook, MAX_HOOKS } from "../../contract/hooks.ts";
import type { endpoints } from "../../contract/endpoints.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { uuidV7 } from "../../lib/ids.ts";
import type { Caller } from "../core/access/mod.ts";
import { Failure } from "../core/http/mod.ts";
import { findProject, type ProjectStore } from "../projects/mod.ts";
import type { Page } from "../core/store/mod.ts";
import {
  hashHookToken,
  type HookRecord,
  hookSecret,
  hookToWire,
  isPattern,
  mintHookToken,
  mintSecretSalt,
} from "./hook.ts";
import type { HookStore } from "./hook_store.ts";
import type { HookUses } from "./hook_uses.ts";

interface HookServices {
  readonly hooks: HookStore;
  readonly uses: HookUses;
  readonly projects: ProjectStore;
  readonly publicOrigin: string;
  readonly now: Clock;
  readonly random: Random;
}

type ShownHook = DeployHook & { readonly url: string; readonly secret: string | null };

export class HookService {
  readonly #services: HookServices;

  constructor(services: HookServices) {
    this.#services = services;
  }

  async create(caller: Caller, body: BodyOf<typeof endpoints.createHook>): Promise<ShownHook> {
    const { hooks, projects, now, random } = this.#services;
    const project = await findProject(projects, caller, body.projectId);
    if (await hooks.countOf(project.id) >= MAX_HOOKS) {
      throw new Failure(
        "conflict",
        `Project "${project.name}" already has ${MAX_HOOKS} hooks: delete one first`,
      );
    }
    const pattern = isPattern(body.branch);
    if (pattern && body.restrictBranch === false) {
      throw new Failure(
        "invalid_request",
        `Hook for the pattern '${body.branch}' cannot have restrictBranch false: set it to true, or leave it out`,
      );
    }
    const token = mintHookToken(random);
    const hook: HookRecord = {
      id: uuidV7(now, random),
      workspaceId: project.workspaceId,
      projectId: project.id,
      name: body.name,
      branch: body.branch,
      restrictBranch: body.restrictBranch ?? pattern,
      scope: body.scope,
      tokenHash: hashHookToken(token),
      secretSalt: body.signed ? mintSecretSalt(random) : null,
      createdAt: now(),
      updatedAt: now(),
    };
    if (!await hooks.create(hook)) {
      throw new Failure("not_found", "The project was deleted");
    }
    return await this.#withUrl(hook, token);
  }

  async list(
    caller: Caller,
    query: {
      readonly limit: number;
      readonly cursor?: string | undefined;
      readonly projectId?: string | undefined;
    },
  ): Promise<Page<DeployHook>> {
    const project = query.projectId === undefined
      ? undefined
      : await findProject(this.#services.projects, caller, query.projectId);
    const page = await this.#services.hooks.list(caller.workspace.id, {
      ...query,
      projectId: project?.id,
    });
    const items = await Promise.all(page.items.map((hook) => this.#toWire(hook)));
    return { items, nextCursor: page.nextCursor };
  }

  async get(caller: Caller, id: string): Promise<DeployHook> {
    const hook = await this.#services.hooks.find(caller.workspace.id, id);
    if (hook === undefined) throw unknownHook(id);
    return await this.#toWire(hook);
  }

  async rename(caller: Caller, id: string, name: string): Promise<DeployHook> {
    return await this.#toWire(await this.#change(caller, id, (hook) => ({ ...hook, name })));
  }

  /** Gives a hook a new token. The old one stops working immediately. */
  async regenerate(caller: Caller, id: string): Promise<ShownHook> {
    const token = mintHookToken(this.#services.random);
    const tokenHash = hashHookToken(token);
    const hook = await this.#change(caller, id, (current) => ({ ...current, tokenHash }));
    return await this.#withUrl(hook, token);
  }

  async remove(caller: Caller, id: string): Promise<void> {
    await this.#services.uses.settled();
    if (!await this.#services.hooks.remove([caller.workspace.id, id])) throw unknownHook(id);
  }

  async #change(
    caller: Caller,
    id: string,
    edit: (hook: HookRecord) => HookRecord,
  ): Promise<HookRecord> {
    const { hooks, now } = this.#services;
    const changed = await hooks.update(
      [caller.workspace.id, id],
      (hook) => ({ ...edit(hook), updatedAt: now() }),
    );
    if (changed === undefined) throw unknownHook(id);
    return changed;
  }

  async #toWire(hook: HookRecord): Promise<DeployHook> {
    const { uses, projects } = this.#services;
    const [project, use] = await Promise.all([
      projects.find(hook.workspaceId, hook.projectId),
      uses.of(hook.id),
    ]);
    return hookToWire(hook, { project: project?.name ?? "", use });
  }

  async #withUrl(hook: HookRecord, token: string): Promise<ShownHook> {
    const url = `${this.#services.publicOrigin}/v1/hooks/${token}`;
    return { ...await this.#toWire(hook), url, secret: hookSecret(hook, token) ?? null };
  }
}

const unknownHook = (id: string) => new Failure("not_found", `Deploy hook ${id} does not exist`);
