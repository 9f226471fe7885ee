import type { FastifyInstance, FastifyReply } from 'fastify';
import { problem } from '../kernel/problem.ts';
import { sendProblem } from './answers.ts';
import { refuseOtherMethods } from './method-not-allowed.ts';

export interface GuideFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The name of the file changes with its content, so that a browser need not ask for it again. */
  readonly isImmutable: boolean;
}

/** The built files of the documentation. */
export interface GuidePages {
  /** A file by its path below `/docs/guide/`, empty for the first page. */
  file(path: string): Promise<GuideFile | undefined>;
}

/** Scripts, styles and fonts come from this server alone. Attributes carry the colours of code, which are no selectors and load nothing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const notFound = '404.html';

/** `GET /docs/guide/`: how to use the platform, beside the reference at `/docs/` and under the same condition. */
export function registerGuide(app: FastifyInstance, pages: GuidePages): void {
  void app.register(async (scope) => {
    scope.get('/docs/guide/', { schema: { hide: true } }, (_request, reply) => sendFile('', reply, pages));
    scope.get('/docs/guide/*', { schema: { hide: true } }, (request, reply) =>
      sendFile((request.params as { '*': string })['*'], reply, pages),
    );
    refuseOtherMethods(scope, '/docs/guide/', ['GET']);
    refuseOtherMethods(scope, '/docs/guide/*', ['GET']);
  });
}

async function sendFile(path: string, reply: FastifyReply, pages: GuidePages): Promise<FastifyReply> {
  const found = await pages.file(path);
  const file = found ?? (await pages.file(notFound));
  if (file === undefined) {
    return sendProblem(reply, problem('not-found', 'the guide is not built: npm run docs builds it'));
  }
  return reply
    .code(found === undefined ? 404 : 200)
    .headers({
      'content-type': file.contentType,
      'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
    })
    .send(file.bytes);
}
