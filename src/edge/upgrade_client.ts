/** @module Opens WebSockets to clients after a server has accepted their upgrades. */
import type { ComputeSocket } from "../runtime/mod.ts";
import { relayWebSocket } from "./compute/relay_websocket.ts";
import type { ClientRequest } from "./request/client_request.ts";

/** Upgrades the client's connection, and connects it to the server's socket. */
export function upgradeClient(clientRequest: ClientRequest, server: ComputeSocket): Response {
  try {
    const { socket, response } = clientRequest.upgrade();
    // By itself, Deno selects a protocol only if the client's list has one specific format.
    if (server.protocol !== "") response.headers.set("sec-websocket-protocol", server.protocol);
    relayWebSocket(socket, server);
    return response;
  } catch {
    server.close();
    return new Response(null, { status: 400 });
  }
}
