import assert from "node:assert/strict";
import { letterPicture, picturePaths, pictureType } from "./site_picture.ts";

const named = (html: string) => picturePaths(html).slice(0, -5);

Deno.test("picturePaths() prefers a page's icons to its social preview image", () => {
  assert.deepEqual(
    named(`<head><meta property='og:image' content='https://shop.example/card%20one.png?v=2'>
      <LINK REL="shortcut icon" href=/img/icon.png><link href="/touch.png" rel="apple-touch-icon">
      <link rel="stylesheet" href="/site.css">`),
    ["touch.png", "img/icon.png", "card one.png"],
  );
});

Deno.test("picturePaths() skips URLs that are not files, then tries the usual paths", () => {
  const hostile = ["data:image/svg+xml,<svg/>", "javascript:alert(1)", "http://[", "/%E0%A4%A"];
  assert.deepEqual(named(hostile.map((each) => `<link rel="icon" href="${each}">`).join("")), []);
  assert.deepEqual(named(`<link rel="icon" href="../../etc/passwd">`), ["etc/passwd"]);
  assert.equal(named(`<link rel=icon href=/a.png>`.repeat(1000)).length, 1);
  assert.deepEqual(named("<link ".repeat(80_000)), [], "ends after a limited number of tags");
  const many = Array.from({ length: 100 }, (_, n) => `<link rel=icon href=/${n}.png>`).join("");
  assert.equal(named(many).length, 16);
  assert.deepEqual(picturePaths("").slice(0, 2), ["favicon.svg", "icon.svg"]);
});

Deno.test("pictureType() recognizes pictures by their first bytes and rejects pages", () => {
  const typeOf = (text: string) =>
    pictureType(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
  assert.equal(typeOf("\x89PNG\r\n\x1a\n"), "image/png");
  assert.equal(typeOf("RIFF....WEBPVP8 "), "image/webp");
  assert.equal(typeOf(`<?xml version="1.0"?><!-- a --> <svg xmlns="x">`), "image/svg+xml");
  assert.equal(typeOf("<!---->".repeat(140) + "<svg>"), "image/svg+xml");
  assert.equal(typeOf("<!doctype html><svg>"), undefined);
  assert.equal(typeOf("<!---->".repeat(146)), undefined, "ends quickly");
  assert.equal(typeOf("<!-- <svg>"), undefined);
  assert.equal(typeOf("<html>"), undefined);
  assert.equal(typeOf(""), undefined);
});

Deno.test("letterPicture() shows only the first letter of a name", () => {
  assert.match(letterPicture("harbour-shop"), />H<\/text>/);
  assert.match(letterPicture("<svg onload=alert(1)>"), />S<\/text>/);
  assert.match(letterPicture("\u6e2f"), />\?<\/text>/);
  assert.ok(!letterPicture(`"><script>`).includes("script"));
});
