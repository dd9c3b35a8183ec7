/** An Astro project with pages on request, deployed with nothing configured. */
import { testFramework } from "../helpers/frameworks.ts";
import { checkKept } from "../helpers/kept_answers.ts";

testFramework("astro", {
  title: "Astro",
  layers: { client: "STATIC", server: "COMPUTE" },
  assets: {
    page: "/about",
    pattern: /\/_astro\/[\w.-]+\.css/,
    missing: "/_astro/page.Abcd1234.css",
  },
  also: (project) => checkKept(project, "/shared"),
});
