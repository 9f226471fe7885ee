import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { servePart } from '../part.ts';

/** The floor of the API: the same framework parses and answers as many bytes, without other work. */
const server = fastify();

servePart({
  async start({ created, read }: { readonly created: string; readonly read: string }) {
    const [newBody, readBody] = [JSON.parse(created) as object, JSON.parse(read) as object];
    server.post('/thing/', (_request, reply) => reply.code(201).send(newBody));
    server.get('/thing/', (_request, reply) => reply.send(readBody));
    await server.listen({ host: '127.0.0.1', port: 0 });
    return (server.addresses() as AddressInfo[])[0]!.port;
  },
  stop: () => server.close(),
});
