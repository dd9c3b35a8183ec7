/**
 * Makes an MCP server available at a loopback URL, for programs that support only plain HTTP. The
 * server can be remote and require a token, or be local and use stdin and stdout.
 */
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { stopServer } from "../../src/lib/stop_server.ts";

/** Headers that apply to one connection and must be set again for the next connection. */
const OF_CONNECTION = ["connection", "content-length", "transfer-encoding", "accept-encoding"];

export interface McpBridge extends AsyncDisposable {
  /** URL of the server. */
  readonly url: string;
}

function listen(answer: (request: Request) => Promise<Response>): {
  readonly server: Deno.HttpServer<Deno.NetAddr>;
  readonly url: string;
} {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answer);
  return { server, url: `http://127.0.0.1:${server.addr.port}/mcp` };
}

/**
 * Forwards each request with a token. The bridge also forwards `Host` and `Origin` headers that
 * name other hosts.
 */
export function bridgeToHttp(target: string, token: string): McpBridge {
  const client = Deno.createHttpClient({ allowHost: true });
  const { server, url } = listen(async (request) => {
    const headers = new Headers(request.headers);
    for (const name of OF_CONNECTION) headers.delete(name);
    headers.set("authorization", `Bearer ${token}`);
    // The bridge's own address is replaced with the server's address. Any other name is forwarded
    // unchanged.
    for (const [name, part] of [["host", "host"], ["origin", "origin"]] as const) {
      if (headers.get(name) === new URL(url)[part]) headers.set(name, new URL(target)[part]);
    }
    const hasBody = request.method === "POST";
    return await fetch(target, {
      method: request.method,
      headers,
      ...hasBody ? { body: await request.bytes() } : {},
      client,
    });
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      await stopServer(server);
      client.close();
    },
  };
}

/** Starts a stdio server for each session, and forwards messages in both directions. */
export function bridgeToStdio(start: () => StdioClientTransport): McpBridge {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const processes = new Set<StdioClientTransport>();
  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const process = start();
    processes.add(process);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id: string) => void sessions.set(id, transport),
      enableDnsRebindingProtection: true,
      allowedHosts: [`127.0.0.1:${server.addr.port}`],
    });
    transport.onmessage = (message: JSONRPCMessage) => void process.send(message);
    process.onmessage = (message: JSONRPCMessage) => void transport.send(message);
    await process.start();
    await transport.start();
    return transport;
  };
  const { server, url } = listen(async (request) => {
    const id = request.headers.get("mcp-session-id");
    const transport = (id === null ? undefined : sessions.get(id)) ?? await open();
    return await transport.handleRequest(request);
  });
  return {
    url,
    async [Symbol.asyncDispose]() {
      for (const transport of sessions.values()) await transport.close();
      await Promise.all([...processes].map((process) => process.close()));
      await stopServer(server);
    },
  };
}
