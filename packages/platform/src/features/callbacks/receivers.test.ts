import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createSystemClock } from '@jackfield/adapters/clock';
import { createHttpEgress } from '@jackfield/adapters/egress-http';
import { createNameLookup } from '@jackfield/adapters/name-lookup';
import { createSecrets } from '@jackfield/adapters/secrets';
import { createRecordingLog, onEmbeddedDatabase } from '@jackfield/testkit';
import { createOutbox, outboxMigrations } from '../../kernel/outbox.ts';
import { callbackMigrations, createCallbacks } from './create-callbacks.ts';

/** Broken receivers, with the settings of their URLs. */
const kinds: Readonly<Record<string, { readonly settings: string; readonly answer: RequestListener }>> = {
  'answers 500': { settings: '#rc=0', answer: (_request, response) => response.writeHead(500).end() },
  hangs: { settings: '#rt=250&rc=0', answer: () => {} },
  'closes the connection': { settings: '#rc=0', answer: ({ socket }) => socket.destroy() },
  'answers byte by byte': {
    settings: '#rt=250&tt=250&rc=0',
    answer(_request, { socket }) {
      const drip = setInterval(() => socket!.write('x'), 20);
      socket!.once('close', () => clearInterval(drip)).write('HTTP/1.1 200 OK\r\nx: ');
    },
  },
};

const perResource = 3;
const resources = 6;

onEmbeddedDatabase('callbacks over real connections', (open) => {
  for (const [kind, { settings, answer }] of Object.entries(kinds)) {
    test(`a receiver that ${kind} is abandoned in order and delays no other receiver`, async (t) => {
      const database = await open([...outboxMigrations, ...callbackMigrations]);
      const arrived = new Map<string, string[]>();
      const servers: Server[] = [];
      const receiver = async (listener: RequestListener) => {
        const server = createServer((request, response) => {
          let body = '';
          request.setEncoding('utf8').on('data', (text) => {
            body += text;
          });
          request.on('end', () => {
            const fields = new URLSearchParams(body);
            const resource = fields.get('resource')!;
            arrived.set(resource, [...(arrived.get(resource) ?? []), fields.get('n')!]);
            listener(request, response);
          });
        });
        servers.push(server);
        server.listen(0, '127.0.0.1');
        await once(server, 'listening');
        return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in` };
      };
      t.after(() => {
        for (const server of servers) server.close().closeAllConnections();
      });
      const [bad, good] = [await receiver(answer), await receiver((_request, response) => response.end())];
      const secrets = createSecrets(new Uint8Array(32).fill(7));
      const clock = createSystemClock();
      const log = createRecordingLog();
      const egress = createHttpEgress({ allow: [], privateToo: true, resolve: createNameLookup() });
      t.after(() => egress.close());
      const newEventId = () => secrets.randomUuid();
      const outbox = createOutbox({ database, clock, log, newEventId });
      const limits = { perHost: 4 };
      const authTokenOf = async () => 'token';
      const callbacks = createCallbacks({
        database,
        clock,
        log,
        secrets,
        outbox,
        egress,
        authTokenOf,
        limits,
      });
      outbox.start(callbacks.deliver);

      const emit = (name: string, url: string) =>
        database.transact((write) =>
          outbox.appendEvents(
            write,
            Array.from({ length: resources * perResource }, (_, index) => {
              const resource = `${name}/${index % resources}`;
              return {
                type: 'happened',
                account: 'MA0',
                mainAccount: 'MA0',
                resource,
                payload: { resource, n: Math.floor(index / resources) },
                callback: { url, method: 'POST' as const },
              };
            }),
          ),
        );
      await emit('bad', bad.url + settings);
      outbox.wake();
      await emit('good', good.url);
      outbox.wake();
      const count = (name: string) =>
        [...arrived].filter(([resource]) => resource.startsWith(name)).flatMap(([, numbers]) => numbers)
          .length;
      const all = resources * perResource;
      while (count('good') < all) await new Promise((resolve) => setTimeout(resolve, 2));
      // A silent host gets one request at a time: most of its events are still waiting.
      if (kind !== 'answers 500') assert.ok(count('bad') < all, `${count('bad')} of ${all}`);
      await outbox.idle();
      assert.equal(count('bad'), all);
      for (const [resource, numbers] of arrived) assert.deepEqual(numbers, ['0', '1', '2'], resource);

      await callbacks.release();
      egress.close();
      for (const { server } of [bad, good]) {
        server.closeAllConnections();
        server.close();
        await once(server, 'close');
      }
      // Destroyed already; the event loop reports it a turn later.
      while (egress.openConnections() > 0) await new Promise((resolve) => setImmediate(resolve));
    });
  }
});
