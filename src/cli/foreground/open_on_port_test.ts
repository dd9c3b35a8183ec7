import assert from "node:assert/strict";
import { CliError } from "../errors/cli_error.ts";
import { openOnPort } from "./open_on_port.ts";

function portOf(taken: ReadonlySet<number>) {
  return (port: number): Promise<number> =>
    taken.has(port) ? Promise.reject(new Deno.errors.AddrInUse("taken")) : Promise.resolve(port);
}

function context() {
  const said: string[] = [];
  const log = (_phase: string, level: string, message: string) =>
    void said.push(`${level}: ${message}`);
  return { said, ctx: { ui: { log } } as unknown as Parameters<typeof openOnPort>[0] };
}

Deno.test("openOnPort() uses the next free port, and reports it", async () => {
  const { ctx, said } = context();
  const opened = await openOnPort(
    ctx,
    { port: 4321, mayMove: true },
    portOf(new Set([4321, 4322])),
  );
  assert.equal(opened, 4323);
  assert.deepEqual(said, ["warn: Port 4321 is in use. Using 4323"]);
});

Deno.test("openOnPort() refuses a taken port if no other is allowed", async () => {
  const { ctx, said } = context();
  await assert.rejects(
    openOnPort(ctx, { port: 4321, mayMove: false }, portOf(new Set([4321]))),
    (error: unknown) => error instanceof CliError && error.code === "port_in_use",
  );
  assert.deepEqual(said, []);
});
