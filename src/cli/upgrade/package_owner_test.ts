import assert from "node:assert/strict";
import { findOwner, mayBeDebian, ownerByPath } from "./package_owner.ts";

const ROWS: readonly (readonly [path: string, command: string | undefined])[] = [
  ["/opt/homebrew/Cellar/svc/1.2.3/bin/svc", "brew upgrade svc"],
  ["/home/linuxbrew/.linuxbrew/Cellar/svc/1.2.3/bin/svc", "brew upgrade svc"],
  ["C:\\Users\\ada\\scoop\\apps\\svc\\current\\svc.exe", "scoop update svc"],
  ["/usr/lib/node_modules/svc/node_modules/@svc/linux-x64/svc", "npm install --global svc@latest"],
  [
    "C:\\Users\\ada\\AppData\\Roaming\\npm\\node_modules\\svc\\svc.exe",
    "npm install --global svc@latest",
  ],
  ["/home/ada/.local/bin/svc", undefined],
  ["/usr/local/bin/svc", undefined],
  ["/home/ada/Cellar/wine/svc", undefined],
];

for (const [path, command] of ROWS) {
  Deno.test(`ownerByPath() of ${path}`, () => {
    assert.equal(ownerByPath(path)?.command, command);
  });
}

Deno.test("mayBeDebian() is true for paths where Debian packages install programs", () => {
  assert.equal(mayBeDebian("/usr/bin/svc"), true);
  assert.equal(mayBeDebian("/opt/svc/svc"), true);
  assert.equal(mayBeDebian("/usr/local/bin/svc"), false);
  assert.equal(mayBeDebian("/home/ada/bin/svc"), false);
});

const hasDpkg = await Deno.stat("/usr/bin/dpkg-query").then(() => true, () => false);

Deno.test({
  name: "findOwner() asks dpkg which package owns a program",
  ignore: !hasDpkg,
  fn: async () => {
    const owner = await findOwner("/usr/bin/dpkg-query");
    assert.equal(owner?.command, "sudo apt-get install --only-upgrade svc");
    assert.equal(await findOwner("/usr/bin/no-such-program"), undefined);
  },
});
