import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { servePart } from '../part.ts';

/** A customer's program: answers each call, and waits for keys that the caller never presses. */
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/xml', 'content-length': document.length }).end(document);
  });
});
let document = '';

servePart({
  async start() {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const action = `http://127.0.0.1:${port}/keys`;
    document = `<Response><GetDigits action="${action}" timeout="60" retries="1"/></Response>`;
    return port;
  },
  stop() {
    server.closeAllConnections();
    server.close();
  },
});
