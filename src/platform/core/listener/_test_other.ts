/** Another process that listens on a port until its input ends. @module */
import { attractConnections } from "./shared_port.ts";

const [port, others] = [Number(Deno.env.get("PORT")), Number(Deno.env.get("OTHERS"))];

/** Opens as many sockets as the other process has. */
const listeners = Array.from(
  { length: others },
  () => Deno.listen({ hostname: "127.0.0.1", port, reusePort: true }),
);

async function closeAll(listener: Deno.Listener): Promise<void> {
  for await (const conn of listener) conn.close();
}

for (const listener of listeners) closeAll(listener).catch(() => {});
if (!attractConnections(port, others)) throw new Error("Cannot attract the connections");
await Deno.stdout.write(new TextEncoder().encode("attracts\n"));
await new Response(Deno.stdin.readable).bytes();
for (const listener of listeners) listener.close();
