import { createUserAgent, type Flow, type IncomingInvite, type UserAgent } from '@jackfield/sip';
import type { CallMedia, Clock, Environment, MediaListener, SocketListener } from '../environment.ts';

/** A clock that moves only by `advance`. */
export interface PageClock extends Clock {
  /** Moves to each due timer in turn, and lets promises settle before and after it. */
  advance(ms: number): Promise<void>;
  readonly pending: number;
}

function createPageClock(start = 1_000_000_000_000): PageClock {
  let now = start;
  let timers: { readonly at: number; readonly fire: () => void }[] = [];
  const settled = async (): Promise<void> => {
    // A dynamic import takes some turns of the event loop.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    now: () => now,
    startTimer(at, fire) {
      const timer = { at: Math.max(at, now), fire };
      const index = timers.findIndex((other) => other.at > timer.at);
      timers.splice(index < 0 ? timers.length : index, 0, timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    async advance(ms) {
      const end = now + ms;
      await settled();
      for (let next = timers[0]; next !== undefined && next.at <= end; next = timers[0]) {
        timers.shift();
        now = next.at;
        next.fire();
        await settled();
      }
      now = end;
    },
    get pending() {
      return timers.length;
    },
  };
}

/** An order of a description that the page's peer connection got. */
export type Described = Parameters<CallMedia['describe']>[0];

/** The audio of a call as a test sees it. */
export interface SimulatedMedia {
  readonly listener: MediaListener;
  readonly described: Described[];
  isClosed: boolean;
}

/** A page without a browser: simulated sockets and audio, and a SIP server that registers everyone and answers every call. */
export interface SimulatedPage {
  readonly environment: Environment;
  readonly clock: PageClock;
  /** When sockets were opened, in ms since the start. */
  readonly openedAt: number[];
  /** REGISTERs that the server got, by the token in them. */
  readonly registered: string[];
  /** Calls that the server answered, and descriptions that came later. */
  readonly invites: IncomingInvite[];
  readonly offers: string[];
  readonly media: SimulatedMedia[];
  /** Whether sockets open; the default is yes. */
  isReachable: boolean;
  /** Nothing answers a new connection, and nothing refuses it. */
  isSilent: boolean;
  /** Closes the socket as a network does. */
  cut(): void;
  /** The machine has another network: its socket is silent from now on, and it does not know. */
  changeNetwork(): void;
  close(): void;
}

const noCounters = {
  packetsLost: 0,
  jitterMs: 2,
  roundTripMs: 20,
  remoteLossPercent: 0,
  inputLevel: 0.5,
  outputLevel: 0.5,
  codec: 'opus',
  transport: 'udp',
};

const ends = {
  protocol: 'wss',
  reliable: true,
  remoteAddress: '192.0.2.7',
  remotePort: 50_000,
  localAddress: '192.0.2.1',
  localPort: 443,
} as const;

export function createSimulatedPage(): SimulatedPage {
  const clock = createPageClock();
  const start = clock.now();
  const page = {
    clock,
    openedAt: [] as number[],
    registered: [] as string[],
    invites: [] as IncomingInvite[],
    offers: [] as string[],
    media: [] as SimulatedMedia[],
    isReachable: true,
    isSilent: false,
  };
  let serial = 0;
  let live: { readonly flow: Flow; readonly listener: SocketListener } | undefined;
  let networkChanged = (): void => undefined;
  const content = (body: string) => ({ body, contentType: 'application/sdp' });

  const server: UserAgent = createUserAgent({
    clock,
    send(target, text) {
      const socket = live;
      if (socket !== undefined && 'flow' in target && target.flow === socket.flow.id)
        clock.startTimer(clock.now(), () => socket === live && socket.listener.received(text));
    },
    flow: (id) => (live?.flow.id === id ? live.flow : undefined),
    address: () => ({ host: '192.0.2.1', port: 80 }),
    token: () => `s${serial++}`,
    on: {
      request(incoming) {
        const { headers } = incoming.request;
        page.registered.push(headers.get('X-Plivo-Jwt') ?? '');
        incoming.reply(200, { headers: [['Contact', `${headers.get('Contact')}`]] });
      },
      invite(invite) {
        page.invites.push(invite);
        invite.listen({
          offered(request) {
            page.offers.push(request.body);
            invite.answerOffer(content('answer of the server'));
          },
        });
        invite.accept(content('answer of the server'), [['X-CallUUID', `call-${page.invites.length}`]]);
      },
    },
  });

  function openSocket(_url: string, listener: SocketListener) {
    page.openedAt.push(clock.now() - start);
    const flow: Flow = { ...ends, id: `ws-${page.openedAt.length}` };
    const socket = { flow, listener };
    const cancel = clock.startTimer(clock.now(), () => {
      if (page.isSilent) return;
      if (!page.isReachable) return listener.closed();
      live = socket;
      listener.opened();
    });
    return {
      send(text: string) {
        if (live === socket && text.trim() !== '')
          clock.startTimer(clock.now(), () => server.receive(text, flow));
        else if (live === socket) clock.startTimer(clock.now(), () => listener.received('\r\n'));
      },
      close() {
        cancel();
        if (live === socket) live = undefined;
      },
    };
  }

  const environment: Environment = {
    clock,
    openSocket,
    openMedia: (listener) => openSimulatedMedia(page.media, listener),
    ring: () => () => undefined,
    token: () => `p${serial++}`,
    chance: () => 0.5,
    watchNetwork(changed) {
      networkChanged = changed;
      return () => undefined;
    },
    watchPage: () => () => undefined,
  };
  return Object.assign(page, {
    environment,
    cut() {
      const lost = live;
      live = undefined;
      if (lost === undefined) return;
      server.flowClosed(lost.flow.id);
      lost.listener.closed();
    },
    changeNetwork() {
      live = undefined;
      networkChanged();
    },
    close: () => server.close(),
  });
}

function openSimulatedMedia(all: SimulatedMedia[], listener: MediaListener): CallMedia {
  const opened: SimulatedMedia = { listener, described: [], isClosed: false };
  all.push(opened);
  let packets = 0;
  return {
    async describe(order) {
      opened.described.push(order);
      return `description ${opened.described.length}`;
    },
    applyAnswer: async () => undefined,
    rollBack: async () => undefined,
    silence: () => undefined,
    canSendDigits: () => true,
    insertDigits: () => undefined,
    async counters() {
      packets += 250;
      return { ...noCounters, packetsReceived: packets, packetsSent: packets };
    },
    close() {
      opened.isClosed = true;
    },
  };
}
