import assert from "node:assert/strict";
import { judgeSource } from "./judge_source.ts";
import { SiteImages } from "./site_images.ts";

const images = new SiteImages({
  hosts: ["https://cdn.example.com/photos/**"],
  paths: ["/images/**", "/a.png", "/_svc/**"],
});

Deno.test("judgeSource() accepts only the site's own paths and declared sites", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["/images/a.png", "own https://site.test/images/a.png"],
    ["/images/a b.png?v=1#top", "own https://site.test/images/a%20b.png?v=1"],
    ["https://site.test/images/a.png", "own https://site.test/images/a.png"],
    ["/images/../a.png", "own https://site.test/a.png"],
    ["/other/a.png", "refused"],
    ["/images/../other/a.png", "refused"],
    ["/images/%2e%2e/other/a.png", "refused"],
    ["/_svc/image?url=/a.png", "refused"],
    ["/_svc/./image?url=/a.png", "refused"],
    ["/%5Fsvc/image?url=/a.png", "refused"],
    ["//cdn.example.com/photos/a.png", "refused"],
    ["/\\cdn.example.com/photos/a.png", "refused"],
    ["a.png", "refused"],
    ["https://cdn.example.com/photos/a.png?v=1", "remote https://cdn.example.com/photos/a.png?v=1"],
    ["https://cdn.example.com/other/a.png", "refused"],
    ["https://cdn.example.com/photos/../other/a.png", "refused"],
    ["http://cdn.example.com/photos/a.png", "refused"],
    ["https://user@cdn.example.com/photos/a.png", "refused"],
    ["https://:x@cdn.example.com/photos/a.png", "refused"],
    ["https://cdn.example.com:8443/photos/a.png", "refused"],
    ["https://cdn.example.com.evil.test/photos/a.png", "refused"],
    ["http://site.test/images/a.png", "refused"],
    ["file:///etc/passwd", "refused"],
    ["data:image/png;base64,AAAA", "refused"],
    ["javascript:alert(1)", "refused"],
    ["blob:https://site.test/1", "refused"],
  ];
  for (const [source, expected] of rows) {
    const judged = judgeSource(images, source, "https://site.test");
    const found = judged.type === "refused" ? "refused" : `${judged.type} ${judged.url.href}`;
    assert.equal(found, expected, source);
  }
});
