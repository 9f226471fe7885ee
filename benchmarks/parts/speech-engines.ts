import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { servePart } from '../part.ts';

const answer = '{"text":"yes"}';
const result = '{"type":"result","final":true,"text":"yes","confidence":0.9,"fromMs":0,"toMs":1000}';
/** A minute at 24 kHz. */
const minute = Buffer.alloc(2 * 24_000 * 60);

/** Engines that cost nothing: transcription and speech over HTTP, and transcription over a WebSocket. */
servePart({
  async start(): Promise<string> {
    const server = createServer((request, response) => {
      request.resume();
      request.on('end', () => response.end(request.url === '/speak' ? minute : answer));
    });
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) =>
      socket.on('message', (data, isBinary) => {
        if (isBinary || !data.toString().includes('finish')) return;
        socket.send(result);
        socket.send('{"type":"end"}');
      }),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
});
