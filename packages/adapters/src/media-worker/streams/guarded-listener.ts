import type { StreamSocketListener } from './stream-socket.ts';

/** Passes the events of a socket on. An exception goes to `failed`: uncaught, it would end the thread with all its calls. */
export function guarded(
  listener: StreamSocketListener,
  failed: (thrown: unknown) => void,
): StreamSocketListener {
  const guard = (handle: () => void): void => {
    try {
      handle();
    } catch (thrown) {
      failed(thrown);
    }
  };
  return {
    opened: () => guard(() => listener.opened()),
    unreachable: (sentence) => guard(() => listener.unreachable(sentence)),
    message: (data, isBinary) => guard(() => listener.message(data, isBinary)),
    answered: (question) => guard(() => listener.answered(question)),
    lost: (code, sentence) => guard(() => listener.lost(code, sentence)),
  };
}
