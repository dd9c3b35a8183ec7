import assert from "node:assert/strict";
import { methodCaseProblem } from "./method_case.ts";

for (const method of ["post", "Post", "pOST", "get", "deleTe", "propfind", "query"]) {
  Deno.test(`methodCaseProblem() refuses ${method}`, () => {
    assert.equal(methodCaseProblem(method), `Write the method as ${method.toUpperCase()}`);
  });
}

for (const method of ["POST", "GET", "PROPFIND", "M-SEARCH", "FOO", "foo", "x-post"]) {
  Deno.test(`methodCaseProblem() accepts ${method}`, () => {
    assert.equal(methodCaseProblem(method), undefined);
  });
}
