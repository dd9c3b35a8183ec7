/** Starts Node in its sandbox for tests. This process itself does not run project code. */
import { makeTestFolder } from "../../src/lib/_test_folder.ts";
import assert from "node:assert/strict";
import { launchNode } from "../../src/runtime/node/sandbox/launch_node.ts";
import type { NodeLaunch, NodeView, RunningNode } from "../../src/runtime/node/sandbox/types.ts";

async function findNode(): Promise<string | undefined> {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    const path = await Deno.realPath(`${folder}/node`).catch(() => undefined);
    if (path !== undefined && !path.endsWith("/deno")) return path;
  }
  return undefined;
}

/** The real Node on this machine; `undefined` if there is none. */
export const NODE = Deno.build.os === "linux" ? await findNode() : undefined;

interface LaunchedNode extends AsyncDisposable {
  readonly node: RunningNode;
  readonly view: NodeView;
  /** Paths on this machine. */
  readonly directory: string;
  readonly folder: string;
  /** Sends a request to Node's server, which must already be listening. */
  ask(path: string): Promise<string>;
}

/** The beginning of a Node module. It responds to each request with `answer(url)`. */
const SERVER = `
import { createServer } from "node:http";
createServer(async (request, response) => {
  const url = new URL(request.url, "http://node");
  try {
    response.end(String(await answer(url)));
  } catch (error) {
    response.statusCode = 500;
    response.end(JSON.stringify({ code: error.code, message: error.message }));
  }
}).listen(process.env.SERVER_SOCKET);
`;

async function waitFor(path: string, node: RunningNode): Promise<void> {
  let ended = false;
  void node.ended.then(() => ended = true);
  while (!ended) {
    const conn = await Deno.connect({ transport: "unix", path }).catch(() => undefined);
    if (conn !== undefined) return conn.close();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`Node has stopped: ${(await node.ended).message}`);
}

type LaunchOptions = Partial<NodeLaunch> & {
  readonly env?: (view: NodeView) => Readonly<Record<string, string>>;
  /** Contents of additional files in the deployment. */
  readonly deployed?: Readonly<Record<string, string | Uint8Array>>;
};

/** Starts Node with a module that defines `answer(url)`, and waits until Node is listening. */
export async function launchServer(
  code: string,
  options: LaunchOptions = {},
): Promise<LaunchedNode> {
  assert.ok(NODE !== undefined);
  const top = await Deno.realPath(await makeTestFolder("svc-node-"));
  const [directory, folder] = [`${top}/app`, `${top}/run`];
  for (const each of [directory, folder]) await Deno.mkdir(each);
  // As on the platform, only the user of Node's process can access the folder from outside.
  await Deno.chmod(top, 0o700);
  await Deno.writeTextFile(`${directory}/server.mjs`, code + SERVER);
  for (const [name, content] of Object.entries(options.deployed ?? {})) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    await Deno.writeFile(`${directory}/${name}`, bytes);
  }
  let view: NodeView | undefined;
  const node = await launchNode({
    node: NODE,
    directory,
    folder,
    controlSocket: "c",
    serverSocket: "s",
    files: [],
    tmpMb: 16,
    memoryMb: 300,
    allowPrivate: false,
    allowUnsandboxed: false,
    peers: [],
    routes: [],
    announce: () => {},
    command: (seen) => {
      view = seen;
      const env = { ...options.env?.(seen), SERVER_SOCKET: seen.serverSocket };
      return { args: [`${seen.directory}/server.mjs`], env };
    },
    ...options,
  });
  await waitFor(`${folder}/s`, node);
  const client = Deno.createHttpClient({
    proxy: { transport: "unix", path: `${folder}/s` },
  });
  return {
    node,
    directory,
    folder,
    view: view!,
    ask: async (path) => await (await fetch(`http://node${path}`, { client })).text(),
    async [Symbol.asyncDispose]() {
      client.close();
      node.kill();
      await node.ended;
      await Deno.remove(top, { recursive: true });
    },
  };
}
