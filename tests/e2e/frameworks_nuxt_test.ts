/** A Nuxt project, deployed with nothing configured. */
import { testFramework } from "../helpers/frameworks.ts";

testFramework("nuxt", {
  title: "Nuxt",
  layers: { public: "STATIC", server: "COMPUTE" },
  assets: {
    page: "/",
    pattern: /\/_nuxt\/[\w.-]+\.js/,
    missing: "/_nuxt/Abcd1234.js",
  },
});
