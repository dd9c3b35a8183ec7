/**
 * Pushes trees, commits and tags that git never creates. Each push must be rejected with the name
 * of the problem and leave nothing behind.
 */
import assert from "node:assert/strict";
import {
  bytesOf,
  commit,
  type GitObject,
  joined,
  object,
  pack,
  tree,
  type TreeEntry,
} from "../../helpers/hostile_packs.ts";
import { type Attack, command, pushOf, underAttack } from "../../helpers/hostile_push.ts";

const BLOB = object("blob", "trick\n");
const EMPTY = tree([]);

/** Builds a push of a commit whose tree has these entries. */
function site(entries: readonly TreeEntry[], blobs: readonly GitObject[] = [BLOB]) {
  const root = tree(entries);
  return pushOf([...blobs, EMPTY, root, commit(root.sha)]);
}

const refused = (name: string, body: Uint8Array, says: RegExp): Attack => ({
  name,
  body,
  says,
  status: 200,
});

/** Names that would make a checkout write to its own repository on some systems. */
const DOT_GIT: readonly (string | Uint8Array)[] = [
  ".git",
  ".GIT",
  ".Git",
  ".giT",
  ".git ",
  ".git.",
  ".git. .",
  ".git...",
  ".git  . ",
  "git~1",
  "GIT~1",
  "Git~1 ",
  "git~1.",
  ".git::$INDEX_ALLOCATION",
  ".git:stream",
  ".GIT::$DATA",
  "git~1::$INDEX_ALLOCATION",
  ".g\u200cit",
  ".gi\u200dt",
  "\u200e.git",
  ".git\u200f",
  ".\u202agit",
  ".G\u202eIT",
  ".g\u206ait",
  ".\ufeffgit",
  "a\\.git",
  "a\\.GIT",
  "..\\.git",
  ".git\\hooks",
  "a\\b\\git~1",
];

/** Names that point outside the tree. */
const ELSEWHERE: readonly (readonly [name: string, says: RegExp])[] = [
  ["", /emptyName|malformed|too-short|empty filename/],
  [".", /hasDot\b/],
  ["..", /hasDotdot/],
  ["../etc", /fullPathname/],
  ["/etc/passwd", /fullPathname/],
  ["a/b", /fullPathname/],
  ["a/../../b", /fullPathname/],
  ["./a", /fullPathname/],
  ["hooks/post-checkout", /fullPathname/],
];

/** Symbolic links instead of files that git itself reads. */
const MODULES = [".gitmodules", ".GITMODULES", "gitmod~1", ".gitmodules ", ".gitm\u200codules"];

/** Settings for submodules that run programs or point outside the repository. */
const SUBMODULES: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
  "an option as the URL": ['[submodule "a"]\n\tpath = a\n\turl = -u./payload\n', /gitmodulesUrl/],
  "an option after ./": ['[submodule "a"]\n\tpath = a\n\turl = ./-x/../a\\n\n', /gitmodules/],
  "a remote helper with a line feed": [
    '[submodule "a"]\n\tpath = a\n\turl = "https://example.com/a\\nhost=evil"\n',
    /gitmodulesUrl/,
  ],
  "an encoded line feed": [
    '[submodule "a"]\n\tpath = a\n\turl = https://example.com/%0ahost=evil/a.git\n',
    /gitmodulesUrl/,
  ],
  "no host": ['[submodule "a"]\n\tpath = a\n\turl = https:///example.com/a\n', /gitmodulesUrl/],
  "a relative URL to another host": [
    '[submodule "a"]\n\tpath = a\n\turl = ../../../../:https://evil/%0a\n',
    /gitmodulesUrl/,
  ],
  "an option as the path": ['[submodule "a"]\n\tpath = -x\n\turl = ./a\n', /gitmodulesPath/],
  "a command as the update": [
    '[submodule "a"]\n\tpath = a\n\turl = ./a\n\tupdate = !touch /tmp/x\n',
    /gitmodulesUpdate/,
  ],
  "a name that starts with ../": [
    '[submodule "../x"]\n\tpath = a\n\turl = ./a\n',
    /gitmodulesName/,
  ],
  "a name with ../ in the middle": [
    '[submodule "a/../../x"]\n\tpath = a\n\turl = ./a\n',
    /gitmodulesName/,
  ],
  "a name with backslashes": [
    '[submodule "a\\\\..\\\\x"]\n\tpath = a\n\turl = ./a\n',
    /gitmodulesName/,
  ],
};

