import assert from "node:assert/strict";
import { dialectOf, forgeTarget } from "./forge_target.ts";
import { bitbucketCloud, bitbucketServer } from "./bitbucket.ts";
import { gitea } from "./github.ts";

const https = { type: "https", username: "ada", token: "t" } as const;

Deno.test("forgeTarget() finds a forge's API by the git URL or a setting", () => {
  const rows:
    readonly (readonly [string, Parameters<typeof forgeTarget>[1], string | undefined])[] = [
      ["https://github.com/ada/shop.git", https, "https://api.github.com ada/shop"],
      ["https://github.com/ada/shop", https, "https://api.github.com ada/shop"],
      [
        "https://github.example.com/ada/shop.git",
        https,
        "https://github.example.com/api/v3 ada/shop",
      ],
      ["https://gitlab.com/a/b/shop.git", https, "https://gitlab.com/api/v4 a/b/shop"],
      ["https://codeberg.org/ada/shop.git", https, "https://codeberg.org/api/v1 ada/shop"],
      ["https://bitbucket.org/ada/shop.git", https, "https://api.bitbucket.org/2.0 ada/shop"],
      ["https://git.example.com/ada/shop.git", https, undefined],
      [
        "https://git.example.com:8443/ada/shop.git",
        { ...https, forge: "gitea" },
        "https://git.example.com:8443/api/v1 ada/shop",
      ],
      [
        "https://example.com/gitlab/ada/shop.git",
        { ...https, forge: "gitlab", apiUrl: "https://example.com/gitlab/api/v4/" },
        "https://example.com/gitlab/api/v4 ada/shop",
      ],
      [
        "https://bitbucket.example.com/scm/web/shop.git",
        https,
        "https://bitbucket.example.com/rest scm/web/shop",
      ],
      ["https://github.com/ada/%2e%2e.git", https, undefined],
      ["https://github.com/shop.git", https, undefined],
      [
        "https://github.com.evil.example/ada/shop.git",
        https,
        "https://github.com.evil.example/api/v3 ada/shop",
      ],
      ["git@github.com:ada/shop.git", https, undefined],
      ["/srv/git/ada/shop.git", https, undefined],
      ["https://github.com/ada/shop.git", undefined, undefined],
      [
        "https://github.com/ada/shop.git",
        { type: "ssh", privateKey: "k", knownHosts: null },
        undefined,
      ],
    ];
  for (const [url, credentials, wanted] of rows) {
    const target = forgeTarget(url, credentials);
    assert.equal(target && `${target.api} ${target.path.join("/")}`, wanted, url);
  }
  assert.equal(forgeTarget(null, https), undefined);
});

Deno.test("dialectOf() distinguishes Bitbucket Cloud from Data Center", () => {
  const target = { path: ["web", "shop"], username: "ada", token: "t" } as const;
  const rows = [
    ["bitbucket", "https://api.bitbucket.org/2.0", bitbucketCloud],
    ["bitbucket", "https://bitbucket.example.com/rest", bitbucketServer],
    ["gitea", "https://codeberg.org/api/v1", gitea],
  ] as const;
  for (const [forge, api, dialect] of rows) {
    assert.equal(dialectOf({ ...target, forge, api }), dialect);
  }
});
