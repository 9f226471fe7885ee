import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { cleanUp } from './support/clean-up.ts';
import { Happenings } from './support/lines.ts';
import { PlatformProcess } from './support/platform-process.ts';
import { freePort } from './support/ports.ts';

/** As OTLP has it in JSON (https://opentelemetry.io/docs/specs/otlp/). */
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

const echo = '+12025550100';
const silent = '+12025550105';
const key = 'Bearer spans';

const attributeOf = ({ attributes }: Pick<Span, 'attributes'>, key: string) =>
  Object.values(attributes.find((each) => each.key === key)?.value ?? {})[0];

async function read(request: IncomingMessage): Promise<string> {
  return Buffer.concat((await request.toArray()) as Buffer[]).toString('utf8');
}

describe('calls in OpenTelemetry', { timeout: 120_000 }, () => {
  const spans = new Happenings<Span>();
  const resources: Pick<Span, 'attributes'>[] = [];
  let receiver: Server;
  let program: Server;
  let platform: PlatformProcess;

  const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  before(async () => {
    receiver = createServer(async (request, response) => {
      assert.deepEqual([request.method, request.url], ['POST', '/v1/traces']);
      assert.equal(request.headers['content-type'], 'application/json');
      assert.equal(request.headers.authorization, key);
      const { resourceSpans } = JSON.parse(await read(request));
      for (const { resource, scopeSpans } of resourceSpans) {
        resources.push(resource);
        for (const scope of scopeSpans) for (const span of scope.spans) spans.add(span);
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
    program = createServer((request, response) => {
      request.resume();
      if (request.url?.startsWith('/answer'))
        response.end('<Response><Wait length="1"/><Hangup/></Response>');
      else response.writeHead(request.url?.startsWith('/broken') ? 500 : 200).end();
    });
    for (const server of [receiver, program]) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    platform = await PlatformProcess.start({
      JACKFIELD_OTLP_URL: urlOf(receiver),
      JACKFIELD_OTLP_HEADERS: `authorization=${key}`,
      JACKFIELD_LOG_LEVEL: 'debug',
    });
  });

  after(() =>
    cleanUp(
      () => platform?.stop(),
      () => receiver?.close(),
      () => program?.close(),
    ),
  );

  async function call(answer: string): Promise<readonly Span[]> {
    const seen = spans.all.length;
    const url = `${urlOf(program)}/${answer}?secret=x`;
    const body = { from: '+12025550000', to: echo, answer_url: url, hangup_url: `${urlOf(program)}/ended` };
    assert.equal((await platform.api('POST', 'Call/', body)).status, 201);
    const isNew = (span: Span) => spans.all.indexOf(span) >= seen;
    const isEnd = (span: Span) => isNew(span) && attributeOf(span, 'jackfield.event') === 'call.ended';
    const { traceId } = await spans.until('the callback of the end', isEnd);
    await spans.until('the call', (span) => isNew(span) && span.name === 'call');
    return spans.all.filter((span) => span.traceId === traceId);
  }

  it('have a span with INVITE, media, document and callback below it, in one trace', async () => {
    const trace = await call('answer');
    const root = trace.find(({ name }) => name === 'call')!;
    assert.ok(!root.parentSpanId);
    assert.match(String(attributeOf(root, 'jackfield.call_uuid')), /^[0-9a-f-]{36}$/);
    assert.equal(attributeOf(root, 'jackfield.end'), 'local');
    for (const name of ['INVITE', 'media', 'document', 'callback']) {
      const part = trace.find((span) => span.name === name) ?? assert.fail(`${name} is missing`);
      assert.equal(part.parentSpanId, root.spanId, name);
      assert.ok(BigInt(part.endTimeUnixNano) >= BigInt(part.startTimeUnixNano), name);
      assert.equal(part.status.code ?? 0, 0, name);
    }
    const document = trace.find(({ name }) => name === 'document')!;
    assert.equal(Number(attributeOf(document, 'http.response.status_code')), 200);
    assert.equal(attributeOf(document, 'url.full'), `${urlOf(program)}/answer`);
    const lasted = Number(BigInt(root.endTimeUnixNano) - BigInt(root.startTimeUnixNano)) / 1e6;
    assert.ok(lasted >= 1_000, `the call lasted ${lasted} ms`);
    assert.equal(attributeOf(resources[0]!, 'service.name'), 'jackfield');
  });

  it('are named by the log, with their account and the request that began them', async () => {
    await call('answer');
    const { account, call_uuid: uuid } = platform.log.all.find(
      ({ message }) => message === 'document requested',
    )!;
    assert.equal(account, platform.authId);
    assert.ok(spans.all.some((span) => attributeOf(span, 'jackfield.call_uuid') === uuid));
    const sent = platform.log.all.find(
      ({ message, call_uuid: of }) => message === 'callback sent' && of === uuid,
    );
    assert.equal(sent?.account, platform.authId);
    const { api_id: id } = (await platform.api('GET', 'Call/')).body;
    const answered = await platform.log.until(
      'the line of the request',
      ({ message, api_id: of }: Record<string, unknown>) => message === 'request answered' && of === id,
    );
    assert.deepEqual([answered.account, answered.status, answered.method], [platform.authId, 200, 'GET']);
  });

  it('say what failed', async () => {
    const trace = await call('broken');
    const document = trace.find(({ name }) => name === 'document')!;
    assert.equal(document.status.code, 2);
    assert.equal(Number(attributeOf(document, 'http.response.status_code')), 500);
  });

  it('go on while the receiver is away, and the log says so', async () => {
    const away = await PlatformProcess.start({
      JACKFIELD_OTLP_URL: `http://127.0.0.1:${await freePort()}`,
    });
    try {
      const url = `${urlOf(program)}/answer`;
      assert.equal(
        (await away.api('POST', 'Call/', { from: '+12025550000', to: silent, answer_url: url })).status,
        201,
      );
      const isRefused = ({ message }: Record<string, unknown>) => message === 'sending spans of calls failed';
      await away.api('DELETE', 'Call/');
      await away.log.until('the warning', isRefused);
      assert.equal((await fetch(`${away.httpUrl}/healthz`)).status, 200);
    } finally {
      assert.equal(await away.stop(), 0);
    }
  });
});
