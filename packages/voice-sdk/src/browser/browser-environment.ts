import type { Environment, Socket, SocketListener } from '../environment.ts';
import type { AudioDevices } from './audio-devices.ts';
import { createPeerMedia, type PeerMediaOptions } from './peer-media.ts';

/** The longest wait of a browser's timer; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The phone's environment in a browser. */
export function browserEnvironment(devices: AudioDevices, options: PeerMediaOptions): Environment {
  return {
    clock: {
      now: () => Date.now(),
      startTimer(at, fire) {
        const wait = Math.min(LONGEST_TIMER_MS, Math.max(0, at - Date.now()));
        const timer = setTimeout(fire, wait);
        return () => clearTimeout(timer);
      },
    },
    openSocket,
    openMedia: (listener) => createPeerMedia(devices, options, listener),
    ring: () => devices.ring(),
    token: () =>
      [...crypto.getRandomValues(new Uint8Array(8))]
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join(''),
    chance: () => Math.random(),
    watchNetwork(changed) {
      // Chromium reports a change of the network, others only its return.
      const { connection } = navigator as { connection?: EventTarget };
      addEventListener('online', changed);
      connection?.addEventListener('change', changed);
      return () => {
        removeEventListener('online', changed);
        connection?.removeEventListener('change', changed);
      };
    },
    watchPage(left) {
      // A page that persists may be shown again.
      const hidden = ({ persisted }: PageTransitionEvent): void => {
        if (!persisted) left();
      };
      addEventListener('pagehide', hidden);
      return () => removeEventListener('pagehide', hidden);
    },
  };
}

function openSocket(url: string, listener: SocketListener): Socket {
  const socket = new WebSocket(url, 'sip');
  socket.onopen = () => listener.opened();
  socket.onmessage = ({ data }) => {
    if (typeof data === 'string') listener.received(data);
  };
  socket.onclose = () => listener.closed();
  return {
    send(text) {
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close() {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    },
  };
}
