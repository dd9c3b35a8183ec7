import assert from "node:assert/strict";
import { ServerAddress, type TakenPort } from "./address.ts";

const OWN = { port: 8080, host: "127.0.0.1" } as const;

Deno.test("advertised() assigns each server with port 0 a different free port", () => {
  const heard: TakenPort[] = [];
  const address = new ServerAddress("/s", {
    ...OWN,
    others: true,
    greets: true,
    listening: (how) => heard.push(how),
  });
  const ports = [1, 2, 3].map(() => address.advertised(0).port);
  assert.equal(new Set(ports).size, 3);
  for (const port of ports) {
    assert.ok(port >= 49_152 && port < 65_536, String(port));
    assert.equal(address.take(port), `/s-${port}`);
    assert.equal(address.greetsAt(`/s-${port}`), false);
  }
  address.listening(false, `/s-${ports[0]}`);
  address.listening(false, "/s-9464");
  address.listening(true, address.take(8080));
  assert.deepEqual(heard, [
    { greets: false, port: ports[0], isAny: true },
    { greets: false, port: 9464, isAny: false },
    { greets: true },
  ]);
});

Deno.test("advertised() skips ports that are in use", () => {
  const address = new ServerAddress("/s", { ...OWN, others: true, listening() {} });
  const first = address.advertised(0).port;
  address.take(first);
  const given = Array.from({ length: 1023 }, () => address.advertised(0).port);
  assert.equal(new Set(given).size, 1023);
  assert.equal(address.advertised(0).port, first + 1);
});

Deno.test("a second server gets Node's error, or the error of an engine with one port", () => {
  const refusal = (options: { readonly others?: boolean; readonly own?: boolean }) => {
    const address = new ServerAddress("/s", { ...OWN, ...options, listening() {} });
    address.take(8080);
    assert.equal(address.take(8080), undefined);
    return address.refused(address.advertised(8080)).message.replace(/:(?! )/g, " ");
  };
  assert.match(refusal({ others: true }), /^listen EADDRINUSE/);
  assert.match(refusal({ others: true, own: false }), /^listen EACCES.*main thread/);
  assert.match(refusal({}), /^listen EACCES.*one port only/);
});
