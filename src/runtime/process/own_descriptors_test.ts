import assert from "node:assert/strict";
import type { Descriptor } from "../../lib/descriptors.ts";
import { findForeignDescriptors } from "./own_descriptors.ts";

const STANDARD: readonly Descriptor[] = [
  { number: 0, target: "/dev/null", inherited: true },
  { number: 1, target: "pipe:[10]", inherited: true },
  { number: 2, target: "pipe:[11]", inherited: true },
];

Deno.test("findForeignDescriptors() allows only descriptors that every process has", () => {
  const rows: readonly (readonly [string, Descriptor, boolean])[] = [
    ["event loop", { number: 3, target: "anon_inode:[eventpoll]", inherited: false }, true],
    [
      "kernel's questions",
      { number: 3, target: "anon_inode:seccomp notify", inherited: false },
      true,
    ],
    ["own socket", { number: 3, target: "socket:[12]", inherited: false }, true],
    ["copy of standard output", { number: 3, target: "pipe:[10]", inherited: false }, true],
    ["copy of standard input", { number: 3, target: "/dev/null", inherited: true }, true],
    ["inherited socket", { number: 3, target: "socket:[13]", inherited: true }, false],
    ["inherited pipe", { number: 251, target: "pipe:[14]", inherited: true }, false],
    ["another pipe", { number: 9, target: "pipe:[14]", inherited: false }, false],
    ["inherited file", { number: 9, target: "/srv/secret", inherited: true }, false],
    ["cache", { number: 9, target: "/root/.cache/deno/v8_code_cache_v2", inherited: false }, false],
    ["folder", { number: 9, target: "/", inherited: false }, false],
    ["memory", { number: 9, target: "/memfd:x (deleted)", inherited: false }, false],
    ["io_uring", { number: 9, target: "anon_inode:[io_uring]", inherited: false }, false],
    ["a process", { number: 9, target: "anon_inode:[pidfd]", inherited: false }, false],
    [
      "inherited event loop",
      { number: 9, target: "anon_inode:[eventpoll]", inherited: true },
      false,
    ],
  ];
  for (const [name, descriptor, meant] of rows) {
    const found = findForeignDescriptors([...STANDARD, descriptor]);
    assert.deepEqual(found, meant ? [] : [descriptor], name);
  }
});

Deno.test("findForeignDescriptors() does not accept a file as standard output", () => {
  const output = { number: 1, target: "/srv/log", inherited: true };
  assert.deepEqual(findForeignDescriptors([output]), [output]);
});
