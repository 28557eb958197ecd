/** A SearXNG-like instance on loopback: finds the same for everyone, in JSON only, and refuses like the real one. */
import type { TestContext } from "node:test";
import { startWebServer, type WebServer } from "./web-server.ts";

export interface Found {
  readonly title: string;
  readonly url: string;
  readonly content: string;
}

export const startSearxng = (t: TestContext, results: readonly Found[]): Promise<WebServer> =>
  startWebServer(t, ({ path }, response) => {
    const { pathname, searchParams } = new URL(path, "http://127.0.0.1");
    const query = searchParams.get("q");
    if (pathname !== "/search" || !query) response.writeHead(404).end();
    else if (searchParams.get("format") !== "json") response.writeHead(403).end();
    else
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ query, number_of_results: results.length, results, answers: [] }));
  });
