/** @module Opens WebSockets of clients whose upgrade a server has accepted. */
import type { ComputeSocket } from "../runtime/mod.ts";
import { relayWebSocket } from "./compute/relay_websocket.ts";
import type { ClientRequest } from "./request/client_request.ts";

/** Upgrades the client's connection, and connects it with the server's socket. */
export function upgradeClient(clientRequest: ClientRequest, server: ComputeSocket): Response {
  try {
    const { socket, response } = clientRequest.upgrade();
    // Deno only selects a protocol itself from a list in one exact spelling.
    if (server.protocol !== "") response.headers.set("sec-websocket-protocol", server.protocol);
    relayWebSocket(socket, server);
    return response;
  } catch {
    server.close();
    return new Response(null, { status: 400 });
  }
}
