/**
 * Pushes that git never sends. Each push must be rejected with the expected message and leave the
 * data directory unchanged.
 *
 * @module
 */
import assert from "node:assert/strict";
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import { until } from "../../src/lib/_test_until.ts";
import { type Bytes, bytesOf, type GitObject, joined, NONE, pack } from "./hostile_packs.ts";
import { start, type TestPlatform, TOKEN } from "./platform.ts";

const CAPABILITIES = "report-status side-band-64k";

/**
 * Number of parallel attacks. Each attack is on a different project, because pushes to the same
 * project wait for each other.
 */
const AT_ONCE = 4;

/** Encodes a packet of git's protocol. */
export function line(content: string | Uint8Array): Bytes {
  const bytes = bytesOf(content);
  return joined((bytes.byteLength + 4).toString(16).padStart(4, "0"), bytes);
}

/** Encodes the lines before a pack: the change to one ref, and the end of the list. */
export const command = (
  ref: string | Uint8Array,
  { from = NONE, to = "a".repeat(40), capabilities = CAPABILITIES } = {},
): Bytes => joined(line(joined(`${from} ${to} `, ref, `\0${capabilities}`)), "0000");

/** Encodes a push of objects, the last of which becomes a branch's head. */
export function pushOf(objects: readonly GitObject[], ref = "refs/heads/main"): Bytes {
  const head = objects.at(-1)!;
  return joined(command(ref, { to: head.sha }), pack(objects));
}

export interface Attack {
  readonly name: string;
  readonly body?: Uint8Array;
  /** The git service; `git-receive-pack` by default. */
  readonly service?: string;
  readonly method?: string;
  /** A path to use instead of the service's path. */
  readonly path?: string;
  /** The key to send as the password: by default, the owner's key; `null` to send none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * True if the connection may be closed before the whole body has been sent. In that case, the
   * response may be lost.
   */
  readonly isLong?: boolean;
  readonly status: number;
  /** Expected text of the response. */
  readonly says: RegExp;
}

export interface Target {
  readonly platform: TestPlatform;
  /** URL of one of the projects. */
  readonly repository: string;
  /** Runs attacks and checks the response to each attack. */
  attack(attacks: readonly Attack[]): Promise<void>;
}

export const basic = (key: string) => `Basic ${bytesOf(`svc:${key}`).toBase64()}`;

/**
 * Creates a client that opens a new connection for each request, because the platform closes the
 * connection when it rejects a request early.
 */
export const newConnections = (): Deno.HttpClient =>
  Deno.createHttpClient({ poolMaxIdlePerHost: 0 });

/** Matches files that a platform creates for servers some time after it has started. */
const MADE_LATER: ReadonlySet<string> = new Set([
  "compute",
  "compute/incoming",
  "compute/package.json",
]);

/** Lists every path in a folder except for request logs, which are expected to grow. */
export async function listing(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (path: string): Promise<void> => {
    // A folder may be removed during the walk.
    const entries = await Array.fromAsync(Deno.readDir(path)).catch(() => []);
    for (const { name, isDirectory } of entries) {
      const inner = `${path}/${name}`;
      found.push(inner.slice(folder.length + 1));
      if (isDirectory) await walk(inner);
    }
  };
  await walk(folder);
  return found.filter((path) => !path.startsWith("logs/") && !MADE_LATER.has(path)).sort();
}

/**
 * Runs attacks against projects that have never received a push, and checks that nothing is left
 * behind.
 */
export async function underAttack(run: (target: Target) => Promise<void>): Promise<void> {
  const folder = await makeTestFolder("svc-hostile-push-");
  const platform = await start(`${folder}/data`);
  const { api, port, dataDir } = platform;
  using client = newConnections();
  try {
    const names = Array.from({ length: AT_ONCE }, (_, index) => `shop-${index}`);
    for (const name of names) await api("POST", "/v1/projects", { json: { name } });
    const repositories = names.map((name) => `/git/default/${name}.git`);
    const send = async (attack: Attack, repository = repositories[0]!) => {
      const { service = "git-receive-pack", key = TOKEN, body } = attack;
      const response = await fetch(
        `http://127.0.0.1:${port}${attack.path ?? `${repository}/${service}`}`,
        {
          method: attack.method ?? "POST",
          client,
          redirect: "manual",
          headers: {
            "content-type": `application/x-${service}-request`,
            ...(key === null ? {} : { authorization: basic(key) }),
            ...attack.headers,
          },
          ...(body === undefined ? {} : { body: new Uint8Array(body) }),
        },
      );
      const text = await response.text();
      const seen = `${attack.name}: ${response.status} ${text.slice(0, 600)}`;
      assert.equal(response.status, attack.status, seen);
      assert.match(text, attack.says, seen);
      const takesNothing = text === "" ||
        /unpack (?!ok)|[0-9a-f]{4}ng \S+ (?!not deployed)/.test(text);
      assert.ok(response.status !== 200 || service !== "git-receive-pack" || takesNothing, seen);
      assert.ok(
        !text.includes(folder),
        `The response contains a path on the platform's machine: ${seen}`,
      );
    };
    // The first push creates folders that remain.
    await send({ name: "none", body: bytesOf("0000"), status: 200, says: /^$/ });
    const before = await listing(dataDir);
    await run({
      platform,
      repository: repositories[0]!,
      async attack(attacks) {
        const told = new Set(attacks.map(({ name }) => name));
        assert.equal(told.size, attacks.length, "each attack has its own name");
        const rest = [...attacks];
        const faults: unknown[] = [];
        await Promise.all(repositories.map(async (repository) => {
          for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
            const { name, isLong } = next;
            await send(next, repository).catch((error) => {
              if (!(isLong === true && error instanceof TypeError)) {
                faults.push(`${name}: ${error}`);
              }
            });
          }
        }));
        assert.deepEqual(faults, []);
      },
    });
    await until(() => listing(dataDir), (now) => now.join() === before.join());
    for (const name of names) {
      const { json } = await api("GET", `/v1/projects/${name}/deployments`);
      assert.deepEqual(json.items, [], name);
    }
    assert.equal((await api("GET", "/v1/audit?action=gitPush")).json.items.length, 0);
  } finally {
    await platform.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}
