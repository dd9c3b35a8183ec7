/**
 * Creates databases on a real platform, on each engine, and connects clients to them.
 *
 * @module
 */
import pg from "pg";
import type { QueryEvent } from "../../src/contract/database_queries.ts";
import { NO_POSTGRES } from "../../src/database/server/_test_server.ts";
import { until } from "../../src/lib/_test_until.ts";
import type { ProgramOptions } from "./platform_process.ts";
import { createProject, start, type TestPlatform, TOKEN, withPlatform } from "./platform.ts";

/** Platform options for each engine. */
const ENGINES: Readonly<Record<string, Partial<ProgramOptions>>> = {
  embedded: {},
  server: { postgres: "local" },
};

/** The engine that starts fastest: a PostgreSQL cluster if the machine has PostgreSQL. */
export const QUICK_ENGINE = NO_POSTGRES === undefined ? ENGINES.server! : ENGINES.embedded!;

export interface DatabaseTest {
  readonly platform: TestPlatform;
  readonly engine: string;
  /** Name of the project. */
  readonly project: string;
  /** `/v1/projects/<project>/databases/orders`. */
  readonly at: string;
  /** Runs SQL through the API. */
  query(sql: string, more?: Record<string, unknown>): Promise<QueryEvent[]>;
  /** Runs SQL. Returns the rows of the last statement, as text. */
  rows(sql: string, branch?: string): Promise<(string | null)[][]>;
}

/** A database test, which is run on each engine. */
export interface DatabaseCase {
  readonly name: string;
  /** The engine that the platform must have in addition to the embedded one. */
  readonly only?: string;
  /**
   * Continues with the previous case's database and content, because creating a database takes
   * seconds.
   */
  readonly shares?: true;
  run(test: DatabaseTest): Promise<void>;
}

/**
 * Runs tests on a single platform per engine, because creating a cluster and a template takes time.
 * Each test has its own project and its own `orders` database.
 */
export function onEachDatabase(
  name: string,
  cases: readonly DatabaseCase[],
  options: Partial<ProgramOptions> = {},
): void {
  for (const [engine, more] of Object.entries(ENGINES)) {
    const lack = engine === "server" ? NO_POSTGRES : undefined;
    const title = lack === undefined ? engine : `${engine}, skipped: ${lack}`;
    Deno.test(
      { name: `${name} (${title})`, ignore: lack !== undefined },
      (t) =>
        withPlatform(async (platform) => {
          const own = cases.filter(({ only }) => only === undefined || only === engine);
          let project = "";
          for (const [index, { name, shares, run }] of own.entries()) {
            if (shares === undefined) {
              project = `shop-${index}`;
              await createProject(platform, project);
              await createDatabase(platform, project, "orders");
            }
            const at = `/v1/projects/${project}/databases/orders`;
            await t.step(name, () => run({ engine, project, ...callsOf(platform, at) }));
          }
        }, { ...options, ...more }),
    );
  }
}

/** Starts another platform with the same engine. */
export async function startOn(
  engine: string,
  dataDir: string,
): Promise<TestPlatform & AsyncDisposable> {
  const platform = await start(dataDir, ENGINES[engine]);
  return { ...platform, [Symbol.asyncDispose]: () => platform.shutdown() };
}

/** Creates a database and waits until it is ready. */
export async function createDatabase(
  platform: TestPlatform,
  project: string,
  name: string,
  more: Record<string, unknown> = {},
) {
  const path = `/v1/projects/${project}/databases`;
  const made = await platform.api("POST", path, { json: { name, ...more } });
  if (made.status !== 201) throw new Error(JSON.stringify(made.json));
  const { json } = await until(
    () => platform.api("GET", `${path}/${name}`),
    ({ json }) => json.state !== "creating",
    120_000,
  );
  if (json.state !== "active") throw new Error(JSON.stringify(json));
  return json;
}

export function callsOf(
  platform: TestPlatform,
  at: string,
): Omit<DatabaseTest, "engine" | "project"> {
  const query = async (sql: string, more: Record<string, unknown> = {}) => {
    const response = await sendSql(platform, at, { sql, ...more });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
    return text.trim().split("\n").map((line): QueryEvent => JSON.parse(line));
  };
  return {
    platform,
    at,
    query,
    async rows(sql, branch = "main") {
      const events = await query(sql, { branch });
      const failed = events.find((event) => event.type === "error");
      if (failed !== undefined) throw new Error(JSON.stringify(failed));
      return events.flatMap((event) => event.type === "rows" ? event.rows : []);
    },
  };
}

/** Sends a query. The response is a stream. */
export function sendSql(
  platform: TestPlatform,
  at: string,
  body: Record<string, unknown>,
  { token = TOKEN, signal }: { readonly token?: string; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`http://127.0.0.1:${platform.port}${at}/query`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Returns the connection string for a branch. */
export async function urlOf(platform: TestPlatform, at: string, branch = "main"): Promise<string> {
  const { status, json } = await platform.api(
    "GET",
    `${at}/connection?branch=${encodeURIComponent(branch)}`,
  );
  if (status !== 200) throw new Error(JSON.stringify(json));
  return json.url;
}

/** Connects as a user's program does, and closes the connection afterwards. */
export async function withClient<T>(
  connectionString: string,
  run: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end().catch(() => {});
  }
}
