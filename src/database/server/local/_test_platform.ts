/**
 * A process that opens a local server in the folder given, as a platform does,
 * and prints a line when it takes connections. Tests kill it.
 *
 * @module
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
