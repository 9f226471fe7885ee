import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { PlatformProcess } from './platform-process.ts';

/** What a process needs in its environment so that a test may reach its threads, as an operator with a debugger does. */
export const reachable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

interface Message {
  readonly method?: string;
  readonly params?: {
    readonly sessionId: string;
    readonly workerInfo: { readonly title: string };
  };
}

/** Makes one thread with this name throw, outside of any handler, as a fault in its code would; resolves when the order is out. */
export async function failThread(platform: PlatformProcess, name: string): Promise<void> {
  const line = await platform.log.until('the debugger', ({ message }) =>
    /^Debugger listening/.test(`${message}`),
  );
  const socket = new WebSocket(`${line.message}`.replace('Debugger listening on ', ''));
  await once(socket, 'open');
  const found = Promise.withResolvers<string>();
  socket.on('message', (text) => {
    const { method, params } = JSON.parse(`${text}`) as Message;
    const isIt = method === 'NodeWorker.attachedToWorker' && params?.workerInfo.title.includes(name);
    if (isIt) found.resolve(params!.sessionId);
  });
  const order = (method: string, params: object) => socket.send(JSON.stringify({ id: 1, method, params }));
  order('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const sessionId = await found.promise;
  const expression = "setTimeout(() => { throw new Error('a fault of the thread'); })";
  const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } });
  order('NodeWorker.sendMessageToWorker', { sessionId, message });
  order('NodeWorker.disable', {});
  socket.close();
  await once(socket, 'close');
}
