/**
 * A client that continuously writes to a platform, using every kind of item in turn. The client
 * records its project's state after each write. A backup must contain one of these states, and that
 * state must not be older than the last one that was acknowledged before the backup started.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fetchByHost } from "../../scripts/_fetch_by_host.ts";
import { until } from "../../src/lib/_test_until.ts";
import { Browser, PASSWORD } from "./browser.ts";
import { type ApiCaller, create, createProject, sha256, upload } from "./platform.ts";

/** Existing items, by kind and name. */
export type State = Map<string, string>;

export type LedgerPlatform = ApiCaller & { readonly port: number };

type Items = readonly Readonly<Record<string, string>>[];

/** Issued keys and hooks, each with its purpose. */
interface Secrets {
  readonly keys: Map<string, string>;
  readonly hooks: Map<string, string>;
}

/** Size of a deployment's largest file, in bytes. */
const LARGE_BYTES = 20_000;
/** Maximum number of list items that one request reads. */
const PAGE = 100;

/**
 * Returns a deployment's files: one that all deployments share, and two that are different in each
 * deployment.
 */
function filesOf(project: string, n: number): Record<string, string> {
  return {
    "index.html": `${project} ${n}`,
    "shared.txt": "shared by all",
    "large.txt": `${project} ${n}\n`.repeat(LARGE_BYTES / 10),
  };
}

const digestOf = (files: Readonly<Record<string, string>>): string =>
  Object.entries(files).map(([path, text]) => `${path} ${sha256(text)}`).join("\n");

export class Ledger {
  readonly #changes: ((state: State) => void)[] = [];
  readonly #secrets: Secrets = { keys: new Map(), hooks: new Map() };
  #acknowledged = 0;
  #turn = 0;

  private constructor(readonly project: string) {}

  /** Creates the client's own project, to which it writes. */
  static async open(platform: LedgerPlatform, project: string): Promise<Ledger> {
    await createProject(platform, project);
    return new Ledger(project);
  }

  /** Number of successful writes. */
  get acknowledged(): number {
    return this.#acknowledged;
  }