const PERSON = "Eve <eve@example.com> 1700000000 +0000";
const TREE = `tree ${EMPTY.sha}\n`;
const AUTHOR = `author ${PERSON}\n`;
const COMMITTER = `committer ${PERSON}\n`;

const COMMITS: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
  "nothing": ["", /fsck|missingTree|unterminatedHeader|invalid|parse/],
  "no tree": [`${AUTHOR}${COMMITTER}\nx\n`, /missingTree|parse|invalid/],
  "a tree that is not a SHA": [
    `tree ${"z".repeat(40)}\n${AUTHOR}${COMMITTER}\nx\n`,
    /badTreeSha1|bad tree pointer|bogus commit/,
  ],
  "a short tree": [
    `tree abc\n${AUTHOR}${COMMITTER}\nx\n`,
    /badTreeSha1|bad tree pointer|bogus commit/,
  ],
  "a parent that is not a SHA": [
    `${TREE}parent xyz\n${AUTHOR}${COMMITTER}\nx\n`,
    /badParentSha1|bad parents/,
  ],
  "a parent that is missing": [
    `${TREE}parent ${"b".repeat(40)}\n${AUTHOR}${COMMITTER}\nx\n`,
    /missing necessary objects|not found|Could not read|unpacker error/,
  ],
  "no author": [`${TREE}${COMMITTER}\nx\n`, /missingAuthor/],
  "two authors": [`${TREE}${AUTHOR}${AUTHOR}${COMMITTER}\nx\n`, /multipleAuthors/],
  "no committer": [`${TREE}${AUTHOR}\nx\n`, /missingCommitter/],
  "no email address": [`${TREE}author Eve 1 +0000\n${COMMITTER}\nx\n`, /missingEmail/],
  "an unclosed email address": [`${TREE}author Eve <eve 1 +0000\n${COMMITTER}\nx\n`, /badEmail/],
  "a name with an angle bracket": [`${TREE}author E> <e@x> 1 +0000\n${COMMITTER}\nx\n`, /badName/],
  "a date that overflows": [
    `${TREE}author Eve <e@x> 99999999999999999999999 +0000\n${COMMITTER}\nx\n`,
    /badDateOverflow/,
  ],
  "a date with leading zeros": [
    `${TREE}author Eve <e@x> 01 +0000\n${COMMITTER}\nx\n`,
    /zeroPaddedDate/,
  ],
  "a NUL in its header": [`${TREE}author E\0 <e@x> 1 +0000\n${COMMITTER}\nx\n`, /nulInHeader/],
  "a NUL in its message": [`${TREE}${AUTHOR}${COMMITTER}\nx\0y\n`, /nulInCommit/],
  "an unterminated header": [`${TREE}${AUTHOR}${COMMITTER}`.trimEnd(), /unterminatedHeader/],
};

const TAGS: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
  "nothing": ["", /fsck|missingObject|invalid|parse|unterminatedHeader/],
  "no type": [`object ${BLOB.sha}\ntag x\ntagger ${PERSON}\n\nx\n`, /missingTypeEntry|invalid tag/],
  "an unknown type": [
    `object ${BLOB.sha}\ntype virus\ntag x\ntagger ${PERSON}\n\nx\n`,
    /badType|parse|invalid/,
  ],
  "no name": [
    `object ${BLOB.sha}\ntype blob\ntagger ${PERSON}\n\nx\n`,
    /missingTagEntry|invalid tag/,
  ],
  "an object that is missing": [
    `object ${"c".repeat(40)}\ntype commit\ntag x\ntagger ${PERSON}\n\nx\n`,
    /missing necessary objects|Could not read|not found|unpacker error/,
  ],
};

