import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { servePart } from '../part.ts';

/** A receiver that only reads and answers. */
let received = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    received++;
    response.writeHead(200, { 'content-length': 0 }).end();
  });
});

servePart({
  async start() {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  },
  received: () => received,
  stop() {
    server.closeAllConnections();
    server.close();
  },
});
