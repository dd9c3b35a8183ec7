/** A platform for a test to kill. It prints the process ID of a server in an endless loop. */
import { computeServer, writeModules } from "./compute_server.ts";
import { until } from "../../src/lib/_test_until.ts";

const directory = await writeModules({
  "entry.mjs": "export default { fetch() { console.log('looping'); for (;;); } };",
});
const { server, get, logs } = computeServer({ directory });
await server.start();
void get("/");
await until(() => logs.some(({ message }) => message === "looping"));
const children = Deno.readTextFileSync(`/proc/${Deno.pid}/task/${Deno.pid}/children`);
// deno-lint-ignore no-console -- the test reads it
console.log(children.trim());
