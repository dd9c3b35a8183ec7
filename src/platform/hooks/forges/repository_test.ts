import assert from "node:assert/strict";
import { isSameRepository, repositoryOf } from "./repository.ts";

/** Repositories as each forge describes them. */
const GITHUB = {
  repository: {
    full_name: "Ada/Shop",
    clone_url: "https://github.com/Ada/Shop.git",
    ssh_url: "git@github.com:Ada/Shop.git",
    html_url: "https://github.com/Ada/Shop",
  },
};
const GITEA = {
  repository: {
    full_name: "ada/shop",
    clone_url: "http://git.internal:3000/ada/shop.git",
    ssh_url: "ssh://git@git.internal:2222/ada/shop.git",
  },
};
const GITLAB = {
  repository: { name: "shop", git_http_url: "https://gitlab.com/team/web/shop.git" },
  project: {
    path_with_namespace: "team/web/shop",
    git_http_url: "https://gitlab.com/team/web/shop.git",
    git_ssh_url: "git@gitlab.com:team/web/shop.git",
  },
};
const BITBUCKET = {
  repository: {
    full_name: "ada/shop",
    links: { html: { href: "https://bitbucket.org/ada/shop" } },
  },
};
const DATA_CENTER = {
  pullRequest: { toRef: { repository: { id: 1, slug: "shop", project: { key: "WEB" } } } },
};
const PULL = { pull_request: { base: { repo: { full_name: "ada/shop" } } } };

const ROWS: readonly (readonly [gitUrl: string | null, event: unknown, same: boolean])[] = [
  ["https://github.com/ada/shop", GITHUB, true],
  ["https://github.com/ada/shop.git/", GITHUB, true],
  ["git@github.com:ada/shop.git", GITHUB, true],
  ["ssh://git@ssh.github.com:443/ada/shop.git", GITHUB, true],
  ["https://github.com/ada/shop-2", GITHUB, false],
  ["https://github.com/ada/other", GITHUB, false],
  ["https://github.com/lada/shop", GITHUB, false],
  ["https://gitlab.com/ada/shop", GITHUB, false],
  ["https://git.example/ada/shop", GITHUB, false],
  ["https://git.example/ada/shop.git", GITEA, true],
  ["https://example.com/gitea/ada/shop.git", GITEA, true],
  ["https://github.com/ada/shop", GITEA, false],
  ["https://git.example/eve/shop.git", GITEA, false],
  ["https://gitlab.com/team/web/shop.git", GITLAB, true],
  ["https://gitlab.com/team/shop.git", GITLAB, false],
  ["git@bitbucket.org:ada/shop.git", BITBUCKET, true],
  ["https://git.example/scm/web/shop.git", DATA_CENTER, true],
  ["ssh://git@git.example:7999/web/shop.git", DATA_CENTER, true],
  ["https://git.example/scm/app/shop.git", DATA_CENTER, false],
  ["https://git.example/ada/shop", PULL, true],
  ["https://git.example/ada/blog", PULL, false],
  ["/srv/git/shop.git", GITEA, true],
  ["/srv/git/shop/.git", GITEA, true],
  ["/srv/git/blog", GITEA, false],
  ["https://git.example/%zz/shop", GITEA, false],
  [null, GITEA, false],
];

for (const [gitUrl, event, same] of ROWS) {
  const { name, hosts } = repositoryOf(event)!;
  const shown = [name, ...hosts].join(" of ");
  Deno.test(`isSameRepository() returns ${same} for ${gitUrl} and ${shown}`, () => {
    assert.equal(isSameRepository(gitUrl, { name, hosts }), same);
  });
}

Deno.test("repositoryOf() returns nothing for an event without a repository", () => {
  for (const event of [null, 1, [], {}, { repository: 1 }, { repository: { full_name: 1 } }]) {
    assert.equal(repositoryOf(event), undefined);
  }
});
