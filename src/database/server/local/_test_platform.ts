/**
 * @module Opens a local server in the given folder, as a platform does, and prints a line when it
 * is ready. Tests kill it.
 */
import { LOCAL, openServerEngine } from "../open_server.ts";

const engine = await openServerEngine({
  postgres: LOCAL,
  dataFolder: Deno.args[0]!,
  memoryBytes: 1024 ** 3,
  onTrouble: () => {},
});
const { ready } = await engine.status();
await Deno.stdout.write(new TextEncoder().encode(`${ready ? "ready" : "failed"}\n`));
