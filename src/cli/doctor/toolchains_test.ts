import assert from "node:assert/strict";
import { TOOLCHAINS } from "../../runtime/mod.ts";
import { judgeToolchains } from "./toolchains.ts";

Deno.test("judgeToolchains() lists toolchains with their versions, and those that are missing", () => {
  const [go, rust] = TOOLCHAINS;
  const { state, found } = judgeToolchains([
    { toolchain: go!, program: "/usr/bin/go", version: "1.26.8" },
    { toolchain: rust!, program: "/usr/bin/cargo" },
  ]);
  assert.equal(state, "ok");
  assert.match(found, /^Go 1\.26\.8, Rust; missing: Python, uv, Ruby, .*Elixir/);
});

Deno.test("judgeToolchains() says where there is none", () => {
  assert.match(judgeToolchains([]).found, /^none; missing: Go, /);
});