const file = (name: string | Uint8Array): TreeEntry => ({ mode: "100644", name, sha: BLOB.sha });
const folder = (name: string | Uint8Array): TreeEntry => ({ mode: "40000", name, sha: EMPTY.sha });

function treeAttacks(): Attack[] {
  const shown = (name: string | Uint8Array) =>
    JSON.stringify(new TextDecoder().decode(bytesOf(name)));
  // Alternates between files and folders to save time, because git checks only the name.
  const gits = [".git", ...DOT_GIT].map((name, index) =>
    index % 2 === 0
      ? refused(`a file ${shown(name)}`, site([file(name)]), /hasDotgit/)
      : refused(`a folder ${shown(name)}`, site([folder(name)]), /hasDotgit/)
  );
  const elsewhere = ELSEWHERE.map(([name, says]) =>
    refused(`a file ${shown(name)}`, site([file(name)]), says)
  );
  const link = object("blob", "../../etc/passwd");
  const modules = MODULES.map((name) =>
    refused(
      `a link ${shown(name)}`,
      site([{ mode: "120000", name, sha: link.sha }], [link]),
      /gitmodulesSymlink/,
    )
  );
  const submodules = Object.entries(SUBMODULES).map(([name, [text, says]]) => {
    const settings = object("blob", text);
    return refused(
      `a submodule with ${name}`,
      site([{ mode: "100644", name: ".gitmodules", sha: settings.sha }], [settings]),
      says,
    );
  });
  return [
    ...gits,
    ...elsewhere,
    ...modules,
    ...submodules,
    refused("a folder .gitmodules", site([folder(".gitmodules")]), /gitmodulesBlob/),
    refused("a file twice", site([file("a"), file("a")]), /duplicateEntries/),
    refused(
      "a file and a folder with the same name",
      site([file("a"), folder("a")]),
      /duplicateEntries/,
    ),
    refused("files out of order", site([file("b"), file("a")]), /treeNotSorted/),
    refused(
      "a file that is missing",
      site([{ ...file("a"), sha: "d".repeat(40) }], []),
      /missing necessary objects|not found|unpacker error/,
    ),
    refused("a folder that is a file", site([{ ...folder("a"), sha: BLOB.sha }]), /unpacker error/),
    refused(
      "a tree that is cut off",
      (() => {
        const whole = tree([file("a"), file("b")]);
        const cut = object("tree", whole.content.slice(0, -7));
        return pushOf([BLOB, cut, commit(cut.sha)]);
      })(),
      /badTree|too-short tree|unpacker error/,
    ),
    refused(
      "a tree of meaningless bytes",
      (() => {
        const noise = object(
          "tree",
          joined("100644 a", Uint8Array.from({ length: 99 }, (_, at) => at + 1)),
        );
        return pushOf([noise, commit(noise.sha)]);
      })(),
      /badTree|too-short tree|malformed|unpacker error/,
    ),
  ];
}

function headAttacks(): Attack[] {
  const commits = Object.entries(COMMITS).map(([name, [text, says]]) =>
    refused(`a commit with ${name}`, pushOf([BLOB, EMPTY, object("commit", text)]), says)
  );
  const tags = Object.entries(TAGS).map(([name, [text, says]]) =>
    refused(`a tag with ${name}`, pushOf([BLOB, object("tag", text)], "refs/tags/v1"), says)
  );
  const root = tree([file("a")]);
  const branchTo = (name: string, head: GitObject) =>
    refused(
      `a branch that points to ${name}`,
      joined(command("refs/heads/main", { to: head.sha }), pack([BLOB, root, head])),
      /ng refs\/heads\/main|unpack (?!ok)/,
    );
  return [...commits, ...tags, branchTo("a file", BLOB), branchTo("a folder", root)];
}

Deno.test("hostile trees, commits and tags are refused by name and leave nothing on disk", () =>
  underAttack(async ({ attack }) => {
    const attacks = [...treeAttacks(), ...headAttacks()];
    assert.ok(attacks.length >= 88, String(attacks.length));
    await attack(attacks);
  }));
