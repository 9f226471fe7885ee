import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { problem } from '../../kernel/problem.ts';
import { sendProblem } from '../answers.ts';
import { refuseOtherMethods } from '../method-not-allowed.ts';

/** A built file in the forms in which it is sent. */
export interface ConsoleFile {
  readonly contentType: string;
  readonly identity: Uint8Array;
  readonly gzip: Uint8Array;
  readonly brotli: Uint8Array;
}

/** The built files of the web console. */
export interface ConsolePages {
  /** Begins to build where nothing is built; a problem is a sentence for the reader of the page. */
  state(): 'ready' | 'building' | { readonly problem: string };
  /** A file by its path below `/console/`; its name changes with its content. */
  file(path: string): ConsoleFile | undefined;
  /** The page, whose scripts and styles carry this nonce. */
  page(nonce: string): string;
}

interface ConsoleDeps {
  readonly pages: ConsolePages;
  newNonce(): string;
}

/**
 * `GET /console/`: the page, its files, and the page again at every other path below, because the page itself reads its path.
 * All of it is public; the data comes through the API.
 */
export function registerConsole(app: FastifyInstance, deps: ConsoleDeps): void {
  void app.register(async (scope) => {
    // Files come from memory and a page loads a dozen at once, so they do not count as requests of a stranger.
    const config = { countsItself: true } as const;
    const shown = { schema: { hide: true }, config };
    scope.get('/console/', shown, (_request, reply) => sendPage(reply, deps));
    scope.get('/console/*', shown, (request, reply) => {
      const path = (request.params as { '*': string })['*'];
      return path.startsWith('assets/') ? sendFile(path, request, reply, deps) : sendPage(reply, deps);
    });
    refuseOtherMethods(scope, '/console/', ['GET']);
    refuseOtherMethods(scope, '/console/*', ['GET']);
  });
}

function sendPage(reply: FastifyReply, { pages, newNonce }: ConsoleDeps): FastifyReply {
  const state = pages.state();
  const nonce = newNonce();
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': policyWith(nonce),
    'permissions-policy': 'microphone=(self)',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
  });
  if (state === 'ready') return reply.send(pages.page(nonce));
  if (state === 'building') {
    const policy = policyWith(nonce, `'nonce-${nonce}'`);
    return reply.header('content-security-policy', policy).send(buildingPage(nonce));
  }
  return reply.code(503).send(failedPage(state.problem));
}

/** Scripts, styles, data and sockets come from this server alone; the browser refuses every other host. */
function policyWith(nonce: string, scripts = "'self'"): string {
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sendFile(
  path: string,
  request: FastifyRequest,
  reply: FastifyReply,
  { pages }: ConsoleDeps,
): FastifyReply {
  const file = pages.state() === 'ready' ? pages.file(path) : undefined;
  if (file === undefined) return sendProblem(reply, problem('not-found', 'the console has no such file'));
  reply.headers({
    'content-type': file.contentType,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  });
  const accepted = request.headers['accept-encoding'] ?? '';
  if (/\bbr\b/.test(accepted)) {
    return reply.header('content-encoding', 'br').send(file.brotli);
  }
  if (/\bgzip\b/.test(accepted)) {
    return reply.header('content-encoding', 'gzip').send(file.gzip);
  }
  return reply.send(file.identity);
}

const document = (title: string, text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>`;

/** A script loads it again: with a fragment in the address, such as the link of the first run, browsers ignore the header `refresh`. */
const buildingPage = (nonce: string) =>
  document(
    'Jackfield is building its console',
    `This happens once after a change of its sources and takes some seconds. The page opens by itself. The API is ready meanwhile.
<progress aria-label="Build"></progress><script nonce="${nonce}">setTimeout(() => location.reload(), 1000)</script>`,
  );

function failedPage(sentence: string): string {
  const text = sentence.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return document('The console could not be built', `${text} The API works without it.`);
}
