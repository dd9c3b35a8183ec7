/**
 * Real object storage for tests: the one that `SVC_TEST_S3` names (in the format of `--blobs`, with
 * access keys in the environment), or otherwise s3rver in this process. A proxy in front of it can
 * break requests.
 *
 * @module
 */
import S3rver from "s3rver";
import type { Environment } from "../../../lib/network_variables.ts";
import { stopServer } from "../../../lib/stop_server.ts";

const BUCKET = "svc-test";

interface TestStorage {
  /** Value for `--blobs`, with its own prefix. */
  readonly place: string;
  /** The environment with the access keys. */
  readonly env: Environment;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts empty object storage, or uses a new prefix in the given object storage. */
export async function openTestStorage(): Promise<TestStorage> {
  const given = Deno.env.get("SVC_TEST_S3");
  if (given !== undefined) {
    const url = new URL(given);
    url.pathname = `/test-${crypto.randomUUID()}`;
    const env = Deno.env.toObject();
    return { place: url.href, env, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const directory = await Deno.makeTempDir({ prefix: "svc-s3-" });
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = await server.run();
  return {
    place: `s3://${BUCKET}/some/where?endpoint=http://127.0.0.1:${port}`,
    env: { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" },
    async [Symbol.asyncDispose]() {
      await server.close();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

export type Decision = Response | "pass" | "cut";

/** The proxy's action for a request: pass it on, respond, or close the connection. */
export type Fault = (request: Request) => Decision | Promise<Decision>;

export interface FaultyStorage extends AsyncDisposable {
  readonly place: string;
  readonly env: Environment;
  /** The requests so far, each as `METHOD key`. */
  readonly requests: string[];
  /** Decides what happens to each subsequent request. Initially, all of them pass. */
  fault: Fault;
  /** Passes on a request and returns the storage's response. */
  pass(request: Request): Promise<Response>;
}

/** Opens object storage behind a proxy that the test controls. */
export async function openFaultyStorage(): Promise<FaultyStorage> {
  const storage = await openTestStorage();
  const url = new URL(storage.place);
  const behind = url.searchParams.get("endpoint")!;
  const requests: string[] = [];
  const client = Deno.createHttpClient({ allowHost: true, poolMaxIdlePerHost: 0 });
  const pass = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const body = method === "GET" || method === "HEAD" ? null : await request.bytes();
    return await fetch(`${behind}${pathname}${search}`, { method, headers, body, client });
  };
  const handler: Deno.ServeHandler = async (request) => {
    requests.push(`${request.method} ${new URL(request.url).pathname}`);
    const decided = await faulty.fault(request);
    if (decided === "pass") return await pass(request);
    if (decided === "cut") {
      return new Response(
        new ReadableStream({ start: (controller) => controller.error(new Error("cut")) }),
      );
    }
    return decided;
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {}, onError: () => new Response() },
    handler,
  );
  const { port } = server.addr;
  url.searchParams.set("endpoint", `http://127.0.0.1:${port}`);
  const faulty: FaultyStorage = {
    place: url.href,
    env: storage.env,
    requests,
    fault: () => "pass",
    pass,
    async [Symbol.asyncDispose]() {
      await stopServer(server);
      client.close();
      await storage[Symbol.asyncDispose]();
    },
  };
  return faulty;
}
