import assert from "node:assert/strict";
import * as edge from "./mod.ts";

Deno.test("the edge's public names", () => {
  assert.deepEqual(Object.keys(edge).sort(), [
    "BlobCorruptError",
    "DEFAULT_CACHE_BYTES",
    "DEFAULT_ISR_MEMORY_BYTES",
    "DomainHosts",
    "GeoFileError",
    "IsrCache",
    "IsrMemory",
    "MAX_CACHED_BYTES",
    "SiteDirectory",
    "TrustedProxies",
    "askServer",
    "compileSite",
    "compileSiteInTurns",
    "contentOf",
    "createEdge",
    "createHttpCache",
    "deviceOf",
    "loadGeo",
    "openAsnDatabase",
    "openCountryDatabase",
    "rateLimitHeaders",
    "resolveHost",
    "ruleCounts",
    "withRules",
    "withRulesInTurns",
    "withoutIndexing",
  ]);
});
