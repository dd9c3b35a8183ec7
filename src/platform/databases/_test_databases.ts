/**
 * Databases with an in-memory store and a test engine. Tests use them through their endpoints.
 *
 * @module
 */
import { join } from "node:path";
import type { Endpoint } from "../../contract/endpoint.ts";
import { endpoints } from "../../contract/endpoints.ts";
import type { DatabaseEngine } from "../../database/mod.ts";
import { systemRandom } from "../../lib/clock.ts";
import type { KeyGrant } from "../core/access/mod.ts";
import type { RaisedEvent } from "../core/events/mod.ts";
import type { Foundation } from "../core/foundation.ts";
import type { Router } from "../core/http/mod.ts";
import { openKeyRing, SecretBox } from "../core/secrets/mod.ts";
import { keys } from "../core/store/mod.ts";
import { DeploymentStore } from "../deployments/mod.ts";
import { type ProjectRecord, projects, ProjectStore } from "../projects/mod.ts";
import { VariableStore } from "../variables/mod.ts";
import { createDatabases, type Databases } from "./mod.ts";
import { DenoStore, type RecordStore } from "../../store/mod.ts";

type Handler = (caller: unknown, context: unknown) => Promise<unknown>;

/** A machine with a store, on which platforms start and stop. */
export class TestMachine implements AsyncDisposable {
  now = Date.UTC(2026, 10, 22);
  readonly events: RaisedEvent[] = [];
  readonly troubles: string[] = [];
  /** Running processes of other platforms. */
  readonly alive = new Set<string>();
  readonly #open: Databases[] = [];
  readonly #looks: (() => void)[] = [];

  readonly #folder: string;
  readonly #box: SecretBox;

  private constructor(readonly kv: RecordStore, folder: string, box: SecretBox) {
    this.#folder = folder;
    this.#box = box;
  }

  static async make(kv?: RecordStore): Promise<TestMachine> {
    const folder = await Deno.makeTempDir();
    const box = new SecretBox(await openKeyRing(join(folder, "keys"), systemRandom), systemRandom);
    return new TestMachine(kv ?? await DenoStore.open(":memory:"), folder, box);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    this.kv.close();
  }

  /** Stops all platforms. The store stays open. */
  async stop(): Promise<void> {
    for (const databases of this.#open) await databases.capability.close?.();
    await Deno.remove(this.#folder, { recursive: true });
  }

  /** Simulates the sudden death of a process, which the other processes detect. */
  kill(instance: string): void {
    this.alive.delete(instance);
    for (const look of this.#looks) look();
  }

  /** Adds a project in the workspace `w`. */
  async project(name: string): Promise<ProjectRecord> {
    const project = projects.schema.parse({
      id: crypto.randomUUID(),
      workspaceId: "w",
      workspaceSlug: "w",
      name,
      displayName: null,
      gitUrl: null,
      branch: "main",
      framework: null,
      installCommand: null,
      buildCommand: null,
      outputDirectory: null,
      rootDirectory: null,
      nodeVersion: null,
      productionHistory: [],
      createdAt: this.now,
      updatedAt: this.now,
    });
    await this.kv.set(keys.project("w", project.id), project);
    await this.kv.set(keys.projectByName(name), { workspaceId: "w", projectId: project.id });
    return project;
  }

  /**
   * Starts a platform. The previous one may have exited, or may still be running without knowing of
   * this one.
   */
  async start(...engines: readonly DatabaseEngine[]): Promise<TestPlatform> {
    const platform = this.open(this.kv, ...engines);
    await platform.databases.capability.start?.();
    return platform;
  }

  /** Opens a platform that does not resume any work. `kv` is its access to the store. */
  open(kv: RecordStore, ...engines: readonly DatabaseEngine[]): TestPlatform {
    const box = this.#box;
    const { events, alive } = this;
    const instance = `process-${this.#open.length}`;
    const foundation = {
      dataDir: { root: this.#folder },
      kv,
      box,
      random: systemRandom,
      closing: new AbortController().signal,
      events: { raise: (event: RaisedEvent) => Promise.resolve(void events.push(event)) },
      nodes: {
        instance,
        isAlive: (other: string) => Promise.resolve(other === instance || alive.has(other)),
        onDeath: (look: () => void) => void this.#looks.push(look),
      },
      now: () => this.now,
      onTrouble: (message: string) => void this.troubles.push(message),
    } as unknown as Foundation;
    const databases = createDatabases(foundation, {
      projects: new ProjectStore(kv),
      deployments: new DeploymentStore(kv, () => {}),
      variables: new VariableStore(kv),
      variableService: {
        openSnapshot: () => Promise.resolve({ values: {}, unfilled: [], databases: [] }),
      },
      engines: {
        usual: engines[0]!.kind,
        open: Object.fromEntries(
          engines.map((engine) => [engine.kind, () => Promise.resolve(engine)]),
        ),
      },
      listen: { host: "127.0.0.1", port: 0, publicHost: "localhost" },
      onChanged: () => Promise.resolve(),
    });
    this.#open.push(databases);
    const handlers = new Map<Endpoint, Handler>();
    const guarded = (endpoint: Endpoint, handler: Handler) => handlers.set(endpoint, handler);
    databases.capability.bindRoutes?.({ guarded } as unknown as Router);
    return { databases, ...callsOf(handlers) };
  }
}

export type TestPlatform = { readonly databases: Databases } & ReturnType<typeof callsOf>;

function callsOf(handlers: ReadonlyMap<Endpoint, Handler>) {
  return {
    /** Calls an endpoint with a session, or with an API key that has the grant. */
    call: async (
      name: keyof typeof endpoints,
      given: Record<string, unknown>,
      grant?: KeyGrant,
      // deno-lint-ignore no-explicit-any -- tests inspect any response
    ): Promise<any> => {
      const endpoint = endpoints[name] as unknown as Endpoint;
      const { body, query = {}, ...params } = given;
      return await handlers.get(endpoint)!({ workspace: { id: "w", slug: "w" }, grant }, {
        note: () => {},
        params,
        body: endpoint.body.parse(body),
        query: endpoint.query.parse(query),
        request: new Request("http://localhost"),
      });
    },
  };
}