  /** Writes until it is stopped or the platform exits. */
  async run(platform: LedgerPlatform, isDone: () => boolean): Promise<void> {
    try {
      while (!isDone()) await this.#writeAll(platform, this.#turn++);
    } catch (error) {
      // The connection was closed because the platform was killed.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /**
   * Compares a platform with the ledger. Returns the number of writes that the platform's state
   * reflects.
   *
   * @param atLeast minimum number of writes that must be there
   */
  async check(platform: LedgerPlatform, atLeast: number): Promise<number> {
    const found = await this.#read(platform);
    for (let count = this.#changes.length; count >= atLeast; count--) {
      if (isSame(this.#stateAfter(count), found)) {
        await this.#use(platform, found);
        return count;
      }
    }
    const { count, wanted } = this.#nearest(found, atLeast);
    const text = (state: State) => [...state].map(([key, value]) => `${key} = ${value}`).sort();
    assert.deepEqual(
      text(found),
      text(wanted),
      `The state of ${this.project} matches none since write ${atLeast}; the closest is ${count}`,
    );
    return count;
  }

  #nearest(found: State, atLeast: number): { readonly count: number; readonly wanted: State } {
    let best = { count: atLeast, wanted: this.#stateAfter(atLeast), differences: Infinity };
    for (let count = atLeast; count <= this.#changes.length; count++) {
      const wanted = this.#stateAfter(count);
      const keys = new Set([...wanted.keys(), ...found.keys()]);
      const differences = [...keys].filter((key) => wanted.get(key) !== found.get(key)).length;
      if (differences < best.differences) best = { count, wanted, differences };
    }
    return best;
  }

  #stateAfter(count: number): State {
    const state: State = new Map();
    for (const change of this.#changes.slice(0, count)) change(state);
    return state;
  }

  /** Records a change before sending it, and the acknowledgement after the response. */
  async #write(
    platform: LedgerPlatform,
    change: (state: State) => void,
    [method, path, json]: readonly [method: string, path: string, json?: unknown],
    headers?: Record<string, string>,
  ) {
    this.#changes.push(change);
    const answer = await platform.api(method, path, {
      ...(json === undefined ? {} : { json }),
      ...(headers === undefined ? {} : { headers }),
    });
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.json)}`);
    this.#acknowledged = this.#changes.length;
    return answer.json;
  }

  async #writeAll(platform: LedgerPlatform, n: number): Promise<void> {
    const { project } = this;
    const at = `/v1/projects/${project}`;
    const set = (key: string, value: string) => (state: State) => void state.set(key, value);
    const kv = (key: string, value: string) =>
      this.#write(platform, set(`kv ${key}`, value), ["PUT", `${at}/kv/value`, {
        key,
        value,
        encoding: "text",
      }]);
    await kv(`boats/${n}`, `kestrel ${n}`);
    await kv("counter", `${n}`);
    if (n % 3 === 2) {
      const key = `boats/${n - 1}`;
      await this.#write(platform, (state) => void state.delete(`kv ${key}`), [
        "DELETE",
        `${at}/kv/value?key=${encodeURIComponent(key)}`,
      ]);
    }
    for (const category of ["plain", "secret"]) {
      const [name, value] = [`${category.toUpperCase()}_${n % 10}`, `${category} value ${n}`];
      await this.#write(platform, set(`variable ${name}`, value), [
        "PUT",
        `${at}/variables/${name}`,
        { value, category, scope: "all" },
      ]);
    }
    await this.#deploy(platform, n);
    await this.#writeRules(platform, n);
    if (n % 4 === 0) await this.#writeRare(platform, n);
    if (n % 4 === 2) await this.#rollBack(platform);
  }

  async #deploy(platform: LedgerPlatform, n: number): Promise<void> {
    const files = filesOf(this.project, n);
    const created = await create(platform, this.project, { files });
    assert.equal(created.status, 201, JSON.stringify(created.json));
    const missing = new Set(created.json.missing);
    const needed = Object.entries(files).filter(([, text]) => missing.has(sha256(text)));
    const uploaded = await upload(platform, Object.fromEntries(needed));
    assert.ok(uploaded.status < 300, JSON.stringify(uploaded.json));
    const { id } = created.json.deployment;
    await this.#write(platform, (state) => {
      state.set(`deployment ${id}`, digestOf(files));
      state.set("live", files["index.html"]!);
    }, ["POST", `/v1/deployments/${id}/activate`]);
  }

  /** Rolls back the live deployment to the previous one. */
  async #rollBack(platform: LedgerPlatform): Promise<void> {
    const { rolledBack, deployment } = this.#lastTwo();
    await this.#write(platform, (state) => {
      state.delete(`deployment ${rolledBack.id}`);
      state.set("live", deployment.page);
    }, ["POST", `/v1/projects/${this.project}/rollback`, {}]);
  }

  #lastTwo() {
    const live = [...this.#stateAfter(this.#changes.length)]
      .filter(([key]) => key.startsWith("deployment "))
      .map(([key]) => key.slice("deployment ".length));
    const [deployment, rolledBack] = live.slice(-2);
    const page = (id: string) => {
      const count = this.#changes.findIndex((_, index) =>
        this.#stateAfter(index + 1).has(`deployment ${id}`)
      );
      return this.#stateAfter(count + 1).get("live")!;
    };
    return { rolledBack: { id: rolledBack! }, deployment: { page: page(deployment!) } };
  }

  async #writeRules(platform: LedgerPlatform, n: number): Promise<void> {
    const rules = {
      schemaVersion: "EDGE_RULE_SET_V1",
      rules: [{
        id: "moved",
        condition: { path: { type: "exact", value: "/moved" } },
        action: { type: "redirect", target: `/to-${n}` },
      }],
    };
    await this.#write(platform, (state) => void state.set("rule", `/to-${n}`), [
      "PUT",
      `/v1/projects/${this.project}/rules`,
      rules,
    ], { "if-match": "*" });
  }

  /** Writes items of the kinds that a project can have only a few of. */
  async #writeRare(platform: LedgerPlatform, n: number): Promise<void> {
    const { project } = this;
    const at = `/v1/projects/${project}`;
    const name = `${project}-${n}`;
    const add = (kind: string) => (state: State) => void state.set(`${kind} ${name}`, "");
    await this.#write(platform, add("environment"), ["POST", `${at}/environments`, { name }]);
    const hostname = `${name}.ledger.example`;
    await this.#write(platform, (state) => void state.set(`domain ${hostname}`, ""), [
      "POST",
      `${at}/domains`,
      { hostname, environment: "production" },
    ]);
    const hook = await this.#write(platform, add("hook"), [
      "POST",
      "/v1/deploy-hooks",
      { name, projectId: project, branch: "main", scope: "All" },
    ]);
    this.#secrets.hooks.set(name, new URL(hook.url).pathname);
    const { key } = await this.#write(platform, add("key"), ["POST", "/v1/api-keys", { name }]);
    this.#secrets.keys.set(name, key);
    await this.#write(platform, add("event"), [
      "POST",
      "/v1/events",
      { event: "deployment.live", data: { project: name } },
    ]);
    if (n === 0) await this.#addMember(platform, name);
  }

  async #addMember(platform: LedgerPlatform, name: string): Promise<void> {
    const browser = new Browser(platform);
    const email = `${name}@example.com`;
    const made = await browser.send("POST", "/v1/sign-up", {
      json: { name, email, password: PASSWORD },
    });
    assert.equal(made.status, 201, JSON.stringify(made.json));
    const invited = await platform.api("POST", "/v1/invitations", { json: { role: "viewer" } });
    const token = new URL(invited.json.url).pathname.split("/").at(-1);
    this.#changes.push((state) => void state.set(`member ${name}`, ""));
    const joined = await browser.send("POST", "/v1/invitations/accept", { json: { token } });
    assert.ok(joined.status < 300, JSON.stringify(joined.json));
    this.#acknowledged = this.#changes.length;
  }

  async #read(platform: LedgerPlatform): Promise<State> {
    const { project } = this;
    const at = `/v1/projects/${project}`;
    const state: State = new Map();
    const own = async (kind: string, path: string, nameOf = (item: Items[number]) => item.name) => {
      for (const item of await listAll(platform, path)) {
        const name = nameOf(item);
        if (name?.startsWith(`${project}-`)) state.set(`${kind} ${name}`, "");
      }
    };
    for (const { key } of await listAll(platform, `${at}/kv`)) {
      const path = `${at}/kv/value?key=${encodeURIComponent(key!)}`;
      state.set(`kv ${key}`, (await read(platform, "GET", path)).value);
    }
    const { variables } = await read(platform, "POST", `${at}/variables/export`, {
      environment: "production",
    });
    for (const [name, value] of Object.entries(variables)) {
      if (/^(?:PLAIN|SECRET)_/.test(name)) state.set(`variable ${name}`, String(value));
    }
    await this.#readDeployments(platform, state);
    await own("environment", `${at}/environments`);
    await own("domain", `${at}/domains`, ({ hostname }) => hostname);
    await own("hook", `/v1/deploy-hooks?projectId=${project}`);
    await own("key", "/v1/api-keys");
    await own("member", "/v1/members");
    await own("event", "/v1/notifications", (item) => Object(item.data).project);
    return state;
  }

  async #readDeployments(platform: LedgerPlatform, state: State): Promise<void> {
    const page = async (host: string, path: string) =>
      await fetchByHost({ ...platform, host, path });
    const list = await listAll(platform, `/v1/projects/${this.project}/deployments`);
    for (const { id, status, urls } of list) {
      if (status !== "LIVE") continue;
      const host = new URL(Object(urls).unique).hostname;
      const files: Record<string, string> = {};
      for (const path of Object.keys(filesOf("", 0))) {
        const answer = await page(host, `/${path === "index.html" ? "" : path}`);
        files[path] = answer.status === 200 ? answer.text : `status ${answer.status}`;
      }
      state.set(`deployment ${id}`, digestOf(files));
    }
    const host = `${this.project}.localhost`;
    const live = await page(host, "/");
    if (live.status === 200) state.set("live", live.text);
    const moved = await page(host, "/moved");
    const target = moved.headers.location;
    if (typeof target === "string") state.set("rule", target);
  }

  /** Uses the secrets. Keys, hooks and passwords must work if their records exist. */
  async #use(platform: LedgerPlatform, state: State): Promise<void> {
    for (const [name, key] of this.#secrets.keys) {
      const { status } = await platform.api("GET", "/v1/projects", { token: key });
      assert.equal(status, state.has(`key ${name}`) ? 200 : 401, `Key ${name}`);
    }
    for (const [name, path] of this.#secrets.hooks) {
      const { status } = await platform.api("POST", path, { token: null, json: {} });
      assert.equal(status !== 401, state.has(`hook ${name}`), `Hook ${name}: ${status}`);
    }
    for (const name of [...state.keys()].filter((key) => key.startsWith("member "))) {
      const { status } = await new Browser(platform).signIn(`${name.slice(7)}@example.com`);
      assert.equal(status, 200, `Member ${name}`);
    }
  }
}

async function read(platform: LedgerPlatform, method: string, path: string, json?: unknown) {
  const answer = await platform.api(method, path, json === undefined ? {} : { json });
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.json)}`);
  return answer.json;
}

/** Returns all items in a list, which it reads page by page. */
async function listAll(platform: LedgerPlatform, path: string): Promise<Items> {
  const items: Items[number][] = [];
  const separator = path.includes("?") ? "&" : "?";
  for (let cursor: string | null = null;;) {
    const more: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await read(platform, "GET", `${path}${separator}limit=${PAGE}${more}`);
    items.push(...page.items);
    cursor = page.nextCursor ?? null;
    if (cursor === null) return items;
  }
}

function isSame(left: State, right: State): boolean {
  return left.size === right.size && [...left].every(([key, value]) => right.get(key) === value);
}

/** Waits until all events that were raised are in the inbox. They are delivered in order. */
export async function untilDelivered(platform: LedgerPlatform): Promise<void> {
  const project = `last-${crypto.randomUUID()}`;
  await read(platform, "POST", "/v1/events", { event: "deployment.live", data: { project } });
  await until(async () => {
    const { items } = await read(platform, "GET", "/v1/notifications?limit=5");
    return items.some(({ data }: { data?: { project?: string } }) => data?.project === project);
  });
}
