import assert from "node:assert/strict";
import { TOOLCHAINS } from "../../toolchains/toolchains.ts";
import { judgeToolchains } from "./toolchains.ts";

const found = (id: string, version?: string) => ({
  toolchain: TOOLCHAINS.find((each) => each.id === id)!,
  program: `/usr/bin/${id}`,
  ...version === undefined ? {} : { version },
});

function sentences(...toolchains: readonly ReturnType<typeof found>[]): Record<string, string> {
  return Object.fromEntries(
    judgeToolchains(toolchains).map(({ name, state, found }) => {
      assert.equal(state, "ok");
      return [name, found];
    }),
  );
}

Deno.test("judgeToolchains() reports each language's toolchain, or how to install it", () => {
  const said = sentences(
    found("go", "1.26.8"),
    found("python", "3.11.7"),
    found("uv"),
    found("java", "17.0.15"),
    found("maven", "3.8.7"),
  );
  assert.equal(said.go, "Go 1.26.8");
  assert.equal(said.python, "Python 3.11.7, uv");
  assert.match(said.java!, /^Java 17\.0\.15, Maven 3\.8\.7\. Install Gradle from /);
  assert.match(said.rust!, /^Missing, but needed only for projects in Rust\. Install Rust from /);
});

Deno.test("judgeToolchains() names everything that a language lacks", () => {
  const { ruby } = sentences();
  assert.match(
    ruby!,
    /^Missing, but needed only for projects in Ruby\. Install Ruby with .*\. Install Bundler with /,
  );
});

Deno.test("judgeToolchains() assigns each toolchain to one language", () => {
  const said = Object.values(sentences()).join("\n");
  for (const { install } of TOOLCHAINS) assert.equal(said.split(install).length, 2, install);
});
