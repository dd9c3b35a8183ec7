import assert from "node:assert/strict";
import { NOT_OURS, parseQuery } from "./parse_query.ts";
import { SiteImages } from "./site_images.ts";

const images = new SiteImages({
  sizes: [320, 640, 1280],
  qualities: [50, 75],
  endpoints: [
    { path: "/_next/image", style: "next" },
    { path: "/_image", style: "astro" },
    { path: "/_ipx", style: "ipx" },
  ],
});

const parse = (url: string) => {
  const [path = "", query = ""] = url.split("?");
  return parseQuery(images, images.styleOf(path)!, { path, query });
};

Deno.test("parseQuery() reads the formats of all endpoints", () => {
  const rows: readonly (readonly [string, Record<string, unknown>])[] = [
    ["/_svc/image?url=/a.png&w=640", { source: "/a.png", width: 640, quality: 75 }],
    ["/_svc/image?url=/a.png&w=640&q=10", { source: "/a.png", width: 640, quality: 50 }],
    ["/_svc/image?url=/a.png&w=320&f=jpg", {
      source: "/a.png",
      width: 320,
      quality: 75,
      format: "jpeg",
    }],
    ["/_next/image?url=%2Fa.png%3Fv%3D1&w=640&q=75&dpl=x", {
      source: "/a.png?v=1",
      width: 640,
      quality: 75,
    }],
    ["/_image?href=%2Fa.png&w=300&h=200&f=webp", {
      source: "/a.png",
      width: 320,
      quality: 75,
      format: "webp",
    }],
    ["/_image?href=%2Fa.png&w=300&h=150&fit=cover&q=high", {
      source: "/a.png",
      width: 320,
      height: 160,
      fit: "cover",
      quality: 75,
    }],
    ["/_image?href=%2Fa.png&h=500", { source: "/a.png", width: 8192, height: 640, quality: 75 }],
    ["/_image?href=%2Fa.svg&f=svg", { source: "/a.svg", width: 8192, quality: 75, keepsSvg: true }],
    ["/_ipx/w_300&f_avif&q_60/img/a.png", {
      source: "/img/a.png",
      width: 320,
      quality: 50,
      format: "avif",
    }],
    ["/_ipx/s_640x320/a.png", {
      source: "/a.png",
      width: 640,
      height: 320,
      fit: "cover",
      quality: 75,
    }],
    ["/_ipx/_/a.png", { source: "/a.png", width: 8192, quality: 75 }],
    ["/_ipx/w_9000/a.png", { problem: "Width and height must be whole numbers from 1 to 8192." }],
    ["/_ipx/w_100/https:/cdn.example.com/a.png", {
      source: "https://cdn.example.com/a.png",
      width: 320,
      quality: 75,
    }],
  ];
  for (const [url, expected] of rows) {
    const parsed = parse(url);
    assert.notEqual(parsed, NOT_OURS, url);
    const defined = Object.fromEntries(
      Object.entries(parsed as object).filter(([, value]) => value !== undefined),
    );
    assert.deepEqual(defined, expected, url);
  }
});

Deno.test("parseQuery() leaves unsupported features to the framework", () => {
  const rows = [
    "/_image?href=%2Fa.png&w=300&background=red",
    "/_image?href=%2Fa.png&f=tiff",
    "/_image?href=%2Fa.png&w=300&h=100&fit=outside",
    "/_ipx/blur_5/a.png",
    "/_ipx/w_300&rotate_90/a.png",
    "/_ipx/w_300",
    "/_ipx/w_300/a.png?x=1",
  ];
  for (const url of rows) assert.equal(parse(url), NOT_OURS, url);
});

Deno.test("parseQuery() refuses missing, repeated and undeclared parameters, without echoing them", () => {
  const rows = [
    "/_svc/image?w=640",
    "/_svc/image?url=&w=640",
    "/_svc/image?url=/a.png",
    "/_svc/image?url=/a.png&w=641",
    "/_svc/image?url=/a.png&w=+640",
    "/_svc/image?url=/a.png&w=640.0",
    "/_svc/image?url=/a.png&w=640&w=640",
    "/_svc/image?url=/a.png&w=640&<b>=1",
    "/_svc/image?url=/a.png&w=640&q=0",
    "/_svc/image?url=/a.png&w=640&q=<b>",
    "/_svc/image?url=/a.png&w=640&f=<b>",
    `/_svc/image?url=/${"a".repeat(5000)}&w=640`,
    "/_next/image?url=/a.png&w=640",
    "/_image?w=300",
    "/_image?href=%2Fa.png&w=0",
    "/_ipx/q_101/a.png",
  ];
  for (const url of rows) {
    const parsed = parse(url);
    assert.ok(parsed !== NOT_OURS && "problem" in parsed, url);
    assert.ok(!parsed.problem.includes("<"), url);
  }
});

Deno.test("SiteImages.styleOf() recognizes only its endpoints", () => {
  const rows = [
    ["/_svc/image", "svc"],
    ["/_svc/image/", undefined],
    ["/_next/image", "next"],
    ["/_ipx/w_1/a.png", "ipx"],
    ["/_ipx", undefined],
    ["/_ipxx/a", undefined],
    ["/", undefined],
  ] as const;
  for (const [path, style] of rows) assert.equal(images.styleOf(path), style, path);
});
