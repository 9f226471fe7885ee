import fastify, { type FastifyInstance } from 'fastify';

const page = '/docs/';
const script = '/docs/js/scalar.js';

interface ReferenceFile {
  readonly contentType: string;
  readonly text: string;
}

/**
 * `GET /docs/`, the page of the document at `/openapi.json`, and its script. The library that has both takes 0.4 s of CPU to load and
 * 40 MB of memory, so it is loaded with the first request for one of them.
 */
export function registerReferencePage(scope: FastifyInstance, load = referenceFiles): void {
  let files: ReturnType<typeof load> | undefined;
  for (const path of [page, script])
    scope.get(path, { schema: { hide: true } }, async ({ url }, reply) => {
      // A path matches with and without its last slash, and the page names its script from the one with it.
      if (path === page && !url.startsWith(page)) return reply.redirect(page, 301);
      files ??= load().catch((error: unknown) => {
        // The next request loads again: a process may be out of files for a moment.
        files = undefined;
        throw error;
      });
      const { contentType, text } = (await files).get(path)!;
      return reply.header('content-type', contentType).send(text);
    });
}

/** The library is a plugin: what it answers is taken from a server of its own, which listens nowhere. */
export async function referenceFiles(): Promise<ReadonlyMap<string, ReferenceFile>> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(scalar, {
    routePrefix: page,
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Jackfield API',
      withDefaultFonts: false,
      telemetry: false,
      proxyUrl: '',
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  const files = new Map<string, ReferenceFile>();
  for (const path of [page, script]) {
    const { headers, payload } = await app.inject(path);
    files.set(path, { contentType: String(headers['content-type']), text: payload });
  }
  await app.close();
  return files;
}
